/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status line, between structure and text:
 *
 *	<level> <#members> <health> <done>/<total> <sync_action> <mismatch_blocks>
 *	<#pairs> {<key> <value>}...
 *
 * Keys keep their meaning for ever, new ones are appended: a reader skips keys
 * that it does not know, and takes 0 for those that are not there.
 */
#ifndef CASCADE_CORE_REPORT_H
#define CASCADE_CORE_REPORT_H

#include "geo.h"
#include "units.h"

/** enum cascade_sync_action - What background work is under way. */
enum cascade_sync_action {
	CASCADE_SYNC_IDLE,
	CASCADE_SYNC_RESYNC,
	CASCADE_SYNC_RECOVER,
	CASCADE_SYNC_CHECK,
	CASCADE_SYNC_REPAIR,
	CASCADE_SYNC_FROZEN,
};

/** enum cascade_journal_state - The journal, as status tells it. */
enum cascade_journal_state {
	CASCADE_JOURNAL_NONE,
	CASCADE_JOURNAL_OK,
	CASCADE_JOURNAL_REPLAYING,
	CASCADE_JOURNAL_FAILED,
};

/** enum cascade_cache_state - The cache, as status tells it. */
enum cascade_cache_state {
	CASCADE_CACHE_NONE,
	CASCADE_CACHE_WARMING,
	CASCADE_CACHE_OK,
	CASCADE_CACHE_DEGRADED,
	CASCADE_CACHE_FAILED,
};

/**
 * struct cascade_report - What a status line says.
 * @level: RAID level.
 * @nr_members: Members.
 * @health: One letter a member (A a D -), ended by NUL.
 * @done_sectors: Sectors of each member that background work has done.
 * @total_sectors: Sectors of each member.
 * @sync_action: Background work.
 * @mismatch_blocks: Blocks that the last check found wrong.
 * @journal: Journal state.
 * @cache_state: Cache state.
 * @reads: Read requests of users; of one that was split, each part.
 * @writes: Write requests of users, likewise.
 * @full_rows: Row updates that needed no old block.
 * @rmw: Row updates by read-modify-write.
 * @rcw: Row updates by reconstruct-write.
 * @stripe_hits: Updates that needed old blocks and found all in memory.
 * @member_reads: Bios read from members.
 * @member_writes: Bios written to members.
 * @intent_writes: Writes of region map blocks.
 * @dirty_regions: Regions marked dirty.
 * @unwritten_regions: Regions never written.
 * @read_errors_fixed: Blocks rewritten after a read error.
 * @lost_blocks: Blocks that are lost until they are written again.
 * @spares_idle: Spares that have not taken over.
 * @spares_total: Spares.
 * @cache_used: Sectors of the cache that are in use.
 * @cache_total: Sectors of the cache.
 * @cache_hits: Read requests answered from the cache.
 * @cache_misses: Read requests that the cache could not answer.
 * @cache_bypassed: Requests that went past the cache.
 * @cache_fills: Blocks brought into the cache.
 * @cache_evictions: Blocks that made room.
 * @cache_errors: Errors of cache devices.
 * @cache_old_data: Old data blocks of row updates taken from the cache.
 * @cache_old_parity: Old parity blocks of row updates taken from the cache.
 * @cache_rescues: Reads answered by the cache where the members could not.
 *
 * The counters have the names of their keys.
 */
struct cascade_report {
	enum cascade_level level;
	unsigned int nr_members;
	char health[CASCADE_MEMBERS_MAX + 1];
	u64 done_sectors;
	u64 total_sectors;
	enum cascade_sync_action sync_action;
	u64 mismatch_blocks;
	enum cascade_journal_state journal;
	enum cascade_cache_state cache_state;
	/* counters, in the order of their keys */
	u64 reads;
	u64 writes;
	u64 full_rows;
	u64 rmw;
	u64 rcw;
	u64 stripe_hits;
	u64 member_reads;
	u64 member_writes;
	u64 intent_writes;
	u64 dirty_regions;
	u64 unwritten_regions;
	u64 read_errors_fixed;
	u64 lost_blocks;
	u64 spares_idle;
	u64 spares_total;
	u64 cache_used;
	u64 cache_total;
	u64 cache_hits;
	u64 cache_misses;
	u64 cache_bypassed;
	u64 cache_fills;
	u64 cache_evictions;
	u64 cache_errors;
	u64 cache_old_data;
	u64 cache_old_parity;
	u64 cache_rescues;
};

/**
 * cascade_report_format() - Write a status line's fields.
 * @rep: What to say.
 * @buf: Room for the text and its NUL.
 * @nr_bytes: Size of @buf; text that does not fit is cut off.
 *
 * Keys are written in the order of DESIGN: reads writes full_rows rmw rcw
 * stripe_hits member_reads member_writes intent_writes dirty_regions
 * unwritten_regions journal read_errors_fixed lost_blocks spares_idle
 * spares_total cache_state cache_used cache_total cache_hits cache_misses
 * cache_bypassed cache_fills cache_evictions cache_errors cache_old_data
 * cache_old_parity cache_rescues.
 *
 * Context: Any context.
 * Return: Length without the NUL.
 */
int cascade_report_format(const struct cascade_report *rep, char *buf, size_t nr_bytes);

/**
 * cascade_report_parse() - Read a status line's fields.
 * @rep: Filled.
 * @text: The part of the line behind the target's name.
 *
 * Return: 0 or -EINVAL.
 */
int cascade_report_parse(struct cascade_report *rep, const char *text);

/**
 * cascade_report_sync_name() - A sync action's word.
 * @action: Action.
 *
 * Return: "idle", "resync", "recover", "check", "repair" or "frozen".
 */
const char *cascade_report_sync_name(enum cascade_sync_action action);

/**
 * cascade_report_journal_name() - A journal state's word.
 * @state: State.
 *
 * Return: "none", "ok", "replaying" or "failed".
 */
const char *cascade_report_journal_name(enum cascade_journal_state state);

/**
 * cascade_report_cache_name() - A cache state's word.
 * @state: State.
 *
 * Return: "none", "warming", "ok", "degraded" or "failed".
 */
const char *cascade_report_cache_name(enum cascade_cache_state state);

#endif /* CASCADE_CORE_REPORT_H */
