/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a row computes once its reads are back: lost blocks, answers, new data,
 * parity.
 */
#ifndef CASCADE_COMPUTE_H
#define CASCADE_COMPUTE_H

#include "batch.h"
#include "stripe.h"

/**
 * cascade_compute_rebuild() - Compute the blocks that could not be read.
 * @st: Row whose reads are back.
 *
 * Those that a member failed to read are marked to be written: that repairs a bad
 * sector.
 *
 * Context: Process; uses vector registers.
 */
void cascade_compute_rebuild(struct cascade_row *st);

/**
 * cascade_compute_copy() - Copy between a request and the row.
 * @st: Row.
 * @io: A read, answered from the present blocks; or a write, copied into the new
 *	ones.
 *
 * Context: Process.
 */
void cascade_compute_copy(struct cascade_row *st, struct cascade_io *io);

/**
 * cascade_compute_writes() - Make new blocks and parity from the batch's writes.
 * @st: Row whose present blocks are all there.
 *
 * Context: Process; uses vector registers.
 */
void cascade_compute_writes(struct cascade_row *st);

#endif /* CASCADE_COMPUTE_H */
