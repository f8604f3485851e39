/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gathers sequential small writes into whole rows before anything is read.
 *
 * A write that goes on where another one ended, and that opens a row while the
 * row before is still being carried out, is held: its row begins when it is whole,
 * or when the batch of the row before ends. So a row gathers for as long as the
 * members are busy with the stream anyway, and a writer that waits for each of
 * its writes is never held.
 */
#ifndef CASCADE_GATHER_H
#define CASCADE_GATHER_H

#include "stripe.h"

/**
 * cascade_gather_follows() - Note where a write ends, and whether it goes on.
 * @c: Instance.
 * @io: Request that comes in.
 *
 * Context: Any context.
 * Return: True if it is a write that begins where another one ended, and that may
 *	be held.
 */
bool cascade_gather_follows(struct cascade *c, struct cascade_io *io);

/**
 * cascade_gather_hold() - Hold a row for the rest of a sequential write.
 * @st: Row that became busy with a request.
 * @io: That request, which goes on with a stream.
 *
 * Context: Any context; takes locks of shards, one after the other.
 * Return: True if it is held, or was meanwhile carried on: it is not the caller's
 *	any more.
 */
bool cascade_gather_hold(struct cascade_row *st, struct cascade_io *io);

#endif /* CASCADE_GATHER_H */
