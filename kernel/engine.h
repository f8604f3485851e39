/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine carries out what the plan decided, row by row.
 */
#ifndef CASCADE_ENGINE_H
#define CASCADE_ENGINE_H

#include "cascade.h"

/**
 * cascade_engine_submit() - Have a request carried out by its row.
 * @c: Instance of a level with parity.
 * @unit: Row that all of the request lies in.
 * @io: Request with kind, iter, sect, rest_bytes and status set. It is the
 *	engine's until it is ended: a bio by bio_endio(), or, where a part of it
 *	remains, by cascade_engine_later(); a resync by its done function.
 *
 * Does not sleep for memory. Bios are submitted from here if the row was idle.
 *
 * Context: Process.
 */
void cascade_engine_submit(struct cascade *c, u64 unit, struct cascade_io *io);

/**
 * cascade_engine_later() - Hand a request to the worker for failed requests.
 * @c: Instance.
 * @io: A request that its member failed, or of which a part is still to be done.
 *
 * Context: Any context.
 */
void cascade_engine_later(struct cascade *c, struct cascade_io *io);

/**
 * cascade_engine_work() - Carry on the ready rows of a shard.
 * @work: In struct cascade_shard.
 *
 * Context: Process.
 */
void cascade_engine_work(struct work_struct *work);

#endif /* CASCADE_ENGINE_H */
