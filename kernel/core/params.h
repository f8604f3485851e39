/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table line, between text and structure:
 *
 *	<level> <chunk_sectors> <#members> {<dev>|-}... <#optional_args> [<arg>...]
 *
 * Parsing knows the grammar and the limits of each argument alone; what depends
 * on the devices is checked where they are opened.
 */
#ifndef CASCADE_CORE_PARAMS_H
#define CASCADE_CORE_PARAMS_H

#include "geo.h"
#include "units.h"

#define CASCADE_SPARES_MAX 16u
#define CASCADE_CACHES_MAX 8u
#define CASCADE_CACHE_BLOCK_MIN 8u
#define CASCADE_CACHE_BLOCK_MAX 2048u
#define CASCADE_CACHE_BLOCK_DEFAULT 128u

/* struct cascade_params.flags */
#define CASCADE_ARG_CREATE BIT_ULL(0)
#define CASCADE_ARG_ASSUME_CLEAN BIT_ULL(1)
#define CASCADE_ARG_FORCE BIT_ULL(2)
#define CASCADE_ARG_UUID BIT_ULL(3)
#define CASCADE_ARG_NO_JOURNAL BIT_ULL(4)
#define CASCADE_ARG_READ_ONLY BIT_ULL(5)
#define CASCADE_ARG_CACHE_BLOCK BIT_ULL(6)
#define CASCADE_ARG_CACHE_WRITE BIT_ULL(7)

/** enum cascade_cache_write - What a write does to cached blocks. */
enum cascade_cache_write {
	CASCADE_CACHE_UPDATE,
	CASCADE_CACHE_INVALIDATE,
};

/**
 * struct cascade_params - A table line.
 * @level: RAID level.
 * @chunk_sectors: Chunk.
 * @nr_members: Members.
 * @members: Device of each slot as typed; NULL for a missing one ("-"). All
 *	strings point into the words that were parsed.
 * @flags: CASCADE_ARG_*.
 * @name: Name for create, or NULL.
 * @uuid: Array uuid if CASCADE_ARG_UUID.
 * @rebuild_mask: Slots named by "rebuild".
 * @nr_spares: Entries of @spares.
 * @spares: Spare devices.
 * @nr_caches: Entries of @caches.
 * @caches: Cache devices.
 * @cache_block_sectors: Cache block.
 * @cache_write: What a write does to cached blocks.
 * @journal: Journal device, or NULL.
 */
struct cascade_params {
	enum cascade_level level;
	u32 chunk_sectors;
	unsigned int nr_members;
	const char *members[CASCADE_MEMBERS_MAX];
	u64 flags;
	const char *name;
	u8 uuid[CASCADE_UUID_BYTES];
	u64 rebuild_mask;
	unsigned int nr_spares;
	const char *spares[CASCADE_SPARES_MAX];
	unsigned int nr_caches;
	const char *caches[CASCADE_CACHES_MAX];
	u32 cache_block_sectors;
	enum cascade_cache_write cache_write;
	const char *journal;
};

/**
 * cascade_params_parse() - Read a table line's words.
 * @p: Filled; its strings point into @argv.
 * @argc: Number of words.
 * @argv: Words.
 * @error: On failure a constant sentence that names the argument and says what
 *	is accepted.
 * @found: On failure the word that broke the rule, or NULL where one is missing.
 *
 * Refused as well: the same device text twice, "name" or "assume_clean" without
 * "create", "create" with "uuid" or "rebuild", "read_only" with "create" or
 * "rebuild", "journal" with "no_journal", an option twice where one is meant,
 * "cache_block" or "cache_write" without "cache", "rebuild" or "spare" at raid0,
 * "rebuild" of a slot that is missing, all members missing, more
 * members missing at create than the level bears, a level's least number of
 * members (raid0 1, raid5 3, raid6 4, raid10 2), "#optional_args" that does not
 * match.
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int cascade_params_parse(struct cascade_params *p, unsigned int argc, char **argv,
			 const char **error, const char **found);

/**
 * cascade_params_format() - Write a table line.
 * @p: What to write.
 * @buf: Room for the text and its NUL.
 * @nr_bytes: Size of @buf.
 *
 * Writes what is loaded again as it is: flags create, assume_clean, force,
 * name and rebuild are written only if set in @p, so that the tool can use it for
 * new arrays and the kernel for live ones.
 *
 * Return: Length without the NUL, or -ENOSPC if it did not fit.
 */
int cascade_params_format(const struct cascade_params *p, char *buf, size_t nr_bytes);

#endif /* CASCADE_CORE_PARAMS_H */
