/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gathers sequential small writes into whole rows before anything is read.
 *
 * A write that goes on where another one ended, and that opens a row, is held:
 * its row begins when it is whole, or when no request for it came for a while. A
 * writer that waits for each of its writes gains nothing from that, so a hold that
 * nothing came for makes the next streams go unheld, for longer each time.
 */
#ifndef CASCADE_GATHER_H
#define CASCADE_GATHER_H

#include "stripe.h"

/**
 * cascade_gather_init() - Set up gathering.
 * @c: Instance with members and rows.
 *
 * Context: Process.
 */
void cascade_gather_init(struct cascade *c);

/**
 * cascade_gather_exit() - Stop what gathering has under way; all rows are idle.
 * @c: Instance.
 *
 * Context: Process.
 */
void cascade_gather_exit(struct cascade *c);

/**
 * cascade_gather_hold() - Hold a row for the rest of a sequential write.
 * @st: Row that became busy with a request.
 * @io: That request.
 *
 * Context: Any context; takes the shard's lock.
 * Return: True if it is held: it is not the caller's any more.
 */
bool cascade_gather_hold(struct cascade_row *st, struct cascade_io *io);

#endif /* CASCADE_GATHER_H */
