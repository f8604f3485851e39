/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The background walker: makes the parity of all rows right, from where the
 * superblock says that it is.
 */
#ifndef CASCADE_RESYNC_H
#define CASCADE_RESYNC_H

#include "cascade.h"

/**
 * cascade_resync_init() - Allocate the walker.
 * @c: Instance; levels without parity have none.
 *
 * Context: Process; allocates.
 * Return: 0 or -ENOMEM; cascade_resync_exit() is called either way.
 */
int cascade_resync_init(struct cascade *c);

/**
 * cascade_resync_exit() - Free the walker; it has stopped.
 * @c: Instance.
 *
 * Context: Process.
 */
void cascade_resync_exit(struct cascade *c);

/**
 * cascade_resync_kick() - Let the walker go on, if there is work and it may.
 * @c: Instance.
 *
 * Context: Process.
 */
void cascade_resync_kick(struct cascade *c);

/**
 * cascade_resync_stop() - Stop the walker, and wait for the window on its way.
 * @c: Instance.
 *
 * Context: Process; waits for member I/O.
 */
void cascade_resync_stop(struct cascade *c);

/**
 * cascade_resync_action() - What the walker does.
 * @c: Instance.
 *
 * Context: Any context.
 * Return: Idle, resync or frozen.
 */
enum cascade_sync_action cascade_resync_action(const struct cascade *c);

#endif /* CASCADE_RESYNC_H */
