// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resume and suspend. What a superblock says of a start:
 *
 *	clean	the array was stopped in order: parity below synced_sectors is
 *		right on the disks, which were flushed before that was written
 *	dirty	it was not: any row may be torn; all parity is made right again, or
 *		with a member missing the start is refused without "force"
 */
#include <linux/slab.h>

#include "member.h"
#include "meta.h"
#include "resync.h"
#include "start.h"
#include "stripe.h"

static bool read_only(const struct cascade *c)
{
	return c->args & CASCADE_ARG_READ_ONLY;
}

static int format(struct cascade *c)
{
	slot_t s;
	int r;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];

		m->state = m->bdev ? CASCADE_MEMBER_IN_SYNC : CASCADE_MEMBER_MISSING;
		if (!m->bdev) {
			c->out_mask |= BIT_ULL(s);
			continue;
		}
		c->sb.slots[s].state = CASCADE_SLOT_IN_SYNC;
		c->sb.slots[s].dropped_epoch = 0;
		r = cascade_meta_wipe(c, s);
		if (r) {
			cascade_err(c, "member %u (%s): cannot be formatted: error %d", s, m->name,
				    r);
			return r;
		}
	}
	return 0;
}

static int read_states(struct cascade *c, struct cascade_sb *sbs, const struct cascade_sb **given)
{
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		enum cascade_sb_fault fault;
		const char *differs;
		int r;

		given[s] = NULL;
		/* What the constructor could not read was not checked either. */
		if (!c->members[s].bdev || !c->members[s].data_offset_sectors)
			continue;
		r = cascade_meta_read(c, s, &sbs[s], &fault);
		if (r == -ENOMEM)
			return r;
		if (r) {
			cascade_err(c, "member %u (%s): superblock cannot be read: %s", s,
				    c->members[s].name,
				    r == -EBADMSG ? cascade_sb_fault_text(fault) : "I/O error");
			continue;
		}
		differs = cascade_sb_same_shape(&c->sb, &sbs[s]);
		if (differs || sbs[s].slot != s) {
			cascade_err(c, "member %u (%s) changed since the table was loaded: %s", s,
				    c->members[s].name, differs ? differs : "slot");
			return -EINVAL;
		}
		given[s] = &sbs[s];
	}
	return 0;
}

/* Takes one member's verdict in; returns whether the array may start with it. */
static int judge(struct cascade *c, slot_t slot, enum cascade_verdict verdict)
{
	struct cascade_member *m = &c->members[slot];
	const char *why = NULL;

	m->state = m->bdev ? CASCADE_MEMBER_OUT : CASCADE_MEMBER_MISSING;
	switch (verdict) {
	case CASCADE_DEVICE_CURRENT:
		m->state = CASCADE_MEMBER_IN_SYNC;
		return 0;
	case CASCADE_DEVICE_ABSENT:
		break;
	case CASCADE_DEVICE_REBUILDING:
	case CASCADE_DEVICE_STALE:
		cascade_warn(c, "member %u (%s) missed writes: it is not used", slot, m->name);
		break;
	case CASCADE_DEVICE_FOREIGN:
		why = "belongs to another array";
		break;
	case CASCADE_DEVICE_CLONE:
		why = "is a copy: its slot belongs to another device";
		break;
	case CASCADE_DEVICE_DIVERGED:
		why = "was used apart from the other members: start one half alone";
		break;
	}
	c->out_mask |= BIT_ULL(slot);
	if (!why)
		return 0;
	cascade_err(c, "member %u (%s) %s", slot, m->name, why);
	return -EINVAL;
}

static int judge_all(struct cascade *c, const struct cascade_sb *const *given)
{
	enum cascade_verdict verdicts[CASCADE_MEMBERS_MAX];
	slot_t chosen, s;
	int choose, r = 0;

	choose = cascade_sb_choose(given, c->geo.nr_members, verdicts, &chosen);
	if (choose == -ENOENT) {
		cascade_err(c, "no member's superblock can be read");
		return choose;
	}
	for (s = 0; s < c->geo.nr_members; s++) {
		int e = judge(c, s, verdicts[s]);

		r = r ? r : e;
	}
	r = r ? r : choose;
	if (!r)
		c->sb = *given[chosen];
	return r;
}

/* Slots that the last state has in sync and that are not here any more. */
static u64 newly_gone(const struct cascade *c)
{
	u64 mask = 0;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++)
		if (c->out_mask & BIT_ULL(s) && c->sb.slots[s].state == CASCADE_SLOT_IN_SYNC)
			mask |= BIT_ULL(s);
	return mask;
}

static int check_dirty(struct cascade *c)
{
	bool dirty = !(c->sb.flags & CASCADE_SB_CLEAN);

	if (!c->geo.nr_parity || (!dirty && !(c->sb.flags & CASCADE_SB_TORN)))
		return 0;
	/* Stopped in order and degraded before: that risk was taken already. */
	if (c->out_mask && (dirty || newly_gone(c)) && !(c->args & CASCADE_ARG_FORCE)) {
		cascade_err(c, "not stopped in order, and a member is missing: array sectors %llu to %llu may hold wrong data in the missing blocks of rows that were being written; start with \"force\" to accept that",
			    dirty ? 0 : c->sb.synced_sectors * c->geo.nr_data,
			    cascade_geo_capacity_sectors(&c->geo) - 1);
		return -EUCLEAN;
	}
	/* Of a table that was live, what its members lose while they run is lost as ever. */
	if (!c->was_live || dirty)
		c->needs_all = !c->out_mask && !(c->args & CASCADE_ARG_FORCE);
	if (dirty) {
		cascade_warn(c, "not stopped in order: all parity is made right again");
		c->sb.synced_sectors = 0;
		c->sb.flags |= CASCADE_SB_TORN;
	}
	return 0;
}

static int adopt(struct cascade *c)
{
	u64 gone_mask;
	int r;

	if (!cascade_geo_survives(&c->geo, c->out_mask)) {
		cascade_err(c, "%u of %u members are missing or stale: more than %s bears",
			    (unsigned int)hweight64(c->out_mask), c->geo.nr_members,
			    cascade_geo_level_name(c->geo.level));
		return -ENXIO;
	}
	r = check_dirty(c);
	if (r || read_only(c))
		return r;
	if (!cascade_sb_has_room(&c->sb)) {
		cascade_err(c, "a counter of the superblock is near its end, which no array's is: it starts read-only alone");
		return -EOVERFLOW;
	}
	gone_mask = newly_gone(c);
	if (gone_mask)
		cascade_sb_begin_epoch(&c->sb, cascade_member_epoch_id(), gone_mask);
	return 0;
}

static int load(struct cascade *c)
{
	const struct cascade_sb **given;
	struct cascade_sb *sbs;
	int r = -ENOMEM;

	sbs = kvcalloc(c->geo.nr_members, sizeof(*sbs), GFP_NOIO);
	given = kcalloc(c->geo.nr_members, sizeof(*given), GFP_NOIO);
	if (sbs && given)
		r = read_states(c, sbs, given);
	if (!r)
		r = judge_all(c, given);
	if (!r)
		r = adopt(c);
	kfree(given);
	kvfree(sbs);
	return r;
}

static void announce(struct cascade *c)
{
	if (c->sb.name[0])
		snprintf(c->log_name, sizeof(c->log_name), "%s (%s)",
			 dm_table_device_name(c->ti->table), c->sb.name);
	if (c->out_mask)
		cascade_warn(c, "degraded: %u of %u members are out",
			     (unsigned int)hweight64(c->out_mask), c->geo.nr_members);
}

/* What a table that is suspended knows of its members and no superblock tells. */
struct lost {
	u64 out_mask;
	u64 dead_mask;
	bool broken;
};

/* A table that was suspended with too much lost goes on as it was: its reads do. */
static void go_on_broken(struct cascade *c, const struct lost *lost)
{
	slot_t s;

	c->out_mask = lost->out_mask;
	c->dead_mask = lost->dead_mask;
	c->broken = lost->broken;
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];

		if (!m->bdev)
			m->state = CASCADE_MEMBER_MISSING;
		else if (c->out_mask & BIT_ULL(s))
			m->state = CASCADE_MEMBER_OUT;
		else
			m->state = CASCADE_MEMBER_IN_SYNC;
	}
	cascade_err(c, "resumed with the losses that it was suspended with: nothing is written to the superblocks");
}

static int start(struct cascade *c)
{
	int r;

	c->out_mask = 0;
	c->dead_mask = 0;
	c->broken = false;
	c->needs_all = false;
	r = c->to_format ? format(c) : load(c);
	/* From here on a crash finds the array dirty. */
	if (!r && !read_only(c)) {
		c->sb.flags &= ~CASCADE_SB_CLEAN;
		r = cascade_meta_store(c);
	}
	c->needs_all = false;
	return r;
}

int cascade_preresume(struct dm_target *ti)
{
	struct cascade *c = ti->private;
	struct lost lost = { c->out_mask, c->dead_mask, c->broken };
	int r = start(c);

	if (r && !c->was_broken)
		return r;
	if (r)
		go_on_broken(c, &lost);
	else
		announce(c);
	if (!read_only(c))
		c->to_format = false;
	/* Meant for this start, not for those of the table's later life. */
	c->args &= ~CASCADE_ARG_FORCE;
	WRITE_ONCE(c->live, true);
	return 0;
}

void cascade_resume(struct dm_target *ti)
{
	struct cascade *c = ti->private;

	mutex_lock(&c->message_mutex);
	c->resync.suspended = false;
	if (!read_only(c))
		cascade_resync_kick(c);
	mutex_unlock(&c->message_mutex);
}

void cascade_presuspend(struct dm_target *ti)
{
	struct cascade *c = ti->private;

	/* From here on no message starts it again. */
	mutex_lock(&c->message_mutex);
	c->resync.suspended = true;
	mutex_unlock(&c->message_mutex);
	cascade_resync_stop(c);
}

static void store_last(struct cascade *c)
{
	if (read_only(c))
		return;
	c->sb.flags |= CASCADE_SB_CLEAN;
	if (!cascade_meta_store(c))
		return;
	cascade_err(c, "the last superblock could not be written: the next start is dirty");
}

void cascade_postsuspend(struct dm_target *ti)
{
	struct cascade *c = ti->private;
	bool was_live;

	mutex_lock(&c->message_mutex);
	was_live = c->live;
	WRITE_ONCE(c->live, false);
	mutex_unlock(&c->message_mutex);
	if (!was_live)
		return;
	cascade_stripe_forget(c);
	flush_work(&c->meta.work);
	c->was_live = true;
	c->was_broken = c->broken || c->dead_mask;
	store_last(c);
	/* A member that failed meanwhile asked for a record: it finds it written. */
	flush_work(&c->meta.work);
}
