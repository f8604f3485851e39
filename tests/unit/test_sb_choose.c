// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is believed of several superblocks. A table of lives, written as little
 * scripts, says what must come out of each; and a random life with crashes in the
 * middle of rounds, starts with only some devices and several failures at once
 * looks for two devices that are both called current though one missed a write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "array.h"
#include "core/geo.h"
#include "core/sb.h"
#include "seed.h"

static u64 block[CASCADE_SB_BYTES / 8];

static void begun_epochs_remember_their_line(void **state)
{
	static struct cascade_sb sb, back;
	unsigned int i, j;

	(void)state;
	plain(&sb, CASCADE_RAID6, 6, 0);
	for (i = 2; i < 40; i++) {
		cascade_sb_begin_epoch(&sb, 0x1000 + i, 0);
		assert_int_equal(sb.epochs[0].counter, i);
		for (j = 0; j < CASCADE_EPOCHS_KEPT && j + 1 < i; j++) {
			assert_int_equal(sb.epochs[j].counter, i - j);
			assert_int_equal(sb.epochs[j].id, 0x1000 + i - j);
			assert_int_equal(sb.epochs[j].parent_id,
					 i - j == 2 ? 0x1111 : 0x1000 + i - j - 1);
		}
		cascade_sb_encode(&sb, block);
		assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_OK);
	}
}

static void dropped_slots_say_since_when(void **state)
{
	static struct cascade_sb sb, back;

	(void)state;
	plain(&sb, CASCADE_RAID5, 5, 2);
	sb.epochs[0] = (struct cascade_epoch){ 9, 0x999, 0x888 };
	sb.slots[3].state = CASCADE_SLOT_REBUILDING;
	sb.slots[3].rebuilt_sectors = 4096;
	sb.slots[4].state = CASCADE_SLOT_FAILED;
	sb.slots[4].dropped_epoch = 9;
	memset(sb.slots[1].device_uuid, 0, CASCADE_UUID_BYTES);
	sb.slots[1].state = CASCADE_SLOT_MISSING;
	cascade_sb_begin_epoch(&sb, 0xaaa, BIT_ULL(0) | BIT_ULL(1) | BIT_ULL(3) | BIT_ULL(4) |
			       BIT_ULL(63));
	assert_int_equal(sb.slots[0].state, CASCADE_SLOT_FAILED);
	assert_int_equal(sb.slots[0].dropped_epoch, 10);
	assert_int_equal(sb.slots[1].state, CASCADE_SLOT_MISSING);
	assert_int_equal(sb.slots[1].dropped_epoch, 10);
	assert_int_equal(sb.slots[2].state, CASCADE_SLOT_IN_SYNC);
	assert_int_equal(sb.slots[2].dropped_epoch, 0);
	assert_int_equal(sb.slots[3].state, CASCADE_SLOT_FAILED);
	assert_int_equal(sb.slots[3].dropped_epoch, 10);
	assert_int_equal(sb.slots[3].rebuilt_sectors, 0);
	/* It had left before, and misses more than what came since. */
	assert_int_equal(sb.slots[4].state, CASCADE_SLOT_FAILED);
	assert_int_equal(sb.slots[4].dropped_epoch, 9);
	cascade_sb_encode(&sb, block);
	assert_int_equal(cascade_sb_decode(&back, block), CASCADE_SB_OK);
}

/*
 * Lives of an array, as scripts. There is one running state and what lies on each
 * device; at first all devices hold the state of a fresh RAID-10. Steps:
 *
 *	d12	an epoch begins in which slots 1 and 2 are dropped
 *	w012	a round of superblock writes; it reaches these devices alone
 *	r1 s1	slot 1 is being rebuilt; is in sync
 *	n1	slot 1 is given a new device (nothing is written to it yet)
 *	@1	the array is started from device 1's superblock
 *	-1	device 1 is not given to the start that is judged
 *	x12	devices 1 and 2 change places
 *	c12	device 2 becomes a copy of device 1, in the place of slot 2
 *	f1	device 1 is that of another array
 *	g1	device 1 has another chunk size
 *	z1	an image of device 1 is kept; y1 puts it back
 *
 * Expected: a letter a device, (C)urrent, (R)ebuilding, (S)tale, (F)oreign, clone
 * (X), (D)iverged, absent (-); what is returned; who speaks for the array.
 */
static const struct life {
	const char *what;
	unsigned int nr_members;
	const char *script;
	const char *verdicts;
	int r;
	slot_t chosen;
} lives[] = {
	{ "fresh array", 4, "", "CCCC", 0, 0 },
	{ "one device of one", 1, "", "C", 0, 0 },
	{ "no device at all", 3, "-0 -1 -2", "---", -ENOENT, 0 },
	{ "one device absent, nothing recorded", 4, "-2", "CC-C", 0, 0 },
	{ "events ahead on one device", 4, "w2", "CCCC", 0, 2 },
	{ "crash in a round without a new epoch", 4, "w12", "CCCC", 0, 1 },
	{ "member dropped and gone", 4, "d3 w012 -3", "CCC-", 0, 0 },
	{ "member dropped comes back", 4, "d3 w012", "CCCS", 0, 0 },
	{ "member dropped comes back as the first", 4, "d0 w123", "SCCC", 0, 1 },
	{ "dropped member with more events", 4, "w3 w3 w3 d3 w012", "CCCS", 0, 0 },
	{ "dropped member one event behind", 4, "w0123 d3 w012", "CCCS", 0, 0 },
	{ "crash before the first write of a new epoch", 4, "d3", "CCCC", 0, 0 },
	{ "crash after one write of a new epoch", 4, "d3 w1", "CCCS", 0, 1 },
	{ "crash after two writes of a new epoch", 4, "d3 w12", "CCCS", 0, 1 },
	{ "who has the new epoch is gone after the crash", 4, "d3 w1 -1", "C-CC", 0, 0 },
	{ "two epochs begun before one was written", 4, "d3 d2 w0", "CCSS", 0, 0 },
	{ "crash, start, second epoch, crash", 4, "d3 w1 @1 d2 w1", "CCSS", 0, 1 },
	{ "two dropped at once, both come back", 4, "d13 w02", "CSCS", 0, 0 },
	{ "two dropped one after the other", 4, "d3 w012 d1 w02", "CSCS", 0, 0 },
	{ "two dropped, only they are given", 4, "d3 w012 d1 w02 -0 -2", "-C-S", 0, 1 },
	{ "only the stale member is given", 4, "d3 w012 -0 -1 -2", "---C", 0, 3 },
	{ "rebuild under way", 4, "d3 w012 r3 w0123", "CCCR", 0, 0 },
	{ "rebuild begun, crash after one write", 4, "d3 w012 r3 w0", "CCCS", 0, 0 },
	{ "rebuild begun, written on its member first", 4, "d3 w012 r3 w3", "CCCR", 0, 3 },
	{ "rebuild begun, written on its member alone, which then was away", 4,
	  "d0 w123 r0 w0 @1 w123", "SCCC", 0, 1 },
	{ "rebuild done", 4, "d3 w012 r3 w0123 s3 w0123", "CCCC", 0, 0 },
	{ "rebuild done, crash after one write", 4, "d3 w012 r3 w0123 s3 w0", "CCCC", 0, 0 },
	{ "rebuild done, written on its member alone", 4, "d3 w012 r3 w0123 s3 w3", "CCCC", 0, 3 },
	{ "member dropped during its rebuild", 4, "d3 w012 r3 w0123 d3 w012", "CCCS", 0, 0 },
	{ "other member dropped during a rebuild", 4, "d3 w012 r3 w0123 d1 w023", "CSCR", 0, 0 },
	{ "the same, crash after one write", 4, "d3 w012 r3 w0123 d1 w0", "CSCR", 0, 0 },
	{ "image from before the rebuild put back", 4, "z3 d3 w012 r3 w0123 s3 w0123 y3",
	  "CCCS", 0, 0 },
	{ "replaced member, rebuild under way", 4, "d3 w012 n3 r3 w0123", "CCCR", 0, 0 },
	{ "old device of a replaced member comes back", 4, "z3 d3 w012 n3 r3 w0123 s3 w0123 y3",
	  "CCCX", 0, 0 },
	{ "old device comes back before the new one was written", 4, "d3 w012 n3 r3 w012",
	  "CCCX", 0, 0 },
	{ "device of another array", 4, "f2", "CCFC", 0, 0 },
	{ "devices of another array are fewer, but newer", 4, "d3 d2 d1 w0 f0", "FCCC", 0, 1 },
	{ "two arrays, equally many devices", 4, "w0123 f23", "CCFF", 0, 0 },
	{ "two arrays, equally many, the other is newer", 4, "w23 f23", "FFCC", 0, 2 },
	{ "device of another geometry", 4, "g1", "CFCC", 0, 0 },
	{ "stale device of another geometry", 4, "d1 w023 g1", "CFCC", 0, 0 },
	{ "devices in each other's places", 4, "x12", "CXXC", 0, 0 },
	{ "the newest device in a wrong place still speaks", 4, "d2 w1 x13", "CXSX", 0, 3 },
	{ "device given twice", 4, "c12", "CCXC", 0, 0 },
	{ "halves lived apart", 4, "d13 w02 @1 d02 w13", "DDDD", -EEXIST, 0 },
	{ "halves lived apart, one went on longer", 4, "d13 w02 w02 @1 d02 w13 d3 w1",
	  "DDDS", -EEXIST, 1 },
	{ "halves lived apart, one crashed in its round", 4, "d13 w02 @1 d02 w1", "DDDS", -EEXIST,
	  0 },
	{ "halves lived apart, the newer in each other's places", 4, "d13 w02 @1 d02 w13 w13 x13",
	  "DDDX", -EEXIST, 1 },
	{ "halves lived apart, given one by one", 4, "d13 w02 @1 d02 w13 -1 -3", "C-C-", 0, 0 },
	{ "halves lived apart, a third was stale in both", 5, "d4 w0123 d13 w02 @1 d02 w13",
	  "DDDDS", -EEXIST, 0 },
	{ "mirror's halves lived apart", 2, "d1 w0 @1 d0 w1", "DD", -EEXIST, 0 },
	{ "mirror's halves lived apart, far", 2,
	  "d1 w0 d1 w0 d1 w0 d1 w0 d1 w0 d1 w0 @1 d0 w1", "DD", -EEXIST, 0 },
	{ "one of three started apart from two", 3, "d2 w0 @1 d0 w12", "DDD", -EEXIST, 0 },
	{ "stale by as many epochs as are kept", 3,
	  "d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01", "CCS", 0, 0 },
	{ "stale by the oldest epoch that is known by its id", 3,
	  "d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01", "CCS", 0, 0 },
	{ "stale by more epochs than are kept", 3,
	  "d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01 d2 w01", "CCS", 0, 0 },
	{ "in sync by the table, but from before its memory", 3,
	  "d d d d d d d d d w01", "CCS", 0, 0 },
	{ "in sync by the table, oldest that is known", 3, "d d d d d d d d w01", "CCC", 0, 0 },
	{ "lived apart longer ago than is remembered", 3,
	  "d2 w01 @2 d01 w2 @0 d w01 d w01 d w01 d w01 d w01 d w01 d w01 d w01 d w01 d w01",
	  "CCS", 0, 0 },
	{ "lived apart as long ago as is remembered", 3,
	  "d2 w01 @2 d01 w2 @0 d w01 d w01 d w01 d w01 d w01 d w01 d w01 d w01", "DDD", -EEXIST,
	  0 },
};

static struct cascade_sb disk[CASCADE_MEMBERS_MAX], running, image;
static bool given[CASCADE_MEMBERS_MAX];
static u64 next_number;		/* of epochs and devices */

static unsigned int mask_of(const char *digits)
{
	unsigned int mask = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++)
		mask |= 1u << (*digits - '0');
	return mask;
}

/* What lies on a device is what it could be read as. */
static void put(slot_t slot, const struct cascade_sb *sb)
{
	static struct cascade_sb back;
	enum cascade_sb_fault fault;

	disk[slot] = *sb;
	disk[slot].slot = slot;
	memcpy(disk[slot].device_uuid, sb->slots[slot].device_uuid, CASCADE_UUID_BYTES);
	cascade_sb_encode(&disk[slot], block);
	fault = cascade_sb_decode(&back, block);
	if (fault != CASCADE_SB_OK)
		fail_msg("device %u: %s", slot, cascade_sb_fault_text(fault));
}

static void do_step(char verb, const char *digits)
{
	unsigned int mask = mask_of(digits);
	slot_t a = (slot_t)(digits[0] - '0'), b, s;

	switch (verb) {
	case 'd':
		cascade_sb_begin_epoch(&running, 0x10000 + next_number++, mask);
		return;
	case 'w':
		running.events++;
		for (s = 0; s < running.nr_members; s++)
			if (mask >> s & 1)
				put(s, &running);
		return;
	case 'r':
		running.slots[a].state = CASCADE_SLOT_REBUILDING;
		return;
	case 's':
		running.slots[a].state = CASCADE_SLOT_IN_SYNC;
		running.slots[a].rebuilt_sectors = 0;
		return;
	case 'n':
		uuid_of(running.slots[a].device_uuid, 1000 + next_number++);
		return;
	case '@':
		running = disk[a];
		return;
	case '-':
		given[a] = false;
		return;
	case 'x':
		b = (slot_t)(digits[1] - '0');
		image = disk[a];
		disk[a] = disk[b];
		disk[b] = image;
		return;
	case 'c':
		b = (slot_t)(digits[1] - '0');
		disk[b] = disk[a];
		return;
	case 'f':
		for (s = 0; s < running.nr_members; s++)
			if (mask >> s & 1)
				uuid_of(disk[s].array_uuid, 2);
		return;
	case 'g':
		disk[a].chunk_sectors *= 2;
		return;
	case 'z':
		image = disk[a];
		return;
	case 'y':
		disk[a] = image;
		return;
	default:
		fail_msg("script: step %c", verb);
	}
}

static void live(const struct life *life)
{
	const char *at = life->script;
	slot_t s;

	next_number = 1;
	plain(&running, CASCADE_RAID10, life->nr_members, 0);
	/* One device has no redundancy, but that is no matter here. */
	if (life->nr_members < 2)
		running.level = CASCADE_RAID0;
	for (s = 0; s < life->nr_members; s++) {
		put(s, &running);
		given[s] = true;
	}
	while (*at) {
		char verb = *at++;
		const char *digits = at;

		at += strspn(at, "0123456789");
		do_step(verb, digits);
		at += strspn(at, " ");
	}
}

static int judge_disks(unsigned int nr_members, enum cascade_verdict *verdicts, slot_t *chosen)
{
	const struct cascade_sb *sbs[CASCADE_MEMBERS_MAX];
	slot_t s;

	for (s = 0; s < nr_members; s++)
		sbs[s] = given[s] ? &disk[s] : NULL;
	return cascade_sb_choose(sbs, nr_members, verdicts, chosen);
}

static char verdict_letter(enum cascade_verdict verdict)
{
	switch (verdict) {
	case CASCADE_DEVICE_CURRENT:
		return 'C';
	case CASCADE_DEVICE_REBUILDING:
		return 'R';
	case CASCADE_DEVICE_STALE:
		return 'S';
	case CASCADE_DEVICE_FOREIGN:
		return 'F';
	case CASCADE_DEVICE_CLONE:
		return 'X';
	case CASCADE_DEVICE_DIVERGED:
		return 'D';
	case CASCADE_DEVICE_ABSENT:
		return '-';
	}
	return '?';
}

static void lives_end_as_the_table_says(void **state)
{
	unsigned int i, bad = 0;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lives); i++) {
		enum cascade_verdict verdicts[CASCADE_MEMBERS_MAX];
		char letters[CASCADE_MEMBERS_MAX + 1] = "";
		slot_t s, chosen = 99;
		int r;

		live(&lives[i]);
		r = judge_disks(lives[i].nr_members, verdicts, &chosen);
		for (s = 0; s < lives[i].nr_members; s++)
			letters[s] = verdict_letter(verdicts[s]);
		if (r == lives[i].r && chosen == lives[i].chosen &&
		    !strcmp(letters, lives[i].verdicts))
			continue;
		print_error("%s (%s): %s, returned %d, chosen %u; expected %s, %d, %u\n",
			    lives[i].what, lives[i].script, letters, r, chosen, lives[i].verdicts,
			    lives[i].r, lives[i].chosen);
		bad++;
	}
	assert_int_equal(bad, 0);
}

static void members_that_a_cut_round_did_not_reach_are_current(void **state)
{
	/* Every rotation of who got the new epoch: the dropped one alone is stale. */
	unsigned int got, dropped, s;

	(void)state;
	for (dropped = 0; dropped < 4; dropped++) {
		for (got = 1; got < 16; got++) {
			const struct life life = { .nr_members = 4, .script = "" };
			enum cascade_verdict verdicts[4];
			slot_t chosen;

			if (got >> dropped & 1)
				continue;
			live(&life);
			cascade_sb_begin_epoch(&running, 0x77, BIT_ULL(dropped));
			running.events++;
			for (s = 0; s < 4; s++)
				if (got >> s & 1)
					put(s, &running);
			assert_int_equal(judge_disks(4, verdicts, &chosen), 0);
			assert_true(got >> chosen & 1);
			for (s = 0; s < 4; s++)
				assert_int_equal(verdicts[s], s == dropped ?
						 CASCADE_DEVICE_STALE : CASCADE_DEVICE_CURRENT);
		}
	}
}

/*
 * A random life. Each device keeps the number of the last acknowledged write that
 * it has; a write is acknowledged when all that run have it, and after the state
 * is durable on all of them. The array starts with any set of devices that the
 * level bears, with the power cut between any two superblock writes. Only arrays
 * whose halves lived apart may fail to start when every device is there.
 */
struct world {
	struct cascade_geo geo;
	u64 in_use_mask;	/* in sync and running; 0: not running */
	u64 rebuilding_mask;
	u64 blank_mask;		/* new devices that nothing was written to */
	u64 last_write[CASCADE_MEMBERS_MAX];
	bool durable;
	char history[2000];
};

static void note(struct world *w, const char *what, u64 mask)
{
	size_t used = strlen(w->history);

	if (used > sizeof(w->history) / 2) {
		memmove(w->history, w->history + used / 2, used - used / 2 + 1);
		used -= used / 2;
	}
	snprintf(w->history + used, sizeof(w->history) - used, " %s%llx", what,
		 (unsigned long long)mask);
}

/* A round; one in four is cut by a loss of power. */
static void write_round(struct world *w)
{
	u64 mask = w->in_use_mask | w->rebuilding_mask;
	u64 reached = seed_below(4) ? mask : mask & seed_next();
	slot_t s;

	running.events++;
	for (s = 0; s < w->geo.nr_members; s++)
		if (reached >> s & 1)
			put(s, &running);
	w->blank_mask &= ~reached;
	note(w, "round", reached);
	w->durable = reached == mask;
	if (!w->durable)
		w->in_use_mask = 0;
}

static void drop(struct world *w, u64 mask)
{
	u64 left = w->in_use_mask & ~mask;

	mask &= w->in_use_mask | w->rebuilding_mask;
	if (!mask || !cascade_geo_survives(&w->geo, BIT_ULL(w->geo.nr_members) - 1 - left))
		return;
	cascade_sb_begin_epoch(&running, 0x10000 + next_number++, mask);
	w->in_use_mask = left;
	w->rebuilding_mask &= ~mask;
	w->durable = false;
	note(w, "drop", mask);
}

static void write_data(struct world *w)
{
	slot_t s;

	if (!w->durable)
		return;
	next_number++;
	for (s = 0; s < w->geo.nr_members; s++)
		if (w->in_use_mask >> s & 1)
			w->last_write[s] = next_number;
}

static void rebuild(struct world *w, slot_t slot)
{
	if (w->rebuilding_mask >> slot & 1) {
		running.slots[slot].state = CASCADE_SLOT_IN_SYNC;
		running.slots[slot].rebuilt_sectors = 0;
		w->rebuilding_mask &= ~BIT_ULL(slot);
		/* Its data is that of the others before the table says so. */
		w->last_write[slot] = w->last_write[__builtin_ctzll(w->in_use_mask)];
		w->in_use_mask |= BIT_ULL(slot);
		note(w, "rebuilt", slot);
	} else if (!(w->in_use_mask >> slot & 1)) {
		running.slots[slot].state = CASCADE_SLOT_REBUILDING;
		if (!seed_below(3)) {
			uuid_of(running.slots[slot].device_uuid, 1000 + next_number++);
			w->blank_mask |= BIT_ULL(slot);
			w->last_write[slot] = 0;
			note(w, "new", slot);
		}
		w->rebuilding_mask |= BIT_ULL(slot);
		note(w, "rebuild", slot);
	} else {
		return;
	}
	write_round(w);
}

/* The point of it all: who is called current has the same writes as the others. */
static u64 check_current(struct world *w, const enum cascade_verdict *verdicts)
{
	u64 mask = 0, write = 0;
	slot_t s;

	for (s = 0; s < w->geo.nr_members; s++) {
		if (verdicts[s] != CASCADE_DEVICE_CURRENT)
			continue;
		if (mask && w->last_write[s] != write)
			fail_msg("device %u is current with write %llu, another with %llu:%s", s,
				 (unsigned long long)w->last_write[s], (unsigned long long)write,
				 w->history);
		write = w->last_write[s];
		mask |= BIT_ULL(s);
	}
	return mask;
}

static void start(struct world *w, u64 given_mask)
{
	u64 all = BIT_ULL(w->geo.nr_members) - 1;
	enum cascade_verdict verdicts[CASCADE_MEMBERS_MAX];
	u64 current, gone = 0;
	slot_t s, chosen;
	int r;

	for (s = 0; s < w->geo.nr_members; s++)
		given[s] = (given_mask & ~w->blank_mask) >> s & 1;
	w->in_use_mask = 0;
	w->rebuilding_mask = 0;
	r = judge_disks(w->geo.nr_members, verdicts, &chosen);
	if (r)
		return;
	current = check_current(w, verdicts);
	if (!cascade_geo_survives(&w->geo, all & ~current)) {
		/* With all that there is, whatever was cut off when: no array is lost. */
		if (given_mask == all)
			fail_msg("all are given, but only %llx are current:%s",
				 (unsigned long long)current, w->history);
		return;
	}
	note(w, "start", given_mask);
	running = disk[chosen];
	w->in_use_mask = current;
	for (s = 0; s < w->geo.nr_members; s++) {
		if (verdicts[s] == CASCADE_DEVICE_REBUILDING)
			w->rebuilding_mask |= BIT_ULL(s);
		else if (!(current >> s & 1) && (running.slots[s].state == CASCADE_SLOT_IN_SYNC ||
						 running.slots[s].state == CASCADE_SLOT_REBUILDING))
			gone |= BIT_ULL(s);
	}
	if (gone)
		cascade_sb_begin_epoch(&running, 0x10000 + next_number++, gone);
	write_round(w);
}

static u64 random_mask(const struct world *w)
{
	u64 all = BIT_ULL(w->geo.nr_members) - 1;

	return seed_below(3) ? all & ~BIT_ULL(seed_below(w->geo.nr_members)) :
	       seed_below(2) ? all : all & seed_next();
}

static void live_at_random(enum cascade_level level, unsigned int nr_members)
{
	struct world w = { .durable = true };
	const char *error;
	unsigned int step;
	slot_t s;

	next_number = 1;
	assert_int_equal(cascade_geo_init(&w.geo, level, nr_members, 128, 1 << 20, &error), 0);
	plain(&running, level, nr_members, 0);
	for (s = 0; s < nr_members; s++)
		put(s, &running);
	w.in_use_mask = BIT_ULL(nr_members) - 1;
	for (step = 0; step < 60; step++) {
		if (!w.in_use_mask) {
			start(&w, random_mask(&w));
			continue;
		}
		switch (seed_below(8)) {
		case 0:
			note(&w, "stop", 0);
			w.in_use_mask = 0;
			break;
		case 1:
			drop(&w, BIT_ULL(seed_below(nr_members)));
			break;
		case 2:
		case 3:
			rebuild(&w, seed_below(nr_members));
			break;
		case 4:
			write_round(&w);
			break;
		default:
			write_data(&w);
		}
	}
}

static void random_lives_never_trust_who_missed_a_write(void **state)
{
	static const struct {
		enum cascade_level level;
		unsigned int nr_members;
	} arrays[] = {
		{ CASCADE_RAID5, 3 }, { CASCADE_RAID5, 5 }, { CASCADE_RAID6, 4 },
		{ CASCADE_RAID6, 6 }, { CASCADE_RAID10, 2 }, { CASCADE_RAID10, 4 },
		{ CASCADE_RAID10, 5 },
	};
	unsigned int i;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < 1500; i++)
		live_at_random(arrays[i % ARRAY_SIZE(arrays)].level,
			       arrays[i % ARRAY_SIZE(arrays)].nr_members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begun_epochs_remember_their_line),
		cmocka_unit_test(dropped_slots_say_since_when),
		cmocka_unit_test(lives_end_as_the_table_says),
		cmocka_unit_test(members_that_a_cut_round_did_not_reach_are_current),
		cmocka_unit_test(random_lives_never_trust_who_missed_a_write),
	};

	return cmocka_run_group_tests_name("sb_choose", tests, NULL, NULL);
}
