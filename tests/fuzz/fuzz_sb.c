// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblocks of any bytes. The first byte of an input says what the rest is:
 *
 *	even	one block as it lies on a device
 *	odd	changes to the superblocks of an array of 8 members: of 4 bytes each,
 *		slot, offset (2 bytes), byte
 *
 * Bit 1 of it makes checksums right, so that the fields behind them are reached.
 * What is accepted is written again to the same bytes; any set of accepted ones
 * is chosen from; and an epoch that begins in one leaves one that is accepted.
 */
#include "core/sb.h"

#define NR_MEMBERS 8u
#define RESERVED_AT 3360u
#define MODE_CHANGES 1u
#define MODE_SEAL 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes);

static _Alignas(8) uint8_t array[NR_MEMBERS][CASCADE_SB_BYTES];
static _Alignas(8) uint8_t bufs[NR_MEMBERS][CASCADE_SB_BYTES];
static _Alignas(8) uint8_t again[CASCADE_SB_BYTES];
static struct cascade_sb sbs[NR_MEMBERS], spare;

static void seal(uint8_t *buf)
{
	__le32 checksum;

	memset(buf, 0, sizeof(checksum));
	checksum = cpu_to_le32(~crc32c(~0U, buf, CASCADE_SB_BYTES));
	memcpy(buf, &checksum, sizeof(checksum));
}

/* An array in the middle of its life: one member failed, one being rebuilt. */
static void write_array(void)
{
	unsigned int i;
	slot_t s;

	memset(&spare, 0, sizeof(spare));
	memset(spare.array_uuid, 7, CASCADE_UUID_BYTES);
	strcpy(spare.name, "fuzz");
	spare.level = CASCADE_RAID6;
	spare.nr_members = NR_MEMBERS;
	spare.chunk_sectors = 128;
	spare.block_bytes = 512;
	spare.region_sectors = 2048;
	spare.data_offset_sectors = CASCADE_DATA_OFFSET_SECTORS;
	spare.data_sectors = 1 << 20;
	spare.intent_offset_sectors = CASCADE_INTENT_OFFSET_SECTORS;
	spare.intent_sectors = CASCADE_INTENT_SECTORS;
	spare.events = 5;
	for (i = 0; i < 3; i++) {
		spare.epochs[i].counter = 3 - i;
		spare.epochs[i].id = 3 - i;
		spare.epochs[i].parent_id = 2 - i;
	}
	for (s = 0; s < NR_MEMBERS; s++) {
		spare.slots[s].state = CASCADE_SLOT_IN_SYNC;
		memset(spare.slots[s].device_uuid, (int)(16 + s), CASCADE_UUID_BYTES);
	}
	spare.slots[6].state = CASCADE_SLOT_REBUILDING;
	spare.slots[6].dropped_epoch = 2;
	spare.slots[7].state = CASCADE_SLOT_FAILED;
	spare.slots[7].dropped_epoch = 3;
	for (s = 0; s < NR_MEMBERS; s++) {
		spare.slot = s;
		memcpy(spare.device_uuid, spare.slots[s].device_uuid, CASCADE_UUID_BYTES);
		cascade_sb_encode(&spare, array[s]);
	}
}

static void check_accepted(const uint8_t *buf, const struct cascade_sb *sb)
{
	if (!memchr(sb->name, '\0', sizeof(sb->name)))
		abort();
	if (sb->slot >= sb->nr_members || sb->nr_members > CASCADE_MEMBERS_MAX ||
	    sb->data_offset_sectors + sb->data_sectors < sb->data_sectors)
		abort();
	cascade_sb_encode(sb, again);
	/* The checksum differs only if something reserved was not zero. */
	if (memcmp(buf + 4, again + 4, RESERVED_AT - 4))
		abort();
	if (cascade_sb_decode(&spare, again) != CASCADE_SB_OK || memcmp(sb, &spare, sizeof(*sb)))
		abort();
}

static void check_epoch(const struct cascade_sb *sb, uint64_t dropped_mask)
{
	uint64_t counter = sb->epochs[0].counter;

	/* Counters end where none ever gets by rising. */
	if (counter >= BIT_ULL(61))
		return;
	spare = *sb;
	cascade_sb_begin_epoch(&spare, 0x123, dropped_mask);
	if (spare.epochs[0].counter != counter + 1 || spare.epochs[0].parent_id != sb->epochs[0].id)
		abort();
	cascade_sb_encode(&spare, again);
	if (cascade_sb_decode(&spare, again) != CASCADE_SB_OK)
		abort();
}

static void check_choice(const struct cascade_sb *const *given)
{
	enum cascade_verdict verdicts[NR_MEMBERS];
	unsigned int nr_given = 0, nr_diverged = 0;
	slot_t chosen = ~0u, s;
	int r = cascade_sb_choose(given, NR_MEMBERS, verdicts, &chosen);

	for (s = 0; s < NR_MEMBERS; s++) {
		bool absent = verdicts[s] == CASCADE_DEVICE_ABSENT;

		if (absent != !given[s])
			abort();
		nr_given += !!given[s];
		nr_diverged += verdicts[s] == CASCADE_DEVICE_DIVERGED;
	}
	if ((r == -ENOENT) != !nr_given || (r == -EEXIST) != !!nr_diverged)
		abort();
	if (r == -ENOENT)
		return;
	if (chosen >= NR_MEMBERS || !given[chosen] || verdicts[chosen] == CASCADE_DEVICE_FOREIGN)
		abort();
	for (s = 0; s < NR_MEMBERS; s++) {
		if (verdicts[s] != CASCADE_DEVICE_CURRENT)
			continue;
		if (r || cascade_sb_same_shape(given[s], given[chosen]) || given[s]->slot != s ||
		    given[chosen]->slots[s].state != CASCADE_SLOT_IN_SYNC ||
		    given[s]->epochs[0].counter > given[chosen]->epochs[0].counter)
			abort();
	}
}

static void change(const uint8_t *data, size_t nr_bytes)
{
	for (; nr_bytes >= 4; data += 4, nr_bytes -= 4) {
		unsigned int at_bytes = data[1] | data[2] << 8;

		bufs[data[0] % NR_MEMBERS][at_bytes % CASCADE_SB_BYTES] = data[3];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes)
{
	const struct cascade_sb *given[NR_MEMBERS];
	static bool is_written;
	slot_t s;

	if (!nr_bytes)
		return 0;
	if (!is_written) {
		write_array();
		is_written = true;
	}
	memcpy(bufs, array, sizeof(bufs));
	if (data[0] & MODE_CHANGES) {
		change(data + 1, nr_bytes - 1);
	} else {
		memset(bufs, 0, sizeof(bufs));
		memcpy(bufs[0], data + 1,
		       nr_bytes - 1 < CASCADE_SB_BYTES ? nr_bytes - 1 : CASCADE_SB_BYTES);
	}
	for (s = 0; s < NR_MEMBERS; s++) {
		if (data[0] & MODE_SEAL)
			seal(bufs[s]);
		given[s] = NULL;
		if (cascade_sb_decode(&sbs[s], bufs[s]) != CASCADE_SB_OK)
			continue;
		check_accepted(bufs[s], &sbs[s]);
		check_epoch(&sbs[s], (uint64_t)data[0] << 56 | data[0]);
		given[s] = &sbs[s];
	}
	check_choice(given);
	return 0;
}
