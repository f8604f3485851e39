// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages: what a user may ask of a running array.
 */
#include "member.h"
#include "message.h"
#include "meta.h"
#include "resync.h"

static int refuse(struct cascade *c, const char *verb, const char *why)
{
	cascade_err(c, "message \"%s\": %s", verb, why);
	return -EINVAL;
}

/* A change of flags that the superblock keeps; the worker writes it. */
static void change_flags(struct cascade *c, u64 set, u64 clear)
{
	unsigned long flags;

	spin_lock_irqsave(&c->state_lock, flags);
	WRITE_ONCE(c->sb.flags, (c->sb.flags | set) & ~clear);
	cascade_want_record(c);
	spin_unlock_irqrestore(&c->state_lock, flags);
}

static int do_fail(struct cascade *c, char **argv)
{
	u32 slot;
	int r;

	if (kstrtou32(argv[1], 10, &slot) || slot >= c->geo.nr_members)
		return refuse(c, argv[0], "the slot must be a number below the number of members");
	r = cascade_member_retire(c, slot, "asked to fail");
	if (r == -EALREADY)
		return refuse(c, argv[0], "that member is out already");
	if (r)
		return refuse(c, argv[0], "the array needs that member");
	return 0;
}

static int do_resync(struct cascade *c, char **argv)
{
	unsigned long flags;

	if (READ_ONCE(c->out_mask))
		return refuse(c, argv[0], "parity cannot be made right while a member is out");
	spin_lock_irqsave(&c->state_lock, flags);
	if (c->sb.synced_sectors == c->geo.data_sectors)
		WRITE_ONCE(c->sb.synced_sectors, 0);
	spin_unlock_irqrestore(&c->state_lock, flags);
	change_flags(c, 0, CASCADE_SB_FROZEN);
	cascade_resync_kick(c);
	return 0;
}

static int do_idle(struct cascade *c, char **argv)
{
	change_flags(c, 0, CASCADE_SB_FROZEN);
	WRITE_ONCE(c->resync.stop, true);
	cascade_info(c, "background work: idle");
	schedule_work(&c->event_work);
	return 0;
}

static int do_frozen(struct cascade *c, char **argv)
{
	change_flags(c, CASCADE_SB_FROZEN, 0);
	cascade_info(c, "background work: frozen");
	schedule_work(&c->event_work);
	return 0;
}

struct verb {
	const char *name;
	unsigned int argc;
	int (*run)(struct cascade *c, char **argv);
	bool needs_parity;
};

static const struct verb verbs[] = {
	{ "fail", 2, do_fail, true },
	{ "resync", 1, do_resync, true },
	{ "idle", 1, do_idle, true },
	{ "frozen", 1, do_frozen, true },
};

int cascade_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
		    unsigned int maxlen)
{
	struct cascade *c = ti->private;
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		const struct verb *verb = &verbs[i];

		if (strcasecmp(argv[0], verb->name))
			continue;
		if (argc != verb->argc)
			return refuse(c, verb->name, "wrong number of words");
		if (verb->needs_parity && !c->geo.nr_parity)
			return refuse(c, verb->name, "this level has no parity");
		if (c->args & CASCADE_ARG_READ_ONLY)
			return refuse(c, verb->name, "the array is read-only");
		mutex_lock(&c->message_mutex);
		if (c->live)
			r = verb->run(c, argv);
		else
			r = refuse(c, verb->name, "the array is suspended");
		mutex_unlock(&c->message_mutex);
		return r;
	}
	return refuse(c, argv[0], "unknown; accepted are fail, resync, idle, frozen");
}
