/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every column of small arrays, one after the other, for whoever judges plans; and
 * a column in words for the judge that finds fault with one.
 *
 * Three members are tried in all combinations and orders. With more members the
 * states are dealt to the data slots in one order only, and turned by one slot from
 * case to case.
 */
#ifndef CASCADE_TEST_COLUMNS_H
#define CASCADE_TEST_COLUMNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/plan.h"

#define MEMBERS_MAX 5u
#define NR_METHODS (CASCADE_METHOD_IMPOSSIBLE + 1)

/* One member's share of a column. */
#define FULL 0x01u
#define PART 0x02u
#define WANT 0x04u
#define MEMORY 0x08u
#define SSD 0x10u
#define READABLE 0x20u
#define WRITABLE 0x40u

static const char *const method_names[NR_METHODS] = {
	"none", "full row", "reconstruct-write", "read-modify-write", "data only", "impossible",
};

static const char *const use_names[] = { "trusted", "last resort", "never" };

static unsigned long nr_cases, nr_of_method[NR_METHODS];

static inline bool within(u64 mask, u64 of)
{
	return !(mask & ~of);
}

static inline u64 written_mask(const struct cascade_column *col)
{
	return col->full_mask | col->part_mask;
}

static inline u64 reachable_mask(const struct cascade_column *col)
{
	return col->memory_mask | col->ssd_mask | col->readable_mask;
}

/* What is written and finds its member out. */
static inline u64 out_mask(const struct cascade_column *col)
{
	return written_mask(col) & ~col->writable_mask;
}

/*
 * New data of a member that is out lives on in parity and the other data. Where
 * parity cannot stand in for all that the members cannot read, bad sectors are to be
 * written anew.
 */
static inline u64 mend_mask(const struct cascade_column *col)
{
	u64 gone = col->data_mask & ~col->writable_mask;
	u64 bad = col->data_mask & col->writable_mask & ~col->readable_mask & ~written_mask(col);

	unsigned int nr_parity = hweight64(col->parity_mask & col->writable_mask);

	return out_mask(col) && hweight64(gone | bad) > nr_parity ? bad : 0;
}

static inline const char *yes(u64 mask, slot_t s, const char *word)
{
	return mask & BIT_ULL(s) ? word : "-";
}

static inline void fail_column(const struct cascade_column *col, const struct cascade_plan *plan,
			       const char *what)
{
	u64 all = col->data_mask | col->parity_mask;
	slot_t s;

	print_error("parity %s%s; method %s\n", use_names[col->parity_use],
		    col->resync ? ", resync" : "", method_names[plan->method]);
	print_error("%-11s | write want memory ssd readable writable | %s\n", "slot role",
		    "ssd disk rebuild lost write");
	for (s = 0; s < CASCADE_MEMBERS_MAX; s++) {
		u64 bit = BIT_ULL(s);

		if (!(all & bit))
			continue;
		print_error("%4u %-6s | %-5s %-4s %-6s %-3s %-8s %-8s | %-3s %-4s %-7s %-4s %s\n",
			    s, col->data_mask & bit ? "data" : "parity",
			    col->full_mask & bit ? "full" : yes(col->part_mask, s, "part"),
			    yes(col->want_mask, s, "yes"), yes(col->memory_mask, s, "yes"),
			    yes(col->ssd_mask, s, "yes"), yes(col->readable_mask, s, "yes"),
			    yes(col->writable_mask, s, "yes"),
			    yes(plan->ssd_read_mask, s, "ssd"),
			    yes(plan->member_read_mask, s, "yes"),
			    yes(plan->rebuild_mask, s, "yes"), yes(plan->lost_mask, s, "yes"),
			    yes(plan->write_mask, s, "yes"));
	}
	fail_msg("case %lu: %s", nr_cases, what);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_column(col, plan, #condition);                                        \
	} while (0)

/* Where a block can be and whether it can be written: whatever one can think of. */
static const u8 places_all[] = {
	0, MEMORY, SSD, READABLE, WRITABLE, MEMORY | SSD, MEMORY | READABLE, MEMORY | WRITABLE,
	SSD | READABLE, SSD | WRITABLE, READABLE | WRITABLE, MEMORY | SSD | READABLE,
	MEMORY | SSD | WRITABLE, MEMORY | READABLE | WRITABLE, SSD | READABLE | WRITABLE,
	MEMORY | SSD | READABLE | WRITABLE,
};

/* A member that takes no writes is not read either. */
static const u8 places_usual[] = {
	0, WRITABLE, READABLE | WRITABLE,
	MEMORY, MEMORY | WRITABLE, MEMORY | READABLE | WRITABLE,
	SSD, SSD | WRITABLE, SSD | READABLE | WRITABLE,
	MEMORY | SSD, MEMORY | SSD | WRITABLE, MEMORY | SSD | READABLE | WRITABLE,
};

static const u8 places_no_ssd[] = {
	0, WRITABLE, READABLE | WRITABLE, MEMORY, MEMORY | READABLE | WRITABLE,
};

struct domain {
	unsigned int nr_members;
	unsigned int nr_parity;
	bool all_orders;
	const u8 *places;
	unsigned int nr_places;
	void (*check)(const struct cascade_column *col, const struct cascade_plan *plan);
};

static inline void column_of(struct cascade_column *col, const struct domain *d, unsigned int turn,
			     const u8 *shares)
{
	unsigned int i;

	memset(col, 0, sizeof(*col));
	for (i = 0; i < d->nr_members; i++) {
		u64 bit = BIT_ULL((i + turn) % d->nr_members);

		if (i < d->nr_members - d->nr_parity)
			col->data_mask |= bit;
		else
			col->parity_mask |= bit;
		col->full_mask |= shares[i] & FULL ? bit : 0;
		col->part_mask |= shares[i] & PART ? bit : 0;
		col->want_mask |= shares[i] & WANT ? bit : 0;
		col->memory_mask |= shares[i] & MEMORY ? bit : 0;
		col->ssd_mask |= shares[i] & SSD ? bit : 0;
		col->readable_mask |= shares[i] & READABLE ? bit : 0;
		col->writable_mask |= shares[i] & WRITABLE ? bit : 0;
	}
}

static inline void try_column(const struct domain *d, struct cascade_column *col)
{
	static const enum cascade_parity_use uses[] = {
		CASCADE_PARITY_TRUSTED, CASCADE_PARITY_LAST_RESORT, CASCADE_PARITY_NEVER,
	};
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(uses); i++) {
		struct cascade_plan plan;

		col->parity_use = uses[i / 2];
		col->resync = i % 2;
		memset(&plan, 0xff, sizeof(plan));
		cascade_plan_column(col, &plan);
		nr_cases++;
		nr_of_method[plan.method]++;
		d->check(col, &plan);
	}
}

/* Deals shares to the members from @at on; data shares do not fall, unless in all orders. */
static inline void deal(const struct domain *d, u8 *shares, unsigned int at, unsigned int least)
{
	static const u8 wishes[] = { 0, FULL, PART, WANT, WANT | FULL, WANT | PART };
	bool is_data = at < d->nr_members - d->nr_parity;
	unsigned int nr = d->nr_places * (is_data ? ARRAY_SIZE(wishes) : 1);
	unsigned int i;

	if (at == d->nr_members) {
		struct cascade_column col;

		column_of(&col, d, nr_cases / 6 % d->nr_members, shares);
		try_column(d, &col);
		return;
	}
	for (i = is_data && !d->all_orders ? least : 0; i < nr; i++) {
		shares[at] = d->places[i % d->nr_places] | (is_data ? wishes[i / d->nr_places] : 0);
		deal(d, shares, at + 1, i);
	}
}

static inline void try_all(const struct domain *d)
{
	u8 shares[MEMBERS_MAX];
	int m;

	nr_cases = 0;
	memset(nr_of_method, 0, sizeof(nr_of_method));
	deal(d, shares, 0, 0);
	print_message("%u members, %u parity: %lu columns", d->nr_members, d->nr_parity, nr_cases);
	for (m = 0; m < NR_METHODS; m++) {
		print_message(", %lu %s", nr_of_method[m], method_names[m]);
		assert_true(nr_of_method[m]);
	}
	print_message("\n");
}

#endif /* CASCADE_TEST_COLUMNS_H */
