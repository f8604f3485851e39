/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A row's batch: which blocks its requests touch, and what is to be done about
 * them.
 */
#ifndef CASCADE_BATCH_H
#define CASCADE_BATCH_H

#include "stripe.h"

/**
 * struct cascade_piece - A part of a request that lies in one chunk.
 * @cell: The member's part of the row.
 * @first: First sector, counted from the row's start.
 * @nr_sectors: How many.
 */
struct cascade_piece {
	struct cascade_cell *cell;
	u32 first;
	u32 nr_sectors;
};

/**
 * cascade_batch_next_piece() - Cut the next piece off a request.
 * @st: Row that the request lies in.
 * @sect: Where the piece begins; moved behind it.
 * @left: Sectors left, not 0; lessened by it.
 * @piece: Filled.
 *
 * Context: Any context.
 */
void cascade_batch_next_piece(struct cascade_row *st, lsect_t *sect, u32 *left,
			      struct cascade_piece *piece);

/**
 * cascade_batch_touches() - Whether a request has to do with some columns.
 * @st: Row.
 * @io: Request of its batch.
 * @columns: Mask of columns.
 *
 * Context: Any context.
 * Return: True if it reads or writes one of them; a resync has to do with all.
 */
bool cascade_batch_touches(struct cascade_row *st, const struct cascade_io *io, u16 columns);

/**
 * cascade_batch_is_lost() - Whether a read asks for a block that cannot be had.
 * @st: Row whose batch was planned.
 * @io: Read of its batch.
 *
 * Context: Any context.
 * Return: True if it does.
 */
bool cascade_batch_is_lost(struct cascade_row *st, const struct cascade_io *io);

/**
 * cascade_batch_begin() - Find out what a batch reads and writes.
 * @st: Busy row whose batch has not begun.
 *
 * Context: Any context.
 */
void cascade_batch_begin(struct cascade_row *st);

/**
 * cascade_batch_plan() - Decide about each column, and get the memory for it.
 * @st: Busy row whose batch has begun; blocks known as bad are taken into account.
 *
 * Context: Any context.
 * Return: True; or false if the row has to wait for memory: it is not the
 *	caller's any more then.
 */
bool cascade_batch_plan(struct cascade_row *st);

#endif /* CASCADE_BATCH_H */
