// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan of a column against brute force, with one parity and with two: every set
 * of blocks that could be read is tried with every method that the rules allow. That
 * tells what is lost, what is impossible, and the least cost. What the plan makes of
 * the blocks is the matter of test_plan_run.
 */
#include "columns.h"

#define NO_WAY (~0u)

/* ---- ways: every set of reads ------------------------------------------------- */

static unsigned int cost_of(const struct cascade_column *col, u64 read_mask)
{
	unsigned int cost = 0;
	slot_t s;

	for (s = 0; s < MEMBERS_MAX; s++)
		if (read_mask & BIT_ULL(s))
			cost += col->ssd_mask & BIT_ULL(s) ? CASCADE_COST_SSD_READ :
							     CASCADE_COST_DISK_READ;
	return cost;
}

/*
 * What is in memory after reads. What cannot be reached is computed, nothing else,
 * and from all the data that can be.
 */
static u64 had(const struct cascade_column *col, u64 read_mask)
{
	u64 known = col->memory_mask | read_mask;
	unsigned int nr_unknown = hweight64(col->data_mask & ~known);
	unsigned int nr_sums = col->parity_use == CASCADE_PARITY_NEVER ?
				       0 : hweight64(col->parity_mask & known);

	if (nr_unknown > nr_sums || !within(col->data_mask & reachable_mask(col), known))
		return known;
	return known | ((col->data_mask | col->parity_mask) & ~reachable_mask(col));
}

/* Whether new data of members that are out can be had from the others afterwards. */
static bool lives_on(const struct cascade_column *col, enum cascade_method method, u64 have)
{
	if (!out_mask(col) || method == CASCADE_METHOD_IMPOSSIBLE)
		return true;
	return method != CASCADE_METHOD_DATA_ONLY && within(mend_mask(col), have) &&
	       hweight64(col->data_mask & ~col->writable_mask) <=
		       hweight64(col->parity_mask & col->writable_mask);
}

/* Bad sectors: data that is on a member which is in, and cannot be had from there. */
static u64 bad_mask(const struct cascade_column *col)
{
	return col->data_mask & col->writable_mask & ~reachable_mask(col);
}

/* What a method has to have in memory, and whether the rules allow it here at all. */
static bool method_needs(const struct cascade_column *col, enum cascade_method method,
			 u64 *need_mask)
{
	bool parity = col->parity_mask & col->writable_mask;
	bool write = written_mask(col) || col->resync;
	bool whole = col->full_mask == col->data_mask;

	switch (method) {
	case CASCADE_METHOD_NONE:
		*need_mask = 0;
		return !write;
	case CASCADE_METHOD_FULL_ROW:
		*need_mask = 0;
		return write && parity && whole;
	case CASCADE_METHOD_RECONSTRUCT_WRITE:
		*need_mask = col->data_mask & ~col->full_mask;
		return write && parity && !whole;
	case CASCADE_METHOD_READ_MODIFY_WRITE:
		*need_mask = written_mask(col) | (col->parity_mask & col->writable_mask) |
			     (bad_mask(col) & had(col, reachable_mask(col)));
		if (col->resync || col->parity_use == CASCADE_PARITY_NEVER)
			return false;
		/* Parity that may be wrong is made anew wherever all data can be read. */
		if (col->parity_use == CASCADE_PARITY_LAST_RESORT &&
		    within((col->data_mask & ~col->full_mask) |
				   (col->want_mask & had(col, reachable_mask(col))),
			   reachable_mask(col)))
			return false;
		return write && parity && !whole;
	case CASCADE_METHOD_DATA_ONLY:
		*need_mask = col->part_mask;
		if (!parity)
			return write;
		return write && !whole && !col->resync && col->parity_use == CASCADE_PARITY_NEVER &&
		       !within(col->data_mask & ~col->full_mask, reachable_mask(col));
	default:	/* impossible: the reads alone */
		*need_mask = 0;
		return write;
	}
}

static void find_ways(const struct cascade_column *col, unsigned int best[NR_METHODS])
{
	u64 readable = reachable_mask(col) & ~col->memory_mask;
	u64 want = col->want_mask & had(col, reachable_mask(col));
	u64 need_mask[NR_METHODS], read_mask = 0;
	bool allowed[NR_METHODS];
	int m;

	for (m = 0; m < NR_METHODS; m++) {
		best[m] = NO_WAY;
		allowed[m] = method_needs(col, m, &need_mask[m]);
	}
	/* Every subset, the empty one first. */
	do {
		u64 have = had(col, read_mask);
		unsigned int cost = cost_of(col, read_mask);

		for (m = 0; m < NR_METHODS; m++)
			if (allowed[m] && cost < best[m] && within(want | need_mask[m], have) &&
			    lives_on(col, m, have))
				best[m] = cost;
		read_mask = (read_mask - readable) & readable;
	} while (read_mask);
}

static void check_ways(const struct cascade_column *col, const struct cascade_plan *plan)
{
	unsigned int cost = cost_of(col, plan->member_read_mask | plan->ssd_read_mask);
	unsigned int best[NR_METHODS];
	bool impossible = true;
	int m;

	find_ways(col, best);
	for (m = 0; m < CASCADE_METHOD_IMPOSSIBLE; m++) {
		if (best[m] == NO_WAY)
			continue;
		impossible = false;
		CHECK(cost <= best[m]);
	}
	CHECK((plan->method == CASCADE_METHOD_IMPOSSIBLE) == impossible);
	CHECK(best[plan->method] != NO_WAY);
	CHECK(cost == best[plan->method]);
}

/* ---- what any plan must keep ---------------------------------------------------- */

static void check_masks(const struct cascade_column *col, const struct cascade_plan *plan)
{
	u64 read_mask = plan->member_read_mask | plan->ssd_read_mask;
	u64 have = col->memory_mask | read_mask | plan->rebuild_mask;
	bool parity = plan->method == CASCADE_METHOD_FULL_ROW ||
		      plan->method == CASCADE_METHOD_RECONSTRUCT_WRITE ||
		      plan->method == CASCADE_METHOD_READ_MODIFY_WRITE;
	u64 need_mask = 0;

	CHECK(within(plan->member_read_mask, col->readable_mask & ~col->ssd_mask));
	CHECK(within(plan->ssd_read_mask, col->ssd_mask));
	CHECK(!(read_mask & col->memory_mask));
	CHECK(within(plan->rebuild_mask, col->data_mask | col->parity_mask));
	CHECK(!(plan->rebuild_mask & reachable_mask(col)));
	CHECK(within(plan->rebuild_mask, had(col, read_mask)));
	CHECK(within(plan->lost_mask, col->want_mask));
	CHECK(plan->lost_mask == (col->want_mask & ~had(col, reachable_mask(col))));
	CHECK(within(col->want_mask & ~plan->lost_mask, have));
	if (plan->method == CASCADE_METHOD_NONE || plan->method == CASCADE_METHOD_IMPOSSIBLE) {
		CHECK(!plan->write_mask);
		return;
	}
	CHECK((plan->write_mask & col->data_mask) ==
	      ((written_mask(col) & col->writable_mask) | mend_mask(col)));
	CHECK((plan->write_mask & ~col->data_mask) ==
	      (parity ? col->parity_mask & col->writable_mask : 0));
	method_needs(col, plan->method, &need_mask);
	CHECK(within(need_mask | mend_mask(col), have));
	if (plan->method == CASCADE_METHOD_FULL_ROW && !col->want_mask)
		CHECK(!read_mask && !plan->rebuild_mask);
	if (col->parity_use == CASCADE_PARITY_NEVER) {
		CHECK(!(read_mask & col->parity_mask));
		CHECK(!(plan->rebuild_mask & col->data_mask));
	}
}

/* ---- tests ------------------------------------------------------------------------- */

static void check(const struct cascade_column *col, const struct cascade_plan *plan)
{
	check_masks(col, plan);
	check_ways(col, plan);
}

static void every_column_of_three_members(void **state)
{
	static const struct domain d = { 3, 1, true, places_all, ARRAY_SIZE(places_all), check };

	(void)state;
	try_all(&d);
}

static void every_column_of_four_members(void **state)
{
	static const struct domain d = { 4, 1, false, places_usual, ARRAY_SIZE(places_usual),
					 check };

	(void)state;
	try_all(&d);
}

static void every_column_of_five_members(void **state)
{
	static const struct domain d = { 5, 1, false, places_no_ssd, ARRAY_SIZE(places_no_ssd),
					 check };

	(void)state;
	try_all(&d);
}

static void every_column_of_four_members_with_two_parity(void **state)
{
	static const struct domain d = { 4, 2, false, places_usual, ARRAY_SIZE(places_usual),
					 check };

	(void)state;
	try_all(&d);
}

static void every_column_of_five_members_with_two_parity(void **state)
{
	static const struct domain d = { 5, 2, false, places_no_ssd, ARRAY_SIZE(places_no_ssd),
					 check };

	(void)state;
	try_all(&d);
}

/* The least and the greatest slot, and one that 32 bits do not hold. */
#define A BIT_ULL(0)
#define B BIT_ULL(31)
#define C BIT_ULL(32)
#define D BIT_ULL(62)
#define P BIT_ULL(63)
#define ALL (A | B | C | D | P)

struct vector {
	const char *name;
	struct cascade_column col;	/* the masks of slots are filled in */
	u64 out_mask;			/* neither readable nor writable */
	u64 bad_mask;			/* not readable */
	struct cascade_plan plan;
};

static const struct vector vectors[] = {
	{
		.name = "small_write_reads_its_old_block_and_parity",
		.col = { .part_mask = D },
		.plan = { .member_read_mask = D | P, .write_mask = D | P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "small_write_reads_nothing_where_memory_and_ssd_have_the_old_blocks",
		.col = { .full_mask = D, .memory_mask = P, .ssd_mask = D },
		.plan = { .ssd_read_mask = D, .write_mask = D | P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "write_of_most_of_a_row_reads_the_rest",
		.col = { .full_mask = A | B | D },
		.plan = { .member_read_mask = C, .write_mask = A | B | D | P,
			  .method = CASCADE_METHOD_RECONSTRUCT_WRITE },
	}, {
		.name = "write_of_a_whole_row_reads_nothing",
		.col = { .full_mask = A | B | C | D, .ssd_mask = A },
		.plan = { .write_mask = ALL, .method = CASCADE_METHOD_FULL_ROW },
	}, {
		.name = "write_of_a_whole_row_with_a_lost_member_reads_nothing",
		.col = { .full_mask = A | B | C | D },
		.out_mask = B,
		.plan = { .write_mask = ALL & ~B, .method = CASCADE_METHOD_FULL_ROW },
	}, {
		.name = "write_with_lost_parity_member_updates_data_only",
		.col = { .full_mask = A, .part_mask = C },
		.out_mask = P,
		.plan = { .member_read_mask = C, .write_mask = A | C,
			  .method = CASCADE_METHOD_DATA_ONLY },
	}, {
		.name = "write_to_a_lost_member_goes_to_parity",
		.col = { .full_mask = C },
		.out_mask = C,
		.plan = { .member_read_mask = A | B | D, .write_mask = P,
			  .method = CASCADE_METHOD_RECONSTRUCT_WRITE },
	}, {
		.name = "write_beside_a_lost_member_leaves_its_block_in_parity",
		.col = { .full_mask = A },
		.out_mask = C,
		.plan = { .member_read_mask = A | P, .write_mask = A | P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "write_in_part_to_a_lost_member_rebuilds_its_block",
		.col = { .part_mask = C },
		.out_mask = C,
		.plan = { .member_read_mask = ALL & ~C, .rebuild_mask = C, .write_mask = P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "write_to_a_lost_member_beside_a_bad_block_fails",
		.col = { .full_mask = C },
		.out_mask = C,
		.bad_mask = A,
		.plan = { .method = CASCADE_METHOD_IMPOSSIBLE },
	}, {
		.name = "write_to_a_lost_member_in_memory_mends_the_bad_block_beside_it",
		.col = { .full_mask = B | C, .memory_mask = C },
		.out_mask = C,
		.bad_mask = A,
		.plan = { .member_read_mask = B | D | P, .rebuild_mask = A, .write_mask = A | B | P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "small_write_beside_a_bad_block_makes_that_anew",
		.col = { .full_mask = A },
		.bad_mask = C,
		.plan = { .member_read_mask = A | B | D | P, .rebuild_mask = C,
			  .write_mask = A | P, .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "writes_to_two_lost_members_fail",
		.col = { .full_mask = A | B },
		.out_mask = A | B,
		.plan = { .method = CASCADE_METHOD_IMPOSSIBLE },
	}, {
		.name = "read_of_a_bad_block_rebuilds_it",
		.col = { .want_mask = A | B },
		.bad_mask = B,
		.plan = { .member_read_mask = ALL & ~B, .rebuild_mask = B },
	}, {
		.name = "read_of_a_bad_block_in_a_torn_row_is_lost",
		.col = { .want_mask = A | B, .parity_use = CASCADE_PARITY_NEVER },
		.bad_mask = B,
		.plan = { .member_read_mask = A, .lost_mask = B },
	}, {
		.name = "small_write_to_a_torn_row_makes_parity_anew",
		.col = { .full_mask = A, .parity_use = CASCADE_PARITY_NEVER },
		.plan = { .member_read_mask = B | C | D, .write_mask = A | P,
			  .method = CASCADE_METHOD_RECONSTRUCT_WRITE },
	}, {
		.name = "small_write_to_a_torn_row_beside_a_bad_block_leaves_parity_alone",
		.col = { .full_mask = A, .parity_use = CASCADE_PARITY_NEVER },
		.bad_mask = C,
		.plan = { .write_mask = A, .method = CASCADE_METHOD_DATA_ONLY },
	}, {
		.name = "write_to_a_lost_member_in_a_torn_row_beside_a_bad_block_fails",
		.col = { .full_mask = A, .parity_use = CASCADE_PARITY_NEVER },
		.out_mask = A,
		.bad_mask = C,
		.plan = { .method = CASCADE_METHOD_IMPOSSIBLE },
	}, {
		.name = "small_write_to_a_fresh_row_makes_parity_anew",
		.col = { .full_mask = A, .parity_use = CASCADE_PARITY_LAST_RESORT },
		.plan = { .member_read_mask = B | C | D, .write_mask = A | P,
			  .method = CASCADE_METHOD_RECONSTRUCT_WRITE },
	}, {
		.name = "small_write_to_a_fresh_row_with_a_lost_member_modifies_parity",
		.col = { .full_mask = A, .parity_use = CASCADE_PARITY_LAST_RESORT },
		.out_mask = C,
		.plan = { .member_read_mask = A | P, .write_mask = A | P,
			  .method = CASCADE_METHOD_READ_MODIFY_WRITE },
	}, {
		.name = "resync_reads_all_data_and_writes_parity",
		.col = { .resync = true, .parity_use = CASCADE_PARITY_NEVER },
		.plan = { .member_read_mask = A | B | C | D, .write_mask = P,
			  .method = CASCADE_METHOD_RECONSTRUCT_WRITE },
	}, {
		.name = "resync_of_a_torn_row_with_a_bad_block_fails",
		.col = { .resync = true, .parity_use = CASCADE_PARITY_NEVER },
		.bad_mask = A,
		.plan = { .method = CASCADE_METHOD_IMPOSSIBLE },
	},
};

static void plans_by_name(void **state)
{
	unsigned int i;

	(void)state;
	nr_cases = 0;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct cascade_column of_vector = v->col, *col = &of_vector;
		struct cascade_plan of_column, *plan = &of_column;

		col->data_mask = ALL & ~P;
		col->parity_mask = P;
		col->readable_mask = ALL & ~(v->out_mask | v->bad_mask);
		col->writable_mask = ALL & ~v->out_mask;
		cascade_plan_column(col, plan);
		nr_cases++;
		if (plan->member_read_mask != v->plan.member_read_mask ||
		    plan->ssd_read_mask != v->plan.ssd_read_mask ||
		    plan->rebuild_mask != v->plan.rebuild_mask ||
		    plan->lost_mask != v->plan.lost_mask || plan->method != v->plan.method ||
		    plan->write_mask != v->plan.write_mask)
			fail_column(col, plan, v->name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_by_name),
		cmocka_unit_test(every_column_of_three_members),
		cmocka_unit_test(every_column_of_four_members),
		cmocka_unit_test(every_column_of_five_members),
		cmocka_unit_test(every_column_of_four_members_with_two_parity),
		cmocka_unit_test(every_column_of_five_members_with_two_parity),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
