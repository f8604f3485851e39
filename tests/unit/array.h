/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Superblocks to begin a test with.
 */
#ifndef CASCADE_TEST_ARRAY_H
#define CASCADE_TEST_ARRAY_H

#include "core/sb.h"

/* Little-endian, wherever it lies. */
static inline void poke(void *buf, size_t at_bytes, u64 value, size_t nr_bytes)
{
	u8 *byte = (u8 *)buf + at_bytes;

	while (nr_bytes--) {
		*byte++ = (u8)value;
		value >>= 8;
	}
}

static inline void uuid_of(u8 *uuid, u64 number)
{
	memset(uuid, 0, CASCADE_UUID_BYTES);
	uuid[0] = 0xca;
	poke(uuid, 8, number, 8);
}

/* A fresh array, as the device in one of its slots tells it. */
static inline void plain(struct cascade_sb *sb, enum cascade_level level, u32 nr_members,
			 slot_t slot)
{
	slot_t s;

	memset(sb, 0, sizeof(*sb));
	uuid_of(sb->array_uuid, 1);
	uuid_of(sb->device_uuid, 100 + slot);
	strcpy(sb->name, "data");
	sb->level = level;
	sb->nr_members = nr_members;
	sb->slot = slot;
	sb->chunk_sectors = 128;
	sb->block_bytes = 512;
	sb->region_sectors = 2048;
	sb->data_offset_sectors = CASCADE_DATA_OFFSET_SECTORS;
	sb->data_sectors = 1 << 20;
	sb->intent_offset_sectors = CASCADE_INTENT_OFFSET_SECTORS;
	sb->intent_sectors = CASCADE_INTENT_SECTORS;
	sb->events = 1;
	sb->epochs[0].counter = 1;
	sb->epochs[0].id = 0x1111;
	for (s = 0; s < nr_members; s++) {
		sb->slots[s].state = CASCADE_SLOT_IN_SYNC;
		uuid_of(sb->slots[s].device_uuid, 100 + s);
	}
}

#endif /* CASCADE_TEST_ARRAY_H */
