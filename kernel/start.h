/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life of a table between its constructor and its destructor.
 */
#ifndef CASCADE_START_H
#define CASCADE_START_H

#include "cascade.h"

/**
 * cascade_preresume() - Read the array's state, or format the members.
 * @ti: Target.
 *
 * Context: Process; no request is on its way.
 * Return: 0, or a negative errno: the resume fails.
 */
int cascade_preresume(struct dm_target *ti);

/**
 * cascade_resume() - Let background work go on.
 * @ti: Target.
 *
 * Context: Process.
 */
void cascade_resume(struct dm_target *ti);

/**
 * cascade_presuspend() - Stop background work.
 * @ti: Target.
 *
 * Context: Process.
 */
void cascade_presuspend(struct dm_target *ti);

/**
 * cascade_postsuspend() - Write the last superblock: nothing is written after it.
 * @ti: Target.
 *
 * Context: Process; all requests have ended. Runs at remove as well.
 */
void cascade_postsuspend(struct dm_target *ti);

#endif /* CASCADE_START_H */
