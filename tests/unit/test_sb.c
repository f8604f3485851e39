// SPDX-License-Identifier: GPL-2.0-only
/*
 * The superblock's form: round trips, damage, values that no array can have, and
 * an image that every later version must read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "array.h"
#include "core/intent.h"
#include "core/sb.h"
#include "image.h"
#include "seed.h"

/* On-disk offsets, said a second time: they may never change. */
enum {
	AT_CHECKSUM = 0, AT_VERSION = 4, AT_MAGIC = 8, AT_COMPAT = 16, AT_RO_COMPAT = 24,
	AT_INCOMPAT = 32, AT_ARRAY_UUID = 40, AT_DEVICE_UUID = 56, AT_NAME = 72, AT_LEVEL = 136,
	AT_NR_MEMBERS = 140, AT_SLOT = 144, AT_CHUNK = 148, AT_BLOCK = 152, AT_REGION = 156,
	AT_DATA_OFFSET = 160, AT_DATA_SECTORS = 168, AT_INTENT_OFFSET = 176,
	AT_INTENT_SECTORS = 184, AT_EVENTS = 192, AT_FLAGS = 200, AT_SYNCED = 208,
	AT_CACHE_COUNTER = 216, AT_EPOCHS = 224, AT_TUNABLES = 416, AT_SLOTS = 800,
	AT_RESERVED = 3360,
	EPOCH_BYTES = 24, TUNABLE_BYTES = 16, SLOT_BYTES = 40,
};

static u64 block[CASCADE_SB_BYTES / 8];
static u64 block2[CASCADE_SB_BYTES / 8];

/* CRC-32C bit by bit, from its definition. */
static u32 model_crc32c(const u8 *data, size_t nr_bytes)
{
	u32 crc = ~0u;
	int bit;

	while (nr_bytes--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
	}
	return ~crc;
}

static u64 peek(const void *buf, size_t at_bytes, size_t nr_bytes)
{
	u64 value = 0;

	while (nr_bytes--)
		value = value << 8 | ((const u8 *)buf)[at_bytes + nr_bytes];
	return value;
}

/* Makes the checksum right again after a poke. */
static void seal(void *buf)
{
	poke(buf, AT_CHECKSUM, 0, 4);
	poke(buf, AT_CHECKSUM, model_crc32c(buf, CASCADE_SB_BYTES), 4);
}

static void random_name(char *name)
{
	static const char chars[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";
	size_t nr_chars = seed_below(CASCADE_NAME_MAX + 1);
	size_t i;

	for (i = 0; i < nr_chars; i++)
		name[i] = chars[seed_below(i ? sizeof(chars) - 1 : 62)];
}

static u64 random_counter(void)
{
	return seed_below(BIT_ULL(seed_below(62)) + 1);
}

static void random_lists(struct cascade_sb *sb)
{
	unsigned int nr_epochs = 1 + seed_below(CASCADE_EPOCHS_KEPT);
	unsigned int i;

	sb->epochs[0].counter = nr_epochs + random_counter() / 2;
	sb->epochs[0].id = seed_next() | 1;
	for (i = 1; i < nr_epochs; i++) {
		sb->epochs[i].counter = sb->epochs[0].counter - i;
		sb->epochs[i].id = seed_next() | 1;
		sb->epochs[i - 1].parent_id = sb->epochs[i].id;
	}
	if (nr_epochs == CASCADE_EPOCHS_KEPT)
		sb->epochs[nr_epochs - 1].parent_id = seed_next();
	for (i = 0; i < sb->nr_members; i++) {
		struct cascade_slot_info *info = &sb->slots[i];

		info->state = seed_below(4);
		if (info->state != CASCADE_SLOT_MISSING || seed_below(2))
			seed_fill(info->device_uuid, CASCADE_UUID_BYTES);
		if (info->state == CASCADE_SLOT_REBUILDING)
			info->rebuilt_sectors = seed_below(sb->data_sectors + 1);
		info->dropped_epoch = seed_below(sb->epochs[0].counter + 1);
	}
	for (i = 0; i < CASCADE_TUNABLES_MAX; i++) {
		if (!seed_below(2))
			continue;
		sb->tunables[i].id = (u32)seed_next() | 1;
		sb->tunables[i].value = seed_next();
	}
}

static void random_sb(struct cascade_sb *sb)
{
	static const enum cascade_level levels[] = {
		CASCADE_RAID0, CASCADE_RAID5, CASCADE_RAID6, CASCADE_RAID10,
	};

	memset(sb, 0, sizeof(*sb));
	sb->compat = seed_next();
	sb->ro_compat = seed_next();
	seed_fill(sb->array_uuid, CASCADE_UUID_BYTES);
	seed_fill(sb->device_uuid, CASCADE_UUID_BYTES);
	random_name(sb->name);
	sb->level = levels[seed_below(4)];
	sb->nr_members = 4 + seed_below(61);
	sb->slot = seed_below(sb->nr_members);
	sb->chunk_sectors = CASCADE_CHUNK_SECTORS_MIN << seed_below(13);
	sb->block_bytes = 512u << seed_below(4);
	sb->region_sectors = CASCADE_REGION_SECTORS_MIN << seed_below(3);
	sb->data_offset_sectors = (16 + seed_below(100)) * CASCADE_MIB_SECTORS;
	sb->data_sectors = sb->chunk_sectors * (1 + seed_below(BIT_ULL(33) / sb->chunk_sectors));
	sb->intent_offset_sectors = CASCADE_INTENT_OFFSET_SECTORS;
	sb->intent_sectors = CASCADE_INTENT_SECTORS;
	sb->events = random_counter();
	sb->flags = seed_below(8);
	sb->synced_sectors = seed_below(sb->data_sectors + 1);
	sb->cache_counter = random_counter();
	random_lists(sb);
}

static void random_superblocks_survive_the_round_trip(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int i;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < 3000; i++) {
		enum cascade_sb_fault fault;

		random_sb(&sb);
		memset(block, 0xa5, sizeof(block));
		memset(&back, 0xa5, sizeof(back));
		cascade_sb_encode(&sb, block);
		fault = cascade_sb_decode(&back, block);
		if (fault != CASCADE_SB_OK)
			fail_msg("superblock %u: %s", i, cascade_sb_fault_text(fault));
		assert_memory_equal(&sb, &back, sizeof(sb));
		cascade_sb_encode(&back, block2);
		assert_memory_equal(block, block2, sizeof(block));
	}
}

static void every_flipped_bit_is_refused(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int bit;

	(void)state;
	seed_begin(__func__);
	random_sb(&sb);
	cascade_sb_encode(&sb, block);
	for (bit = 0; bit < CASCADE_SB_BYTES * 8; bit++) {
		((u8 *)block)[bit / 8] ^= 1u << (bit % 8);
		if (cascade_sb_decode(&back, block) == CASCADE_SB_OK)
			fail_msg("bit %u of byte %u: accepted", bit % 8, bit / 8);
		((u8 *)block)[bit / 8] ^= 1u << (bit % 8);
	}
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_OK);
}

static void truncated_and_torn_blocks_are_refused(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int cut;

	(void)state;
	plain(&sb, CASCADE_RAID5, 64, 7);
	for (cut = 0; cut < CASCADE_SB_BYTES; cut += 64) {
		/* The rest never reached the disk: zeroes, or the older superblock. */
		sb.events = 7;
		cascade_sb_encode(&sb, block2);
		cascade_sb_encode(&sb, block);
		memset((u8 *)block + cut, 0, CASCADE_SB_BYTES - cut);
		if (cut < AT_SLOTS + 64 * SLOT_BYTES)
			assert_int_not_equal(cascade_sb_decode(&back, block), CASCADE_SB_OK);
		sb.events = 6;
		sb.slots[63].rebuilt_sectors ^= 1;
		cascade_sb_encode(&sb, block);
		memcpy((u8 *)block2 + cut, (u8 *)block + cut, CASCADE_SB_BYTES - cut);
		if (cut && cut <= AT_SLOTS + 63 * SLOT_BYTES)
			assert_int_equal(cascade_sb_decode(&back, block2), CASCADE_SB_CHECKSUM);
	}
}

static void blank_and_foreign_blocks_are_told_apart_from_damaged_ones(void **state)
{
	static struct cascade_sb sb, back;

	(void)state;
	memset(block, 0, sizeof(block));
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_BLANK);
	memset(block, 0xff, sizeof(block));
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_BLANK);
	plain(&sb, CASCADE_RAID5, 3, 0);
	cascade_sb_encode(&sb, block);
	poke(block, AT_EVENTS, 9, 8);
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_CHECKSUM);
}

static void checksum_is_crc32c_of_the_block_without_it(void **state)
{
	static struct cascade_sb sb;
	u64 stored;

	(void)state;
	assert_int_equal(model_crc32c((const u8 *)"123456789", 9), 0xe3069283u);
	plain(&sb, CASCADE_RAID6, 5, 4);
	cascade_sb_encode(&sb, block);
	stored = peek(block, AT_CHECKSUM, 4);
	seal(block);
	assert_int_equal(stored, peek(block, AT_CHECKSUM, 4));
}

/*
 * One field of a superblock that is right but for it: RAID-5 of 5 members, this is
 * slot 2, chunk 128, 2^20 sectors of data from sector 32768. The epochs are 9, 8
 * and 7; slot 3 is being rebuilt, slot 4 is failed since epoch 9.
 */
struct change {
	const char *what;
	unsigned int at_bytes;
	unsigned int nr_bytes;
	u64 value;
	enum cascade_sb_fault fault;
};

#define SLOT_AT(slot) (AT_SLOTS + (slot) * SLOT_BYTES)
#define EPOCH_AT(epoch) (AT_EPOCHS + (epoch) * EPOCH_BYTES)
#define RANGE CASCADE_SB_RANGE
#define OK CASCADE_SB_OK

static const struct change changes[] = {
	{ "nothing", AT_RESERVED, 1, 0, OK },
	{ "reserved byte", AT_RESERVED, 1, 1, OK },
	{ "last byte", 4095, 1, 255, OK },
	{ "version 0", AT_VERSION, 4, 0, CASCADE_SB_VERSION_UNKNOWN },
	{ "version 2", AT_VERSION, 4, 2, CASCADE_SB_VERSION_UNKNOWN },
	{ "magic", AT_MAGIC, 1, 'c', CASCADE_SB_BLANK },
	{ "compat feature", AT_COMPAT, 8, ~0ULL, OK },
	{ "ro-compat feature", AT_RO_COMPAT, 8, ~0ULL, OK },
	{ "lowest incompat feature", AT_INCOMPAT, 8, 1, CASCADE_SB_FEATURE_UNKNOWN },
	{ "highest incompat feature", AT_INCOMPAT, 8, 1ULL << 63, CASCADE_SB_FEATURE_UNKNOWN },
	{ "no name", AT_NAME, 4, 0, OK },
	{ "name begins with -", AT_NAME, 1, '-', RANGE },
	{ "name with /", AT_NAME + 1, 1, '/', RANGE },
	{ "name with a byte above 127", AT_NAME + 1, 1, 0xe4, RANGE },
	{ "byte behind the name's end", AT_NAME + 5, 1, 'x', RANGE },
	{ "last byte of the name", AT_NAME + 63, 1, 'x', RANGE },
	{ "level 1", AT_LEVEL, 4, 1, RANGE },
	{ "level 4", AT_LEVEL, 4, 4, RANGE },
	{ "level 2^32 - 1", AT_LEVEL, 4, 0xffffffff, RANGE },
	{ "level 261", AT_LEVEL, 4, 261, RANGE },
	{ "0 members", AT_NR_MEMBERS, 4, 0, RANGE },
	{ "2 members", AT_NR_MEMBERS, 4, 2, RANGE },
	{ "slots beyond the members", AT_NR_MEMBERS, 4, 4, RANGE },
	{ "64 members", AT_NR_MEMBERS, 4, 64, OK },
	{ "65 members", AT_NR_MEMBERS, 4, 65, RANGE },
	{ "261 members", AT_NR_MEMBERS, 4, 261, RANGE },
	{ "2^32 - 1 members", AT_NR_MEMBERS, 4, 0xffffffff, RANGE },
	{ "slot 4", AT_SLOT, 4, 4, OK },
	{ "slot 5 of 5", AT_SLOT, 4, 5, RANGE },
	{ "slot 2^32 - 1", AT_SLOT, 4, 0xffffffff, RANGE },
	{ "chunk 0", AT_CHUNK, 4, 0, RANGE },
	{ "chunk 4", AT_CHUNK, 4, 4, RANGE },
	{ "chunk 8", AT_CHUNK, 4, 8, OK },
	{ "chunk 96", AT_CHUNK, 4, 96, RANGE },
	{ "chunk 32768", AT_CHUNK, 4, 32768, OK },
	{ "chunk 65536", AT_CHUNK, 4, 65536, RANGE },
	{ "chunk 2^31", AT_CHUNK, 4, 1u << 31, RANGE },
	{ "block 0", AT_BLOCK, 4, 0, RANGE },
	{ "block 256", AT_BLOCK, 4, 256, RANGE },
	{ "block 520", AT_BLOCK, 4, 520, RANGE },
	{ "block 4096", AT_BLOCK, 4, 4096, OK },
	{ "block 8192", AT_BLOCK, 4, 8192, RANGE },
	{ "block 2^31", AT_BLOCK, 4, 1u << 31, RANGE },
	{ "region 0", AT_REGION, 4, 0, RANGE },
	{ "region 1024", AT_REGION, 4, 1024, RANGE },
	{ "region 3072", AT_REGION, 4, 3072, RANGE },
	{ "region 8192", AT_REGION, 4, 8192, OK },
	{ "region 16384", AT_REGION, 4, 16384, RANGE },
	{ "data offset 0", AT_DATA_OFFSET, 8, 0, RANGE },
	{ "data offset 15 MiB", AT_DATA_OFFSET, 8, 15 * 2048, RANGE },
	{ "data offset not whole MiB", AT_DATA_OFFSET, 8, 32768 + 8, RANGE },
	{ "data offset 17 MiB", AT_DATA_OFFSET, 8, 17 * 2048, OK },
	{ "data offset 2^54 - 2^20", AT_DATA_OFFSET, 8, (1ULL << 54) - (1 << 20), OK },
	{ "data ends behind 2^54", AT_DATA_OFFSET, 8, (1ULL << 54) - (1 << 20) + 2048, RANGE },
	{ "data offset 2^63", AT_DATA_OFFSET, 8, 1ULL << 63, RANGE },
	{ "data offset overflows", AT_DATA_OFFSET, 8, ~0ULL - 2047, RANGE },
	{ "no data", AT_DATA_SECTORS, 8, 0, RANGE },
	{ "data not whole chunks", AT_DATA_SECTORS, 8, (1 << 20) + 8, RANGE },
	{ "data below the synced mark", AT_DATA_SECTORS, 8, (1 << 20) - 128, RANGE },
	{ "data whose map fills the room", AT_DATA_SECTORS, 8, 1664ULL * 8064 * 2048, OK },
	{ "data whose map is one block more", AT_DATA_SECTORS, 8, 1664ULL * 8064 * 2048 + 128,
	  RANGE },
	{ "data 2^54", AT_DATA_SECTORS, 8, 1ULL << 54, RANGE },
	{ "data 2^63", AT_DATA_SECTORS, 8, 1ULL << 63, RANGE },
	{ "data overflows", AT_DATA_SECTORS, 8, ~0ULL - 127, RANGE },
	{ "region map at 0", AT_INTENT_OFFSET, 8, 0, RANGE },
	{ "region map over the first copy", AT_INTENT_OFFSET, 8, 2048, RANGE },
	{ "region map in the first copy's end", AT_INTENT_OFFSET, 8, 2048 + 4, RANGE },
	{ "region map not on a block", AT_INTENT_OFFSET, 8, 4100, RANGE },
	{ "region map reaches the second copy", AT_INTENT_OFFSET, 8, 4096 + 8, RANGE },
	{ "region map over the second copy", AT_INTENT_OFFSET, 8, 15 * 2048, RANGE },
	{ "region map reaches the data", AT_INTENT_OFFSET, 8, 15 * 2048 + 8, RANGE },
	{ "region map behind the data's begin", AT_INTENT_OFFSET, 8, 40960, RANGE },
	{ "region map offset 2^63", AT_INTENT_OFFSET, 8, 1ULL << 63, RANGE },
	{ "region map offset overflows", AT_INTENT_OFFSET, 8, ~0ULL - 7, RANGE },
	{ "no room for the region map", AT_INTENT_SECTORS, 8, 0, RANGE },
	{ "room for one copy", AT_INTENT_SECTORS, 8, 8, RANGE },
	{ "room for two copies", AT_INTENT_SECTORS, 8, 16, OK },
	{ "room up to the second copy", AT_INTENT_SECTORS, 8, 26624, OK },
	{ "room into the second copy", AT_INTENT_SECTORS, 8, 26625, RANGE },
	{ "room over the second copy", AT_INTENT_SECTORS, 8, 28672, RANGE },
	{ "room into the data", AT_INTENT_SECTORS, 8, 28673, RANGE },
	{ "room overflows", AT_INTENT_SECTORS, 8, ~0ULL, RANGE },
	{ "events 2^62", AT_EVENTS, 8, 1ULL << 62, OK },
	{ "events 2^64 - 1", AT_EVENTS, 8, ~0ULL, RANGE },
	{ "flags", AT_FLAGS, 8, 7, OK },
	{ "unknown flag", AT_FLAGS, 8, 8, RANGE },
	{ "highest flag", AT_FLAGS, 8, 1ULL << 63, RANGE },
	{ "all synced", AT_SYNCED, 8, 1 << 20, OK },
	{ "more than all synced", AT_SYNCED, 8, (1 << 20) + 1, RANGE },
	{ "cache counter 2^64 - 1", AT_CACHE_COUNTER, 8, ~0ULL, RANGE },
	{ "no current epoch id", EPOCH_AT(0) + 8, 8, 0, RANGE },
	{ "epoch counter 2^64 - 1", EPOCH_AT(0), 8, ~0ULL, RANGE },
	{ "epoch that skips a counter", EPOCH_AT(0), 8, 10, RANGE },
	{ "epoch that does not rise", EPOCH_AT(1), 8, 9, RANGE },
	{ "epoch that falls", EPOCH_AT(1), 8, 10, RANGE },
	{ "epoch of another parent", EPOCH_AT(0) + 16, 8, 5, RANGE },
	{ "epoch without a parent", EPOCH_AT(0) + 16, 8, 0, RANGE },
	{ "epoch that no one has as parent", EPOCH_AT(1) + 8, 8, 5, RANGE },
	{ "gap in the epochs", EPOCH_AT(1) + 8, 8, 0, RANGE },
	{ "last epoch with a parent", EPOCH_AT(2) + 16, 8, 5, OK },
	{ "counter behind the last epoch", EPOCH_AT(3), 8, 6, RANGE },
	{ "parent behind the last epoch", EPOCH_AT(3) + 16, 8, 6, RANGE },
	{ "epoch behind the last one", EPOCH_AT(4) + 8, 8, 6, RANGE },
	{ "byte behind the last epoch", EPOCH_AT(7) + 23, 1, 1, RANGE },
	{ "slot state 4", SLOT_AT(1) + 16, 1, 4, RANGE },
	{ "slot state 255", SLOT_AT(1) + 16, 1, 255, RANGE },
	{ "slot state with a byte behind it", SLOT_AT(1) + 17, 1, 1, RANGE },
	{ "slot state with the last byte behind it", SLOT_AT(1) + 23, 1, 1, RANGE },
	{ "slot missing but named", SLOT_AT(1) + 16, 1, 0, OK },
	{ "slot of a future epoch", SLOT_AT(4) + 24, 8, 10, RANGE },
	{ "slot of the epoch 2^64 - 1", SLOT_AT(4) + 24, 8, ~0ULL, RANGE },
	{ "slot rebuilt to the end", SLOT_AT(3) + 32, 8, 1 << 20, OK },
	{ "slot rebuilt beyond the end", SLOT_AT(3) + 32, 8, (1 << 20) + 1, RANGE },
	{ "device in an unused slot", SLOT_AT(5), 1, 1, RANGE },
	{ "state of an unused slot", SLOT_AT(63) + 16, 1, 1, RANGE },
	{ "epoch of an unused slot", SLOT_AT(63) + 24, 8, 1, RANGE },
	{ "checkpoint of an unused slot", SLOT_AT(5) + 32, 8, 1, RANGE },
	{ "tunable", AT_TUNABLES, 4, 1, OK },
	{ "tunable without id", AT_TUNABLES + 8, 8, 1, RANGE },
	{ "tunable with a byte between", AT_TUNABLES + 4, 1, 1, RANGE },
};

static void five_members(struct cascade_sb *sb)
{
	plain(sb, CASCADE_RAID5, 5, 2);
	sb->synced_sectors = 1 << 20;
	sb->epochs[0] = (struct cascade_epoch){ 9, 0x999, 0x888 };
	sb->epochs[1] = (struct cascade_epoch){ 8, 0x888, 0x777 };
	sb->epochs[2] = (struct cascade_epoch){ 7, 0x777, 0 };
	sb->slots[3].state = CASCADE_SLOT_REBUILDING;
	sb->slots[3].rebuilt_sectors = 4096;
	sb->slots[4].state = CASCADE_SLOT_FAILED;
	sb->slots[4].dropped_epoch = 9;
}

static void fields_are_checked_against_their_bounds(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct change *c = &changes[i];
		enum cascade_sb_fault fault;

		five_members(&sb);
		cascade_sb_encode(&sb, block);
		poke(block, c->at_bytes, c->value, c->nr_bytes);
		seal(block);
		fault = cascade_sb_decode(&back, block);
		if (fault != c->fault)
			fail_msg("%s: \"%s\", expected \"%s\"", c->what,
				 cascade_sb_fault_text(fault), cascade_sb_fault_text(c->fault));
	}
}

/* Identities are 16 bytes, too long for the table. */
static void zero_uuids_are_refused(void **state)
{
	static const unsigned int places[] = { AT_ARRAY_UUID, AT_DEVICE_UUID, SLOT_AT(0),
					       SLOT_AT(3), SLOT_AT(4) };
	static struct cascade_sb sb, back;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		five_members(&sb);
		cascade_sb_encode(&sb, block);
		memset((u8 *)block + places[i], 0, CASCADE_UUID_BYTES);
		seal(block);
		if (cascade_sb_decode(&back, block) != RANGE)
			fail_msg("zero uuid at byte %u: accepted", places[i]);
	}
}

/* Blocks of noise with a right head get through the checksum, and no further. */
static void noise_is_refused_without_harm(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int i, j;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < 5000; i++) {
		random_sb(&sb);
		cascade_sb_encode(&sb, block);
		for (j = 0; j <= seed_below(6); j++)
			poke(block, 16 + seed_below(AT_RESERVED - 16), seed_next(),
			     1 + seed_below(8));
		seal(block);
		if (cascade_sb_decode(&back, block) != CASCADE_SB_OK)
			continue;
		cascade_sb_encode(&back, block2);
		assert_memory_equal(block, block2, AT_RESERVED);
	}
}

static void faults_have_a_text_each(void **state)
{
	unsigned int a, b;

	(void)state;
	for (a = CASCADE_SB_OK; a <= CASCADE_SB_RANGE + 1; a++)
		for (b = CASCADE_SB_OK; b < a; b++)
			assert_string_not_equal(cascade_sb_fault_text(a), cascade_sb_fault_text(b));
	assert_string_equal(cascade_sb_fault_text(CASCADE_SB_CHECKSUM), "checksum is wrong");
}

/* The array whose superblock lies in data/superblock-v1.img. */
static void golden(struct cascade_sb *sb)
{
	five_members(sb);
	sb->compat = 0;
	strcpy(sb->name, "Golden+image-1._x");
	sb->slot = 1;
	uuid_of(sb->device_uuid, 101);
	sb->chunk_sectors = 256;
	sb->block_bytes = 4096;
	sb->region_sectors = 4096;
	sb->data_offset_sectors = 18 * CASCADE_MIB_SECTORS;
	sb->data_sectors = 0x12345600;
	sb->intent_sectors = 20480;
	sb->events = 0x1122334455667788;
	sb->flags = CASCADE_SB_CLEAN | CASCADE_SB_FROZEN;
	sb->synced_sectors = 0x10000000;
	sb->cache_counter = 77;
	sb->slots[3].rebuilt_sectors = 0x9abcd00;
	sb->tunables[0].id = 5;
	sb->tunables[0].value = 0x0102030405060708;
	sb->tunables[23].id = 0xfffffffe;
}

static void image_of_version_1_is_read(void **state)
{
	static struct cascade_sb sb, back;

	(void)state;
	image_read("superblock-v1.img", block, sizeof(block));
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_OK);
	golden(&sb);
	assert_memory_equal(&sb, &back, sizeof(sb));
	cascade_sb_encode(&sb, block2);
	assert_memory_equal(block, block2, sizeof(block));
}

static void slack_is_a_thousandth_within_limits(void **state)
{
	static const struct {
		u64 device_sectors, slack_mib;
	} sizes[] = {
		{ 0, 1 }, { 1, 1 }, { 2048, 1 }, { 2047999, 1 }, { 2048ULL * 1999, 1 },
		{ 2048ULL * 2000 - 1, 1 }, { 2048ULL * 2000, 2 }, { 2048ULL * 100000, 100 },
		{ 2048ULL * 255999, 255 }, { 2048ULL * 256000, 256 }, { 2048ULL * 1000000, 256 },
		{ ~0ULL, 256 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (cascade_sb_slack_sectors(sizes[i].device_sectors) != sizes[i].slack_mib * 2048)
			fail_msg("device of %llu sectors: slack %llu sectors",
				 (unsigned long long)sizes[i].device_sectors,
				 (unsigned long long)
				 cascade_sb_slack_sectors(sizes[i].device_sectors));
}

static void room_is_what_reserved_area_and_slack_leave(void **state)
{
	static const struct {
		u64 device_sectors, offset_sectors;
		u32 chunk_sectors;
		u64 room_sectors;
	} rooms[] = {
		{ 0, 32768, 128, 0 },
		{ 2048, 32768, 128, 0 },
		{ 32768, 32768, 128, 0 },
		{ 32768 + 2048, 32768, 128, 0 },
		{ 32768 + 2048 + 127, 32768, 128, 0 },
		{ 32768 + 2048 + 128, 32768, 128, 128 },
		{ 32768 + 2048 + 255, 32768, 128, 128 },
		{ 2048 * 64, 32768, 32768, 65536 },
		{ 2048ULL * 1000000, 32768, 128, 2048ULL * (1000000 - 256 - 16) },
		{ 1000, ~0ULL, 8, 0 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		u64 room = cascade_sb_room_sectors(rooms[i].device_sectors, rooms[i].offset_sectors,
						   rooms[i].chunk_sectors);

		if (room != rooms[i].room_sectors)
			fail_msg("row %u: room of %llu sectors, expected %llu", i,
				 (unsigned long long)room,
				 (unsigned long long)rooms[i].room_sectors);
	}
}

/* Each size up to what the room holds gets the smallest region that fits. */
static void region_is_the_smallest_whose_map_fits_twice(void **state)
{
	const u64 regions_max = CASCADE_INTENT_SECTORS / 8 / 2 * (u64)((4096 - 64) * 2);
	u32 region;

	(void)state;
	assert_int_equal(cascade_sb_region_sectors(1), 2048);
	for (region = 2048; region <= 8192; region *= 2) {
		u64 most = regions_max * region;

		assert_int_equal(cascade_sb_region_sectors(most), region);
		assert_int_equal(cascade_sb_region_sectors(most + 1),
				 region == 8192 ? 0 : region * 2);
	}
	assert_int_equal(cascade_sb_region_sectors(~0ULL), 0);
	/* The largest disks that are sold have a place. */
	assert_int_not_equal(cascade_sb_region_sectors(36000000000000ULL / 512), 0);
}

static void copies_lie_clear_of_the_ends_and_of_each_other(void **state)
{
	(void)state;
	assert_int_equal(cascade_sb_copy_sector(0), 2048);
	assert_int_equal(cascade_sb_copy_sector(1), 15 * 2048);
	assert_true(cascade_sb_copy_sector(0) + CASCADE_SB_SECTORS <=
		    CASCADE_INTENT_OFFSET_SECTORS);
	assert_true(CASCADE_INTENT_OFFSET_SECTORS + CASCADE_INTENT_SECTORS <=
		    cascade_sb_copy_sector(1));
	assert_true(cascade_sb_copy_sector(1) + CASCADE_SB_SECTORS <= CASCADE_DATA_OFFSET_SECTORS);
}

/* Changes a field by its number; its name is returned, NULL beyond the last. */
static const char *change_field(struct cascade_sb *sb, unsigned int number)
{
	switch (number) {
	case 0:
		sb->array_uuid[15] ^= 1;
		return "uuid";
	case 1:
		sb->level = CASCADE_RAID6;
		return "level";
	case 2:
		sb->nr_members = 6;
		return "members";
	case 3:
		sb->chunk_sectors = 256;
		return "chunk";
	case 4:
		sb->block_bytes = 4096;
		return "block size";
	case 5:
		sb->region_sectors = 4096;
		return "region size";
	case 6:
		sb->data_sectors -= 128;
		return "data area";
	default:
		return NULL;
	}
}

static void shapes_differ_by_what_is_fixed_at_create(void **state)
{
	static struct cascade_sb a, b;
	const char *name;
	unsigned int i;

	(void)state;
	for (i = 0; i < 7; i++) {
		five_members(&a);
		b = a;
		name = change_field(&b, i);
		assert_string_equal(cascade_sb_same_shape(&a, &b), name);
		assert_string_equal(cascade_sb_same_shape(&b, &a), name);
	}
}

static void shapes_are_alike_whatever_lives(void **state)
{
	static struct cascade_sb a, b;

	(void)state;
	five_members(&a);
	b = a;
	b.slot = 0;
	b.device_uuid[0] ^= 1;
	b.name[0] = 'x';
	b.data_offset_sectors += 2048;
	b.intent_offset_sectors += 8;
	b.intent_sectors -= 8;
	b.events++;
	b.flags ^= 1;
	b.synced_sectors--;
	b.cache_counter++;
	b.epochs[0].id ^= 1;
	b.slots[0].state = CASCADE_SLOT_FAILED;
	b.tunables[0].id = 1;
	assert_null(cascade_sb_same_shape(&a, &b));
}

static void counters_have_room_until_half_of_their_range(void **state)
{
	struct cascade_sb sb = { .events = 1, .epochs = { { .counter = 1, .id = 1 } } };
	u64 *const counters[] = { &sb.events, &sb.epochs[0].counter, &sb.cache_counter };
	size_t i;

	(void)state;
	assert_true(cascade_sb_has_room(&sb));
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		*counters[i] = BIT_ULL(61) - 1;
		assert_true(cascade_sb_has_room(&sb));
		*counters[i] = BIT_ULL(61);
		assert_false(cascade_sb_has_room(&sb));
		*counters[i] = 1;
	}
}

static void uuids_are_written_and_read(void **state)
{
	static const char *const wrong[] = {
		"", "-",
		"00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
		"00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeefg",
		"00112233-4455-6677-8899-aabbccddeeff ", " 00112233-4455-6677-8899-aabbccddeeff",
		"0011223-34455-6677-8899-aabbccddeeff", "00112233_4455_6677_8899_aabbccddeeff",
		"00112233-4455-6677-8899", "{0112233-4455-6677-8899-aabbccddeeff}",
		"00112233--4455-6677-8899-aabbccddeef", "-0112233-4455-6677-8899-aabbccddeeff",
	};
	static const u8 bytes[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	char text[CASCADE_UUID_TEXT_BYTES];
	u8 uuid[CASCADE_UUID_BYTES], kept[CASCADE_UUID_BYTES];
	unsigned int i;

	(void)state;
	cascade_uuid_format(bytes, text);
	assert_string_equal(text, "00112233-4455-6677-8899-aabbccddeeff");
	assert_int_equal(cascade_uuid_parse(text, uuid), 0);
	assert_memory_equal(uuid, bytes, sizeof(uuid));
	assert_int_equal(cascade_uuid_parse("00112233-4455-6677-8899-AABBCCDDEEFF", uuid), 0);
	assert_memory_equal(uuid, bytes, sizeof(uuid));
	memcpy(kept, uuid, sizeof(kept));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (cascade_uuid_parse(wrong[i], uuid) != -EINVAL)
			fail_msg("\"%s\": accepted", wrong[i]);
		assert_memory_equal(uuid, kept, sizeof(kept));
	}
	seed_begin(__func__);
	for (i = 0; i < 1000; i++) {
		seed_fill(kept, sizeof(kept));
		cascade_uuid_format(kept, text);
		assert_int_equal(strlen(text), CASCADE_UUID_TEXT_BYTES - 1);
		assert_int_equal(cascade_uuid_parse(text, uuid), 0);
		assert_memory_equal(uuid, kept, sizeof(kept));
	}
}

static void names_are_those_of_devices_and_files(void **state)
{
	static const char *const right[] = {
		"a", "Z", "0", "data", "my-array", "a+b", "a.b_c", "0-9", "x..", "a-",
		"123456789012345678901234567890123456789012345678901234567890123",
	};
	static const char *const wrong[] = {
		"", "-", "-a", ".", "..", ".a", "_a", "+a", "a b", " a", "a/b", "/", "a\n", "a\\b",
		"a:b", "a*", "\xc3\xa4", "a\xc3\xa4", "a\x7f", "a\x01",
		"1234567890123456789012345678901234567890123456789012345678901234",
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(right); i++)
		if (!cascade_name_check(right[i]))
			fail_msg("\"%s\": refused", right[i]);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (cascade_name_check(wrong[i]))
			fail_msg("\"%s\": accepted", wrong[i]);
}

static int write_image(const char *path)
{
	static struct cascade_sb sb;

	golden(&sb);
	cascade_sb_encode(&sb, block);
	return image_write(path, block, sizeof(block));
}

/* "--write-image FILE" was how the image in data/ came to be; it is never made anew. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum_is_crc32c_of_the_block_without_it),
		cmocka_unit_test(random_superblocks_survive_the_round_trip),
		cmocka_unit_test(every_flipped_bit_is_refused),
		cmocka_unit_test(truncated_and_torn_blocks_are_refused),
		cmocka_unit_test(blank_and_foreign_blocks_are_told_apart_from_damaged_ones),
		cmocka_unit_test(fields_are_checked_against_their_bounds),
		cmocka_unit_test(zero_uuids_are_refused),
		cmocka_unit_test(noise_is_refused_without_harm),
		cmocka_unit_test(faults_have_a_text_each),
		cmocka_unit_test(image_of_version_1_is_read),
		cmocka_unit_test(slack_is_a_thousandth_within_limits),
		cmocka_unit_test(room_is_what_reserved_area_and_slack_leave),
		cmocka_unit_test(region_is_the_smallest_whose_map_fits_twice),
		cmocka_unit_test(copies_lie_clear_of_the_ends_and_of_each_other),
		cmocka_unit_test(shapes_differ_by_what_is_fixed_at_create),
		cmocka_unit_test(shapes_are_alike_whatever_lives),
		cmocka_unit_test(counters_have_room_until_half_of_their_range),
		cmocka_unit_test(uuids_are_written_and_read),
		cmocka_unit_test(names_are_those_of_devices_and_files),
	};

	if (argc == 3 && !strcmp(argv[1], "--write-image"))
		return write_image(argv[2]);
	return cmocka_run_group_tests_name("sb", tests, NULL, NULL);
}
