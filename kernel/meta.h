/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Superblocks on the members: read at load, written when the array's state
 * changes.
 *
 * A write goes to all usable members: first copy everywhere, then second copy
 * everywhere, each durable before the next, and after a flush of all members
 * where what the superblock says rests on earlier writes. It has its own worker
 * and memory, and nothing on the I/O path holds what it needs.
 */
#ifndef CASCADE_META_H
#define CASCADE_META_H

#include "cascade.h"

/**
 * cascade_meta_init() - Allocate buffers and worker.
 * @c: Instance whose members are set.
 *
 * Context: Process; allocates.
 * Return: 0 or -ENOMEM; cascade_meta_exit() is called either way.
 */
int cascade_meta_init(struct cascade *c);

/**
 * cascade_meta_exit() - Free buffers and worker.
 * @c: Instance.
 *
 * Context: Process.
 */
void cascade_meta_exit(struct cascade *c);

/**
 * cascade_meta_read() - Read a member's superblock.
 * @c: Instance.
 * @slot: Member with a device.
 * @sb: Filled from the valid copy with the higher events counter.
 * @fault: If no copy is valid: what is wrong with the better one.
 *
 * Context: Process; waits for I/O.
 * Return: 0; -EBADMSG if no copy is valid; the error if none could be read.
 */
int cascade_meta_read(struct cascade *c, slot_t slot, struct cascade_sb *sb,
		      enum cascade_sb_fault *fault);

/**
 * cascade_meta_wipe() - Erase what a new member said of itself.
 * @c: Instance.
 * @slot: Member with a device.
 *
 * Its first and last MiB are zeroed, where signatures of all kinds lie, and the
 * second copy of a superblock.
 *
 * Context: Process; waits for I/O.
 * Return: 0 or a negative errno.
 */
int cascade_meta_wipe(struct cascade *c, slot_t slot);

/**
 * cascade_meta_store() - Write the array's state to all usable members.
 * @c: Instance.
 *
 * All members are flushed before, so that the state may speak of writes that have
 * ended. A member that fails a flush, or its write twice, is put out, and the new
 * state written.
 *
 * Context: Process; waits for I/O.
 * Return: 0 if the state is durable, -EIO if the array is broken.
 */
int cascade_meta_store(struct cascade *c);

/**
 * cascade_meta_recorded() - Whether all state changes so far are durable.
 * @c: Instance.
 *
 * Context: Any context.
 * Return: True if they are.
 */
static inline bool cascade_meta_recorded(const struct cascade *c)
{
	/* Pairs with cascade_member_fail(): a member seen as out is seen as wanted. */
	smp_rmb();
	return likely(READ_ONCE(c->meta.done) == READ_ONCE(c->meta.wanted));
}

/**
 * cascade_meta_wait() - Be told when all state changes so far are durable.
 * @c: Instance.
 * @waiter: Its done function is called once, maybe before this returns.
 *
 * Context: Any context.
 */
void cascade_meta_wait(struct cascade *c, struct cascade_waiter *waiter);

#endif /* CASCADE_META_H */
