/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: what to read, compute and write for one column of a row.
 *
 * A column is one 4 KiB block of each member at the same offset of a row. Columns
 * do not depend on each other, so all that has to be decided about a row with
 * parity is decided a column at a time, by a pure function of what is written,
 * what is in memory or on the SSD, and which members can be read.
 *
 * Ways to make parity right after a write:
 *
 *	full row		P = sum of the new data; nothing is read
 *	reconstruct-write	P = sum of the new data and of the other old data
 *	read-modify-write	P = old P + old data + new data of what is written
 *	data only		no parity member can be written
 *
 * (and Q likewise with coefficients). Of those possible, the one with the least
 * cost of reads is taken. A block that cannot be read is rebuilt from the others,
 * where parity may be trusted.
 */
#ifndef CASCADE_CORE_PLAN_H
#define CASCADE_CORE_PLAN_H

#include "geo.h"
#include "units.h"

/** enum cascade_parity_use - Whether the parity on disk may be used. */
enum cascade_parity_use {
	CASCADE_PARITY_TRUSTED,
	CASCADE_PARITY_LAST_RESORT,	/* fresh, or torn with a member out: better than nothing */
	CASCADE_PARITY_NEVER,		/* torn: its sum is garbage */
};

/** enum cascade_method - How a column is written. */
enum cascade_method {
	CASCADE_METHOD_NONE,		/* nothing is written */
	CASCADE_METHOD_FULL_ROW,
	CASCADE_METHOD_RECONSTRUCT_WRITE,
	CASCADE_METHOD_READ_MODIFY_WRITE,
	CASCADE_METHOD_DATA_ONLY,
	CASCADE_METHOD_IMPOSSIBLE,	/* too much is lost: the writes fail */
};

/* Costs of one block; only their ratio matters. */
#define CASCADE_COST_DISK_READ 16u
#define CASCADE_COST_SSD_READ 1u

/**
 * struct cascade_column - What is known of a column before it is carried out.
 * @data_mask: Slots that hold data in this row.
 * @parity_mask: Slots that hold P (and Q).
 * @full_mask: Data slots whose block is overwritten whole.
 * @part_mask: Data slots whose block is overwritten in part.
 * @want_mask: Data slots whose present block is asked for by reads.
 * @memory_mask: Slots whose present block is in memory.
 * @ssd_mask: Slots whose present block can be read from the SSD.
 * @readable_mask: Slots whose present block can be read from their member.
 * @writable_mask: Slots whose member takes writes.
 * @parity_use: Whether parity on disk may be used.
 * @resync: Parity is to be made right, whatever is written.
 */
struct cascade_column {
	u64 data_mask;
	u64 parity_mask;
	u64 full_mask;
	u64 part_mask;
	u64 want_mask;
	u64 memory_mask;
	u64 ssd_mask;
	u64 readable_mask;
	u64 writable_mask;
	enum cascade_parity_use parity_use;
	bool resync;
};

/**
 * struct cascade_plan - What to do with a column, in the order of the fields.
 * @member_read_mask: Blocks to read from their members.
 * @ssd_read_mask: Blocks to read from the SSD.
 * @rebuild_mask: Present blocks to compute from the others, once these are read.
 * @lost_mask: Blocks asked for by reads that cannot be had.
 * @method: How parity is made right.
 * @write_mask: Blocks to write to their members, data and parity.
 */
struct cascade_plan {
	u64 member_read_mask;
	u64 ssd_read_mask;
	u64 rebuild_mask;
	u64 lost_mask;
	enum cascade_method method;
	u64 write_mask;
};

/**
 * cascade_plan_column() - Decide how to carry out a column.
 * @col: What is known.
 * @plan: Filled.
 *
 * Context: Any context. Pure: the same question has the same answer.
 */
void cascade_plan_column(const struct cascade_column *col, struct cascade_plan *plan);

#endif /* CASCADE_CORE_PLAN_H */
