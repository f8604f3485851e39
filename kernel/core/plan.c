// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan for one column: enumerates the possible methods, takes the cheapest.
 */
#include "plan.h"

/* Blocks that have to be in memory before a method can compute. */
struct need {
	u64 read_mask;
	u64 rebuild_mask;
	unsigned int cost;
	bool possible;
};

static u64 reachable(const struct cascade_column *col)
{
	return col->memory_mask | col->ssd_mask | col->readable_mask;
}

/* One block of a mask, of those that cost most to have; @had_mask costs nothing more. */
static u64 dearest(const struct cascade_column *col, u64 mask, u64 had_mask)
{
	u64 to_read_mask = mask & ~had_mask;
	u64 on_disk_mask = to_read_mask & ~col->ssd_mask;

	if (on_disk_mask)
		return on_disk_mask & -on_disk_mask;
	if (to_read_mask)
		return to_read_mask & -to_read_mask;
	return mask & -mask;
}

/*
 * What it takes to have the blocks of @mask. Those that cannot be reached are
 * rebuilt: that takes all other data of the column and as many parity blocks as
 * there are data blocks out of reach. A parity block that is wanted but out of
 * reach is computed from all data.
 */
static struct need need_blocks(const struct cascade_column *col, u64 mask)
{
	u64 at_hand = reachable(col);
	u64 gone_mask = mask & ~at_hand;
	struct need need = { .read_mask = mask & at_hand, .possible = true };

	if (gone_mask) {
		u64 gone_data_mask = col->data_mask & ~at_hand;
		u64 parity_mask = col->parity_mask & at_hand;

		if (hweight64(gone_data_mask) > hweight64(parity_mask) ||
		    (gone_data_mask && col->parity_use == CASCADE_PARITY_NEVER)) {
			need.possible = false;
			return need;
		}
		while (hweight64(parity_mask) > hweight64(gone_data_mask))
			parity_mask &= ~dearest(col, parity_mask, col->memory_mask | mask);
		need.rebuild_mask = gone_data_mask | gone_mask;
		need.read_mask |= (col->data_mask & at_hand) | parity_mask;
	}
	need.cost = hweight64(need.read_mask & ~col->memory_mask & col->ssd_mask) *
			    CASCADE_COST_SSD_READ +
		    hweight64(need.read_mask & ~col->memory_mask & ~col->ssd_mask) *
			    CASCADE_COST_DISK_READ;
	return need;
}

static void plan_reads(const struct cascade_column *col, struct cascade_plan *plan,
		       u64 *present_mask)
{
	u64 rest = col->want_mask;

	while (rest) {
		u64 bit = rest & -rest;

		rest &= ~bit;
		if (need_blocks(col, bit).possible)
			*present_mask |= bit;
		else
			plan->lost_mask |= bit;
	}
}

/*
 * New data of a member that is out lives on in parity alone: it can be had again
 * only while no more members are out than parity is written, and no bad sector is
 * left beside it. Sets @mend_mask to the bad sectors to rebuild and write anew.
 */
static bool writes_land(const struct cascade_column *col, u64 written_mask, u64 *mend_mask)
{
	unsigned int nr_parity = hweight64(col->parity_mask & col->writable_mask);
	u64 gone_mask = col->data_mask & ~col->writable_mask;
	u64 bad_mask = col->data_mask & ~gone_mask & ~col->readable_mask & ~written_mask;

	*mend_mask = 0;
	if (!(gone_mask & written_mask))
		return true;
	if (hweight64(gone_mask | bad_mask) > nr_parity)
		*mend_mask = bad_mask;
	return hweight64(gone_mask) <= nr_parity;
}

static void plan_writes(const struct cascade_column *col, struct cascade_plan *plan,
			u64 *present_mask)
{
	u64 written_mask = col->full_mask | col->part_mask;
	u64 parity_mask = col->parity_mask & col->writable_mask;
	struct need modify, reconstruct;
	u64 mend_mask;

	if (!written_mask && !col->resync)
		return;
	plan->write_mask = (written_mask & col->writable_mask) | parity_mask;
	plan->method = CASCADE_METHOD_IMPOSSIBLE;
	if (!writes_land(col, written_mask, &mend_mask))
		return;
	plan->write_mask |= mend_mask;
	/* Whatever the method, these and what reads take are needed. */
	mend_mask |= *present_mask;
	if (!parity_mask) {
		if (need_blocks(col, *present_mask | col->part_mask).possible) {
			*present_mask |= col->part_mask;
			plan->method = CASCADE_METHOD_DATA_ONLY;
		}
		return;
	}
	if (col->full_mask == col->data_mask) {
		plan->method = CASCADE_METHOD_FULL_ROW;
		return;
	}
	reconstruct = need_blocks(col, mend_mask | (col->data_mask & ~col->full_mask));
	/* A bad sector beside what is written is made anew, whatever the method. */
	if (reconstruct.possible)
		mend_mask |= col->data_mask & col->writable_mask & ~reachable(col) & ~written_mask;
	modify = need_blocks(col, mend_mask | written_mask | parity_mask);
	if (col->resync || col->parity_use == CASCADE_PARITY_NEVER)
		modify.possible = false;
	else if (col->parity_use == CASCADE_PARITY_LAST_RESORT && reconstruct.possible &&
		 !(reconstruct.rebuild_mask & col->data_mask))
		modify.possible = false;

	if (modify.possible && (!reconstruct.possible || modify.cost <= reconstruct.cost)) {
		plan->method = CASCADE_METHOD_READ_MODIFY_WRITE;
		*present_mask = mend_mask | written_mask | parity_mask;
	} else if (reconstruct.possible) {
		plan->method = CASCADE_METHOD_RECONSTRUCT_WRITE;
		*present_mask = mend_mask | (col->data_mask & ~col->full_mask);
	} else if (col->parity_use == CASCADE_PARITY_NEVER && !col->resync &&
		   !(written_mask & ~col->writable_mask) &&
		   need_blocks(col, *present_mask | col->part_mask).possible) {
		/* Parity is garbage and stays so: the column remains to be synced. */
		*present_mask |= col->part_mask;
		plan->method = CASCADE_METHOD_DATA_ONLY;
		plan->write_mask = written_mask & col->writable_mask;
	}
}

void cascade_plan_column(const struct cascade_column *col, struct cascade_plan *plan)
{
	u64 present_mask = 0;
	struct need need;
	u64 read_mask;

	memset(plan, 0, sizeof(*plan));
	plan_reads(col, plan, &present_mask);
	plan_writes(col, plan, &present_mask);
	if (plan->method == CASCADE_METHOD_IMPOSSIBLE)
		plan->write_mask = 0;

	need = need_blocks(col, present_mask);
	read_mask = need.read_mask & ~col->memory_mask;
	plan->ssd_read_mask = read_mask & col->ssd_mask;
	plan->member_read_mask = read_mask & ~col->ssd_mask;
	plan->rebuild_mask = need.rebuild_mask;
}
