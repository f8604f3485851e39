/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One backing device: where its data lies, whether it is used, and what happens
 * when it fails.
 *
 * A member that fails is out from that moment: no request is planned for it any
 * more.
 * Before a write that it missed is acknowledged, its absence is durable on the
 * others (meta.h). What would be beyond the level's redundancy is not recorded:
 * the member stays, and its requests end with errors.
 */
#ifndef CASCADE_MEMBER_H
#define CASCADE_MEMBER_H

#include "cascade.h"

/**
 * cascade_member_usable() - Whether a member is read and written.
 * @c: Instance.
 * @slot: Member.
 *
 * Context: Any context, no lock.
 * Return: False if it is missing or out.
 */
static inline bool cascade_member_usable(const struct cascade *c, slot_t slot)
{
	return !(READ_ONCE(c->out_mask) & BIT_ULL(slot));
}

/**
 * cascade_member_remap() - Point a bio at a member.
 * @m: Member with a device.
 * @bio: Bio.
 * @sect: Sector of the member's data area.
 *
 * Context: Any context.
 */
static inline void cascade_member_remap(const struct cascade_member *m, struct bio *bio,
					msect_t sect)
{
	bio_set_dev(bio, m->bdev);
	bio->bi_iter.bi_sector = m->data_offset_sectors + sect.s;
}

/**
 * cascade_member_fail() - Put a member out, unless it is the last that is needed.
 * @c: Instance.
 * @slot: Member.
 * @why: What happened, for the log.
 *
 * Raises an event and asks for the superblocks to be written.
 *
 * Context: Any context; takes c->state_lock and c->meta.lock.
 * Return: True if the member is out now and the array lives on; false if it is
 *	needed: it is dead then, and an array with parity is broken: its writes end with
 *	errors.
 */
bool cascade_member_fail(struct cascade *c, slot_t slot, const char *why);

/**
 * cascade_member_retire() - Put out a member that did nothing wrong.
 * @c: Instance.
 * @slot: Member.
 * @why: Why, for the log.
 *
 * Context: Any context; takes c->state_lock and c->meta.lock.
 * Return: 0; -EALREADY if it is out or missing; -EBUSY if the array needs it.
 */
int cascade_member_retire(struct cascade *c, slot_t slot, const char *why);

/**
 * cascade_member_epoch_id() - Make an id for an epoch.
 *
 * Context: Any context.
 * Return: A random number, not 0.
 */
u64 cascade_member_epoch_id(void);

/**
 * cascade_member_health() - Health of each member as status tells it.
 * @c: Instance.
 * @health: Room for one letter a member and a NUL.
 *
 * Context: Any context; takes c->state_lock.
 */
void cascade_member_health(struct cascade *c, char *health);

#endif /* CASCADE_MEMBER_H */
