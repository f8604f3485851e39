// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of columns that no array would ask for: any masks of 64 slots, any number of
 * parity blocks. An input is nine masks of 8 bytes and a byte for the rest; what is
 * missing is zero. Whatever is asked, what the plan touches must be there to be
 * touched, and be enough; and it must not matter which slot is the first.
 */
#include "core/plan.h"

#define NR_MASKS 9u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes);

static void must(bool kept)
{
	if (!kept)
		abort();
}

static bool within(u64 mask, u64 of)
{
	return !(mask & ~of);
}

static void read_column(struct cascade_column *col, const uint8_t *data, size_t nr_bytes)
{
	uint8_t bytes[NR_MASKS * 8 + 1] = { 0 };
	u64 masks[NR_MASKS];
	unsigned int i, j;
	u64 all;

	memcpy(bytes, data, min(nr_bytes, sizeof(bytes)));
	for (i = 0; i < NR_MASKS; i++)
		for (masks[i] = 0, j = 0; j < 8; j++)
			masks[i] |= (u64)bytes[8 * i + j] << (8 * j);
	memset(col, 0, sizeof(*col));
	col->data_mask = masks[0];
	col->parity_mask = masks[1] & ~masks[0];
	all = col->data_mask | col->parity_mask;
	col->full_mask = masks[2] & col->data_mask;
	col->part_mask = masks[3] & col->data_mask & ~col->full_mask;
	col->want_mask = masks[4] & col->data_mask;
	col->memory_mask = masks[5] & all;
	col->ssd_mask = masks[6] & all;
	col->readable_mask = masks[7] & all;
	col->writable_mask = masks[8] & all;
	col->parity_use = (bytes[8 * NR_MASKS] & 0x7f) % 3;
	col->resync = bytes[8 * NR_MASKS] >> 7;
}

static void check_method(const struct cascade_column *col, const struct cascade_plan *plan,
			 u64 have)
{
	u64 written = col->full_mask | col->part_mask;
	u64 parity = col->parity_mask & col->writable_mask;
	u64 out = col->data_mask & ~col->writable_mask;
	u64 bad = col->data_mask & ~out & ~col->readable_mask & ~written;

	/* Bad sectors may stay where parity stands in for them beside what is out. */
	if (!(written & out) || hweight64(out | bad) <= hweight64(parity))
		bad = 0;
	switch (plan->method) {
	case CASCADE_METHOD_NONE:
		must(!written && !col->resync && !plan->write_mask);
		return;
	case CASCADE_METHOD_IMPOSSIBLE:
		must((written || col->resync) && !plan->write_mask);
		return;
	case CASCADE_METHOD_FULL_ROW:
		must(parity && col->full_mask == col->data_mask);
		break;
	case CASCADE_METHOD_RECONSTRUCT_WRITE:
		must(parity && within(col->data_mask & ~col->full_mask, have));
		break;
	case CASCADE_METHOD_READ_MODIFY_WRITE:
		must(parity && within(written | parity, have));
		must(!col->resync && col->parity_use != CASCADE_PARITY_NEVER);
		break;
	case CASCADE_METHOD_DATA_ONLY:
		must(within(written, col->writable_mask) && within(col->part_mask, have));
		must(!parity || col->parity_use == CASCADE_PARITY_NEVER);
		parity = 0;
		break;
	default:
		abort();
	}
	must(within(bad, have));
	must(plan->write_mask == ((written & col->writable_mask) | bad | parity));
	if (written & out)
		must(hweight64(out) <= hweight64(parity));
}

static void check_plan(const struct cascade_column *col, const struct cascade_plan *plan)
{
	u64 at_hand = col->memory_mask | col->ssd_mask | col->readable_mask;
	u64 reads = plan->member_read_mask | plan->ssd_read_mask;
	u64 known = col->memory_mask | reads;
	unsigned int nr_gone = hweight64(col->data_mask & ~at_hand);

	must(within(plan->member_read_mask, col->readable_mask & ~col->ssd_mask));
	must(within(plan->ssd_read_mask, col->ssd_mask));
	must(!(reads & col->memory_mask));
	must(within(plan->rebuild_mask, (col->data_mask | col->parity_mask) & ~at_hand));
	must(within(plan->lost_mask, col->want_mask & ~at_hand));
	must(within(col->want_mask & ~plan->lost_mask, known | plan->rebuild_mask));
	/* A rebuild has all other data, and a parity block for each that is gone. */
	if (plan->rebuild_mask) {
		must(within(col->data_mask & at_hand, known));
		must(nr_gone <= hweight64(col->parity_mask & known));
	}
	if (col->parity_use == CASCADE_PARITY_NEVER)
		must(!(reads & col->parity_mask) && !(plan->rebuild_mask & col->data_mask));
	check_method(col, plan, known | plan->rebuild_mask);
}

static u64 turned(u64 mask, unsigned int by)
{
	return by ? mask << by | mask >> (64 - by) : mask;
}

static void turn(struct cascade_column *col, unsigned int by)
{
	col->data_mask = turned(col->data_mask, by);
	col->parity_mask = turned(col->parity_mask, by);
	col->full_mask = turned(col->full_mask, by);
	col->part_mask = turned(col->part_mask, by);
	col->want_mask = turned(col->want_mask, by);
	col->memory_mask = turned(col->memory_mask, by);
	col->ssd_mask = turned(col->ssd_mask, by);
	col->readable_mask = turned(col->readable_mask, by);
	col->writable_mask = turned(col->writable_mask, by);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes)
{
	unsigned int by = nr_bytes % 64;
	struct cascade_plan plan, other;
	struct cascade_column col;
	bool impossible;

	read_column(&col, data, nr_bytes);
	memset(&plan, 0xff, sizeof(plan));
	cascade_plan_column(&col, &plan);
	check_plan(&col, &plan);
	impossible = plan.method == CASCADE_METHOD_IMPOSSIBLE;

	turn(&col, by);
	memset(&other, 0, sizeof(other));
	cascade_plan_column(&col, &other);
	must(other.lost_mask == turned(plan.lost_mask, by));
	must(other.write_mask == turned(plan.write_mask, by));
	must((other.method == CASCADE_METHOD_IMPOSSIBLE) == impossible);
	/*
	 * Of equal parity blocks, or of equal methods, any may be taken. With more than
	 * one sum that is not trusted, what costs least is not all that counts.
	 */
	if (col.parity_use == CASCADE_PARITY_LAST_RESORT && hweight64(col.parity_mask) > 1)
		return 0;
	must(hweight64(other.member_read_mask) == hweight64(plan.member_read_mask));
	must(hweight64(other.ssd_read_mask) == hweight64(plan.ssd_read_mask));
	return 0;
}
