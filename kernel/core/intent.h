/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Region states: what is known of the parity of each region (1 to 4 MiB of each
 * member), and its form on disk.
 *
 *	written		ever written since create
 *	synced		parity of the whole region was made right once
 *	dirty		writes may be on their way
 *	missed		written while a slot was out
 *
 * On disk a map is a run of 4 KiB blocks, each with a head (checksum, magic,
 * array, generation, first region) and four bits a region. Copies of the map
 * follow each other; a block of a copy is valid by itself.
 */
#ifndef CASCADE_CORE_INTENT_H
#define CASCADE_CORE_INTENT_H

#include "units.h"

#define CASCADE_INTENT_BLOCK_BYTES 4096u
#define CASCADE_INTENT_HEAD_BYTES 64u
#define CASCADE_INTENT_REGIONS_PER_BLOCK \
	((CASCADE_INTENT_BLOCK_BYTES - CASCADE_INTENT_HEAD_BYTES) * 2)
#define CASCADE_INTENT_COPIES 2u

#define CASCADE_REGION_WRITTEN 1u
#define CASCADE_REGION_SYNCED 2u
#define CASCADE_REGION_DIRTY 4u
#define CASCADE_REGION_MISSED 8u

/** enum cascade_trust - What a region's bits say of its parity. */
enum cascade_trust {
	CASCADE_UNWRITTEN,	/* nothing there: skipped by background work */
	CASCADE_FRESH,		/* written, never synced: parity is not trusted */
	CASCADE_CLEAN,		/* parity is right */
	CASCADE_ACTIVE,		/* parity is right now; torn after a crash */
};

/**
 * cascade_intent_trust() - What a region's bits mean while the array runs.
 * @bits: CASCADE_REGION_*.
 *
 * Return: Trust. A dirty region of an unclean start is torn: its synced bit is
 *	to be cleared before it is looked at.
 */
enum cascade_trust cascade_intent_trust(u8 bits);

/**
 * cascade_intent_nr_regions() - Regions of a data area.
 * @data_sectors: Sectors of each member's data area.
 * @region_sectors: Sectors of a region, a power of two.
 *
 * Return: Number of regions; the last one may be short.
 */
u64 cascade_intent_nr_regions(u64 data_sectors, u32 region_sectors);

/**
 * cascade_intent_nr_blocks() - Blocks of one copy of the map.
 * @nr_regions: Number of regions.
 *
 * Return: Number of 4 KiB blocks.
 */
u32 cascade_intent_nr_blocks(u64 nr_regions);

/**
 * cascade_intent_get() - State bits of a region in a map's memory.
 * @map: Four bits a region, low half of a byte first.
 * @region: Region.
 *
 * Return: CASCADE_REGION_*.
 */
u8 cascade_intent_get(const u8 *map, u64 region);

/**
 * cascade_intent_set() - Change state bits of a region in a map's memory.
 * @map: Four bits a region.
 * @region: Region.
 * @set: Bits to set.
 * @clear: Bits to clear; no other bit is touched.
 */
void cascade_intent_set(u8 *map, u64 region, u8 set, u8 clear);

/**
 * cascade_intent_encode() - Write one block of a map.
 * @buf: CASCADE_INTENT_BLOCK_BYTES, aligned to 8, written whole, zero padded.
 * @array_uuid: The array.
 * @generation: Rises with each write of the block.
 * @block: Which block of the map.
 * @map: The whole map's memory.
 * @nr_regions: Regions of the whole map.
 */
void cascade_intent_encode(void *buf, const u8 *array_uuid, u64 generation, u32 block,
			   const u8 *map, u64 nr_regions);

/**
 * cascade_intent_decode() - Check one block of a map and read its states.
 * @buf: CASCADE_INTENT_BLOCK_BYTES from a device, aligned to 8.
 * @array_uuid: The array it must belong to.
 * @block: Which block it must be.
 * @map: The whole map's memory; this block's part is filled on success.
 * @nr_regions: Regions of the whole map.
 * @generation: Set on success.
 *
 * Return: 0, or -EBADMSG if it is no valid block of this array and place.
 */
int cascade_intent_decode(const void *buf, const u8 *array_uuid, u32 block, u8 *map,
			  u64 nr_regions, u64 *generation);

#endif /* CASCADE_CORE_INTENT_H */
