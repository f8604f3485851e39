// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans carried out, with one parity. Two judges, neither of which knows how a plan
 * is made:
 *
 *	span	what follows from all that can be reached, as sums of blocks: tells
 *		what is lost and which writes are impossible
 *	run	carries the plan out as the engine does, on symbolic blocks, and looks
 *		at the answers and at what is on the members afterwards
 *
 * A symbolic block is two halves, each a set of terms; the sum is the exclusive or.
 * A write in part replaces the first half. What was never read holds a term of its
 * own, so it cannot go unnoticed in a sum.
 */
#include "columns.h"

/* ---- span: what follows from what can be reached --------------------------------- */

/* By parity slot and known slots: bit V is set if the sum of the blocks of V follows. */
static u32 spans[MEMBERS_MAX][1u << MEMBERS_MAX];

static void fill_spans(unsigned int nr_members)
{
	u32 known, v, sum;
	slot_t p, s;

	for (p = 0; p < nr_members; p++) {
		for (known = 0; known < 1u << nr_members; known++) {
			u32 span = 1;

			for (s = 0; s < nr_members; s++) {
				u32 more = 0;

				if (!(known & BIT_ULL(s)))
					continue;
				sum = s == p ? ((1u << nr_members) - 1) & ~(1u << p) : 1u << s;
				for (v = 0; v < 1u << nr_members; v++)
					if (span & 1u << v)
						more |= 1u << (v ^ sum);
				span |= more;
			}
			spans[p][known] = span;
		}
	}
}

static bool follows(const struct cascade_column *col, u64 sum)
{
	u64 known = reachable_mask(col);

	if (col->parity_use == CASCADE_PARITY_NEVER)
		known &= ~col->parity_mask;
	return spans[__ffs64(col->parity_mask)][known] >> sum & 1;
}

static bool each_follows(const struct cascade_column *col, u64 mask)
{
	for (; mask; mask &= mask - 1)
		if (!follows(col, mask & -mask))
			return false;
	return true;
}

/* Whether the writes of a column can be done, whatever it costs. */
static bool can_write(const struct cascade_column *col)
{
	u64 other = col->data_mask & ~written_mask(col);

	if (!each_follows(col, col->part_mask))
		return false;
	if (!(col->parity_mask & col->writable_mask))
		return !out_mask(col);
	/* Parity stands in for one block, the one that is out. */
	if (out_mask(col) && (hweight64(col->data_mask & ~col->writable_mask) > 1 ||
			      !each_follows(col, mend_mask(col))))
		return false;
	if (col->resync)
		return each_follows(col, col->data_mask & ~col->full_mask);
	/* The new parity is the sum of what is new, which is known, and of the others. */
	return follows(col, other) || (col->parity_use == CASCADE_PARITY_NEVER && !out_mask(col));
}

static void check_span(const struct cascade_column *col, const struct cascade_plan *plan)
{
	u64 rest;

	for (rest = col->want_mask; rest; rest &= rest - 1)
		CHECK(!(plan->lost_mask & rest & -rest) == follows(col, rest & -rest));
	if (written_mask(col) || col->resync)
		CHECK((plan->method != CASCADE_METHOD_IMPOSSIBLE) == can_write(col));
	else
		CHECK(plan->method == CASCADE_METHOD_NONE);
}

/* ---- run: the plan carried out on symbolic blocks --------------------------------- */

#define FIRST_HALF 0xffffffffull

struct run {
	u64 old[MEMBERS_MAX];	/* present blocks: what is on disk, or was before its loss */
	u64 goal[MEMBERS_MAX];	/* data as it should be afterwards */
	u64 cur[MEMBERS_MAX];	/* memory: present blocks */
	u64 new[MEMBERS_MAX];	/* memory: new data */
	u64 disk[MEMBERS_MAX];	/* the members afterwards */
	u64 on_disk_mask;	/* of these, what can be read and is not outdated */
	u64 sum;		/* parity as it should be afterwards */
};

/* A block of one term in both its halves. */
static u64 block_of(unsigned int term)
{
	return (u64)1 << (32 + term) | (u64)1 << term;
}

static void run_begin(struct run *run, const struct cascade_column *col, slot_t p, bool garbage)
{
	u64 rest;

	run->old[p] = garbage ? block_of(31) : 0;
	run->sum = 0;
	for (rest = col->data_mask; rest; rest &= rest - 1) {
		slot_t s = __ffs64(rest);

		run->old[s] = block_of(s);
		run->old[p] ^= run->old[s];
		run->goal[s] = run->old[s];
		run->new[s] = block_of(8 + s);
		if (col->full_mask & BIT_ULL(s))
			run->goal[s] = run->new[s];
		else if (col->part_mask & BIT_ULL(s))
			run->goal[s] = (run->new[s] & FIRST_HALF) | (run->old[s] & ~FIRST_HALF);
		run->sum ^= run->goal[s];
	}
}

/* As engine, batch and compute do it, a column at a time. */
static void run_plan(struct run *run, const struct cascade_column *col,
		     const struct cascade_plan *plan, slot_t p)
{
	u64 all = col->data_mask | col->parity_mask;
	u64 valid_mask = col->memory_mask | plan->member_read_mask | plan->ssd_read_mask;
	u64 to_write = plan->write_mask, rest;
	slot_t s, other;

	for (s = 0; all >> s; s++) {
		run->disk[s] = run->old[s];
		run->cur[s] = valid_mask & BIT_ULL(s) ? run->old[s] : block_of(16 + s);
	}
	for (rest = plan->rebuild_mask & ~valid_mask; rest; rest &= rest - 1) {
		s = __ffs64(rest);
		run->cur[s] = 0;
		for (other = 0; all >> other; other++)
			if (other != s)
				run->cur[s] ^= run->cur[other];
		valid_mask |= BIT_ULL(s);
	}
	to_write |= col->writable_mask & ~col->readable_mask & valid_mask;
	if (plan->method == CASCADE_METHOD_RECONSTRUCT_WRITE ||
	    plan->method == CASCADE_METHOD_FULL_ROW)
		run->cur[p] = 0;
	for (rest = col->data_mask; rest; rest &= rest - 1) {
		u64 old;

		s = __ffs64(rest);
		old = run->cur[s];
		if (plan->method == CASCADE_METHOD_IMPOSSIBLE || !(written_mask(col) & BIT_ULL(s)))
			run->new[s] = old;
		else if (col->part_mask & BIT_ULL(s))
			run->new[s] = (run->new[s] & FIRST_HALF) | (old & ~FIRST_HALF);
		if (plan->method == CASCADE_METHOD_RECONSTRUCT_WRITE ||
		    plan->method == CASCADE_METHOD_FULL_ROW)
			run->cur[p] ^= run->new[s];
		else if (plan->method == CASCADE_METHOD_READ_MODIFY_WRITE &&
			 written_mask(col) & BIT_ULL(s))
			run->cur[p] ^= old ^ run->new[s];
	}
	for (rest = to_write; rest; rest &= rest - 1) {
		s = __ffs64(rest);
		run->disk[s] = s == p ? run->cur[p] : run->new[s];
	}
	run->on_disk_mask = col->readable_mask | to_write;
	if (plan->method != CASCADE_METHOD_IMPOSSIBLE)
		run->on_disk_mask &= ~out_mask(col);
}

/* Data of a member that is out: the sum of all that is on the others. */
static void check_out(const struct cascade_column *col, const struct cascade_plan *plan,
		      const struct run *run, slot_t out)
{
	u64 rest = (col->data_mask | col->parity_mask) & ~BIT_ULL(out);
	u64 sum = 0;

	CHECK(within(rest, run->on_disk_mask));
	for (; rest; rest &= rest - 1)
		sum ^= run->disk[__ffs64(rest)];
	CHECK(sum == run->goal[out]);
}

/*
 * With garbage for parity, what must still be right is what does not hang on it:
 * all that can be reached; and all of it where no data is out of reach that is not
 * overwritten.
 */
static void check_run(const struct cascade_column *col, const struct cascade_plan *plan,
		      bool garbage)
{
	u64 sound = garbage ? reachable_mask(col) | col->full_mask : ~0ull;
	slot_t p = __ffs64(col->parity_mask);
	struct run run;
	u64 rest;

	run_begin(&run, col, p, garbage);
	run_plan(&run, col, plan, p);
	for (rest = col->want_mask & ~plan->lost_mask; rest; rest &= rest - 1)
		if (!garbage || reachable_mask(col) & rest & -rest)
			CHECK(run.cur[__ffs64(rest)] == run.old[__ffs64(rest)]);
	if (plan->method == CASCADE_METHOD_IMPOSSIBLE) {
		for (rest = col->data_mask & sound & run.on_disk_mask; rest; rest &= rest - 1)
			if (!garbage || reachable_mask(col) & rest & -rest)
				CHECK(run.disk[__ffs64(rest)] == run.old[__ffs64(rest)]);
		return;
	}
	for (rest = col->data_mask & sound & run.on_disk_mask; rest; rest &= rest - 1)
		if (written_mask(col) & rest & -rest || !garbage ||
		    reachable_mask(col) & rest & -rest)
			CHECK(run.disk[__ffs64(rest)] == run.goal[__ffs64(rest)]);
	if (!within(col->data_mask, sound))
		return;
	for (rest = out_mask(col); rest; rest &= rest - 1)
		check_out(col, plan, &run, __ffs64(rest));
	if (plan->method != CASCADE_METHOD_NONE && plan->method != CASCADE_METHOD_DATA_ONLY) {
		CHECK(run.on_disk_mask & col->parity_mask);
		CHECK(run.disk[p] == run.sum);
	}
}

/* ---- tests ------------------------------------------------------------------------- */

static void check(const struct cascade_column *col, const struct cascade_plan *plan)
{
	check_span(col, plan);
	if (col->parity_use != CASCADE_PARITY_NEVER)
		check_run(col, plan, false);
	if (col->parity_use != CASCADE_PARITY_TRUSTED)
		check_run(col, plan, true);
}

static void every_plan_of_three_members_is_right(void **state)
{
	static const struct domain d = { 3, 1, true, places_all, ARRAY_SIZE(places_all), check };

	(void)state;
	fill_spans(d.nr_members);
	try_all(&d);
}

static void every_plan_of_four_members_is_right(void **state)
{
	static const struct domain d = { 4, 1, false, places_usual, ARRAY_SIZE(places_usual),
					 check };

	(void)state;
	fill_spans(d.nr_members);
	try_all(&d);
}

static void every_plan_of_five_members_is_right(void **state)
{
	static const struct domain d = { 5, 1, false, places_no_ssd, ARRAY_SIZE(places_no_ssd),
					 check };

	(void)state;
	fill_spans(d.nr_members);
	try_all(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_of_three_members_is_right),
		cmocka_unit_test(every_plan_of_four_members_is_right),
		cmocka_unit_test(every_plan_of_five_members_is_right),
	};

	return cmocka_run_group_tests_name("plan_run", tests, NULL, NULL);
}
