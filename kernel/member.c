// SPDX-License-Identifier: GPL-2.0-only
/*
 * One backing device: what happens when it fails.
 */
#include <linux/random.h>

#include "member.h"

u64 cascade_member_epoch_id(void)
{
	u64 id;

	do {
		id = get_random_u64();
	} while (!id);
	return id;
}

static void put_out_locked(struct cascade *c, slot_t slot)
{
	u64 bit = BIT_ULL(slot);

	lockdep_assert_held(&c->state_lock);
	c->members[slot].state = CASCADE_MEMBER_OUT;
	cascade_sb_begin_epoch(&c->sb, cascade_member_epoch_id(), bit);
	/* Whoever sees the bit also sees that a record of it is wanted. */
	if (!(c->args & CASCADE_ARG_READ_ONLY))
		cascade_want_record(c);
	smp_wmb(); /* pairs with cascade_meta_recorded() */
	WRITE_ONCE(c->out_mask, c->out_mask | bit);
}

static void announce_out(struct cascade *c, slot_t slot, const char *why)
{
	cascade_err(c, "member %u (%s): %s: failed, the array goes on without it", slot,
		    c->members[slot].name, why);
	schedule_work(&c->event_work);
}

static void announce_broken(struct cascade *c, slot_t slot, const char *why, bool first)
{
	if (c->needs_all)
		cascade_err(c, "member %u (%s): %s: rows are torn, and the array does not start without it; start read-only, or without it with \"force\"",
			    slot, c->members[slot].name, why);
	else if (!c->geo.nr_parity)
		cascade_err(c, "member %u (%s): %s: failed, what it holds is lost to the array",
			    slot, c->members[slot].name, why);
	else if (first)
		cascade_err(c, "member %u (%s): %s: more members are lost than %s bears, writes end with errors",
			    slot, c->members[slot].name, why, cascade_geo_level_name(c->geo.level));
	else
		cascade_err(c, "member %u (%s): %s: lost too", slot, c->members[slot].name, why);
	schedule_work(&c->event_work);
}

bool cascade_member_fail(struct cascade *c, slot_t slot, const char *why)
{
	bool survives, first, was_dead;
	u64 bit = BIT_ULL(slot);
	unsigned long flags;

	spin_lock_irqsave(&c->state_lock, flags);
	if (c->out_mask & bit) {
		survives = !c->broken;
		spin_unlock_irqrestore(&c->state_lock, flags);
		return survives;
	}
	survives = cascade_geo_survives(&c->geo, c->out_mask | bit) && !c->needs_all;
	first = !c->broken;
	was_dead = c->dead_mask & bit;
	if (survives) {
		put_out_locked(c, slot);
	} else {
		WRITE_ONCE(c->dead_mask, c->dead_mask | bit);
		/* Without parity the others' data is whole as it is. */
		if (c->geo.nr_parity)
			WRITE_ONCE(c->broken, true);
	}
	spin_unlock_irqrestore(&c->state_lock, flags);

	if (survives)
		announce_out(c, slot, why);
	else if (!was_dead)
		announce_broken(c, slot, why, first);
	return survives;
}

int cascade_member_retire(struct cascade *c, slot_t slot, const char *why)
{
	unsigned long flags;
	int r = 0;

	spin_lock_irqsave(&c->state_lock, flags);
	if (c->out_mask & BIT_ULL(slot))
		r = -EALREADY;
	else if (c->broken || !cascade_geo_survives(&c->geo, c->out_mask | BIT_ULL(slot)))
		r = -EBUSY;
	else
		put_out_locked(c, slot);
	spin_unlock_irqrestore(&c->state_lock, flags);
	if (!r)
		announce_out(c, slot, why);
	return r;
}

void cascade_member_health(struct cascade *c, char *health)
{
	unsigned long flags;
	slot_t s;

	spin_lock_irqsave(&c->state_lock, flags);
	for (s = 0; s < c->geo.nr_members; s++) {
		switch (c->members[s].state) {
		case CASCADE_MEMBER_MISSING:
			health[s] = '-';
			break;
		case CASCADE_MEMBER_IN_SYNC:
			health[s] = c->dead_mask & BIT_ULL(s) ? 'D' : 'A';
			break;
		case CASCADE_MEMBER_OUT:
			health[s] = 'D';
			break;
		}
	}
	health[s] = '\0';
	spin_unlock_irqrestore(&c->state_lock, flags);
}
