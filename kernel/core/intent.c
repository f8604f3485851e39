// SPDX-License-Identifier: GPL-2.0-only
/*
 * Region states: four bits a region in memory, and the blocks that hold them
 * on disk.
 *
 * A block is valid by itself: its checksum covers all of its 4096 bytes, and its
 * head names the array, the first region and how many regions it holds, so a
 * block of another array, place or size is never taken for ours. Between copies
 * of a block the caller takes the valid one with the higher generation.
 *
 * The number of regions of a block is even but for the last one, so that a block
 * always begins at a whole byte of the map.
 */
#include "intent.h"

#define HEAD_MAGIC "CascadeI"
#define REGION_BITS 15u

/* A block of the map as it lies on disk. */
struct disk_block {
	__le32 checksum;	/* CRC-32C of the block with this field zero */
	__le32 nr_regions;	/* in this block */
	u8 magic[8];
	u8 array_uuid[CASCADE_UUID_BYTES];
	__le64 generation;
	__le64 first_region;
	u8 reserved[16];	/* zero; not looked at */
	u8 states[CASCADE_INTENT_BLOCK_BYTES - CASCADE_INTENT_HEAD_BYTES];
};

static_assert(sizeof(struct disk_block) == CASCADE_INTENT_BLOCK_BYTES);
static_assert(offsetof(struct disk_block, nr_regions) == 4);
static_assert(offsetof(struct disk_block, magic) == 8);
static_assert(offsetof(struct disk_block, array_uuid) == 16);
static_assert(offsetof(struct disk_block, generation) == 32);
static_assert(offsetof(struct disk_block, first_region) == 40);
static_assert(offsetof(struct disk_block, states) == CASCADE_INTENT_HEAD_BYTES);
static_assert(CASCADE_INTENT_REGIONS_PER_BLOCK % 2 == 0);
static_assert(sizeof(HEAD_MAGIC) - 1 == sizeof(((struct disk_block *)0)->magic));

enum cascade_trust cascade_intent_trust(u8 bits)
{
	/* A dirty mark without a written one is not ours; it is no licence to skip. */
	if (!(bits & (CASCADE_REGION_WRITTEN | CASCADE_REGION_DIRTY)))
		return CASCADE_UNWRITTEN;
	if (!(bits & CASCADE_REGION_SYNCED))
		return CASCADE_FRESH;
	return bits & CASCADE_REGION_DIRTY ? CASCADE_ACTIVE : CASCADE_CLEAN;
}

u64 cascade_intent_nr_regions(u64 data_sectors, u32 region_sectors)
{
	u64 whole = data_sectors >> ilog2(region_sectors);

	return whole + !!(data_sectors & (region_sectors - 1));
}

u32 cascade_intent_nr_blocks(u64 nr_regions)
{
	u32 rest;
	u64 whole = div_u64_rem(nr_regions, CASCADE_INTENT_REGIONS_PER_BLOCK, &rest);

	/* Saturates: a count that is not true must not look small. */
	if (whole >= ~0U)
		return ~0U;
	return (u32)whole + !!rest;
}

u8 cascade_intent_get(const u8 *map, u64 region)
{
	u8 pair = map[region >> 1];

	return region & 1 ? pair >> 4 : pair & REGION_BITS;
}

void cascade_intent_set(u8 *map, u64 region, u8 set, u8 clear)
{
	unsigned int shift = region & 1 ? 4 : 0;
	u8 *pair = &map[region >> 1];
	unsigned int gone = (clear & REGION_BITS) << shift;
	unsigned int come = (set & REGION_BITS) << shift;

	*pair = (u8)((*pair & ~gone) | come);
}

/* Regions that a block holds; 0 for a block beyond the map's end. */
static u32 regions_of_block(u32 block, u64 nr_regions)
{
	u64 first = (u64)block * CASCADE_INTENT_REGIONS_PER_BLOCK;

	if (first >= nr_regions)
		return 0;
	if (nr_regions - first > CASCADE_INTENT_REGIONS_PER_BLOCK)
		return CASCADE_INTENT_REGIONS_PER_BLOCK;
	return (u32)(nr_regions - first);
}

static u32 checksum_of(const struct disk_block *d)
{
	static const u8 zero[sizeof(d->checksum)];
	const u8 *rest = (const u8 *)d + sizeof(d->checksum);
	u32 crc = crc32c(~0U, zero, sizeof(zero));

	return ~crc32c(crc, rest, sizeof(*d) - sizeof(d->checksum));
}

void cascade_intent_encode(void *buf, const u8 *array_uuid, u64 generation, u32 block,
			   const u8 *map, u64 nr_regions)
{
	u64 first = (u64)block * CASCADE_INTENT_REGIONS_PER_BLOCK;
	u32 nr = regions_of_block(block, nr_regions);
	struct disk_block *d = buf;

	memset(d, 0, sizeof(*d));
	d->nr_regions = cpu_to_le32(nr);
	memcpy(d->magic, HEAD_MAGIC, sizeof(d->magic));
	memcpy(d->array_uuid, array_uuid, sizeof(d->array_uuid));
	d->generation = cpu_to_le64(generation);
	d->first_region = cpu_to_le64(first);
	if (nr)
		memcpy(d->states, map + (first >> 1), (nr + 1) / 2);
	if (nr & 1)
		d->states[nr / 2] &= REGION_BITS;
	d->checksum = cpu_to_le32(checksum_of(d));
}

/* Whether nothing stands behind the last region: neither half a byte nor more. */
static bool rest_is_zero(const struct disk_block *d, u32 nr)
{
	size_t at = nr / 2;

	if (nr & 1 && d->states[at++] & ~REGION_BITS)
		return false;
	while (at < sizeof(d->states))
		if (d->states[at++])
			return false;
	return true;
}

int cascade_intent_decode(const void *buf, const u8 *array_uuid, u32 block, u8 *map,
			  u64 nr_regions, u64 *generation)
{
	u64 first = (u64)block * CASCADE_INTENT_REGIONS_PER_BLOCK;
	u32 nr = regions_of_block(block, nr_regions);
	const struct disk_block *d = buf;

	if (!nr)
		return -EBADMSG;
	if (memcmp(d->magic, HEAD_MAGIC, sizeof(d->magic)))
		return -EBADMSG;
	if (le32_to_cpu(d->checksum) != checksum_of(d))
		return -EBADMSG;
	if (memcmp(d->array_uuid, array_uuid, sizeof(d->array_uuid)))
		return -EBADMSG;
	if (le64_to_cpu(d->first_region) != first || le32_to_cpu(d->nr_regions) != nr)
		return -EBADMSG;
	if (!rest_is_zero(d, nr))
		return -EBADMSG;

	memcpy(map + (first >> 1), d->states, (nr + 1) / 2);
	*generation = le64_to_cpu(d->generation);
	return 0;
}
