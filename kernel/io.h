/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life of one bio: where it goes, and what happens when a member fails it.
 */
#ifndef CASCADE_IO_H
#define CASCADE_IO_H

#include "cascade.h"

/**
 * cascade_map() - Device-mapper's map method.
 * @ti: Target.
 * @bio: Request.
 *
 * Context: Process.
 * Return: DM_MAPIO_*.
 */
int cascade_map(struct dm_target *ti, struct bio *bio);

/**
 * cascade_end_io() - Device-mapper's end_io method.
 * @ti: Target.
 * @bio: Request that a member, or the engine, has ended.
 * @error: Its status.
 *
 * Context: Any context.
 * Return: DM_ENDIO_DONE, or DM_ENDIO_INCOMPLETE where the array answers instead
 *	of the member.
 */
int cascade_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error);

/**
 * cascade_io_later_work() - Take care of requests that a member failed.
 * @work: In struct cascade.
 *
 * Context: Process.
 */
void cascade_io_later_work(struct work_struct *work);

#endif /* CASCADE_IO_H */
