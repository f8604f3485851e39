// SPDX-License-Identifier: GPL-2.0-only
/*
 * From devices to an array: which belong together, in which order, and which of
 * them hold all that was written. The decision itself is cascade_sb_choose();
 * here it is put into words, device by device.
 */
#include <stdlib.h>

#include "member.h"
#include "msg.h"

static bool newer(const struct cascade_sb *a, const struct cascade_sb *b)
{
	if (a->epochs[0].counter != b->epochs[0].counter)
		return a->epochs[0].counter > b->epochs[0].counter;
	return a->events > b->events;
}

static const char *fault_of(const struct cascade_member *m)
{
	unsigned int copy;

	for (copy = 0; copy < CASCADE_SB_COPIES; copy++)
		if (m->faults[copy] != CASCADE_SB_BLANK)
			return cascade_sb_fault_text(m->faults[copy]);
	return "there is no superblock on it";
}

/* Every device must be a member, once, of one array of one shape. */
static int check_all(const struct cascade_member *list, unsigned int nr)
{
	char uuid[CASCADE_UUID_TEXT_BYTES];
	unsigned int i, j;
	int r = 0;

	for (i = 0; i < nr; i++) {
		if (!cascade_member_sb(&list[i])) {
			cascade_msg_error(list[i].dev.path,
					  "is no member of an array: %s; leave it out",
					  fault_of(&list[i]));
			r = -1;
		}
		for (j = 0; j < i; j++) {
			if (!cascade_device_same(&list[i].dev, &list[j].dev))
				continue;
			cascade_msg_error(list[i].dev.path,
					  "is the same device as %s: name it once",
					  list[j].dev.path);
			r = -1;
		}
	}
	for (i = 1; i < nr && !r; i++) {
		const struct cascade_sb *sb = cascade_member_sb(&list[i]);
		const char *field = cascade_sb_same_shape(cascade_member_sb(&list[0]), sb);

		if (!field)
			continue;
		cascade_uuid_format(sb->array_uuid, uuid);
		cascade_msg_error(list[i].dev.path,
				  "belongs to array '%s' (%s), %s differs from that of %s: leave one of them out",
				  sb->name, uuid, field, list[0].dev.path);
		r = -1;
	}
	return r;
}

static const struct cascade_member *newest_of(const struct cascade_member *list, unsigned int nr)
{
	const struct cascade_member *newest = &list[0];
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (newer(cascade_member_sb(&list[i]), cascade_member_sb(newest)))
			newest = &list[i];
	return newest;
}

/* Whether the newest superblock names this very device in its slot. */
static bool is_named(const struct cascade_sb *newest, const struct cascade_sb *sb)
{
	return !memcmp(newest->slots[sb->slot].device_uuid, sb->device_uuid, CASCADE_UUID_BYTES);
}

/* Two devices of one slot: a replaced one and its successor, or a copy. */
static int report_same_slot(const struct cascade_member *a, const struct cascade_member *b,
			    const struct cascade_sb *newest)
{
	const struct cascade_sb *sb_a = cascade_member_sb(a), *sb_b = cascade_member_sb(b);
	bool named_a = is_named(newest, sb_a), named_b = is_named(newest, sb_b);

	if (named_a != named_b)
		cascade_msg_error(named_a ? b->dev.path : a->dev.path,
				  "no longer belongs to the array: slot %u is that of %s now; leave it out",
				  sb_a->slot, named_a ? a->dev.path : b->dev.path);
	else
		cascade_msg_error(b->dev.path,
				  "claims slot %u, as %s does: one is a copy of the other; leave the copy out",
				  sb_b->slot, a->dev.path);
	return -1;
}

static int place(struct cascade_set *set, const struct cascade_member *list, unsigned int nr)
{
	const struct cascade_sb *newest = cascade_member_sb(newest_of(list, nr));
	unsigned int i;
	int r = 0;

	for (i = 0; i < nr; i++) {
		slot_t slot = cascade_member_sb(&list[i])->slot;

		if (set->members[slot])
			r = report_same_slot(set->members[slot], &list[i], newest);
		else
			set->members[slot] = &list[i];
	}
	return r;
}

static void report_diverged(const struct cascade_set *set, unsigned int nr_members)
{
	slot_t slot;

	for (slot = 0; slot < nr_members; slot++) {
		const struct cascade_sb *sb;

		if (!set->members[slot] || set->verdicts[slot] != CASCADE_DEVICE_DIVERGED)
			continue;
		sb = cascade_member_sb(set->members[slot]);
		cascade_msg_error(set->members[slot]->dev.path,
				  "slot %u, epoch %llu (%016llx): parts of the array were used apart from each other",
				  slot, (unsigned long long)sb->epochs[0].counter,
				  (unsigned long long)sb->epochs[0].id);
	}
	cascade_msg_error("array",
			  "its parts hold different data: name only the devices of the part to keep (those with one epoch)");
}

/* Leaves a slot's device out, or refuses it; returns 0 or -1. */
static int judge(struct cascade_set *set, slot_t slot)
{
	const struct cascade_member *m = set->members[slot];
	const char *path = m ? m->dev.path : NULL;

	switch (set->verdicts[slot]) {
	case CASCADE_DEVICE_CURRENT:
		return 0;
	case CASCADE_DEVICE_REBUILDING:
		set->gone_mask |= BIT_ULL(slot);
		return 0;
	case CASCADE_DEVICE_ABSENT:
		set->gone_mask |= BIT_ULL(slot);
		return 0;
	case CASCADE_DEVICE_STALE:
		set->gone_mask |= BIT_ULL(slot);
		cascade_msg_note(path, "left out: slot %u missed writes since epoch %llu", slot,
				 (unsigned long long)set->sb->slots[slot].dropped_epoch);
		set->members[slot] = NULL;
		return 0;
	case CASCADE_DEVICE_CLONE:
		cascade_msg_error(path,
				  "no longer belongs to the array: slot %u is that of another device now; leave it out",
				  slot);
		return -1;
	case CASCADE_DEVICE_DIVERGED:
		cascade_msg_error(path, "was used apart from the array: leave it out");
		return -1;
	case CASCADE_DEVICE_FOREIGN:
		break;
	}
	cascade_msg_error(path, "belongs to another array: leave it out");
	return -1;
}

static int choose(struct cascade_set *set, unsigned int nr_members)
{
	const struct cascade_sb *sbs[CASCADE_MEMBERS_MAX] = { NULL };
	const char *error = NULL;
	slot_t slot, chosen = 0;
	int r;

	for (slot = 0; slot < nr_members; slot++)
		if (set->members[slot])
			sbs[slot] = cascade_member_sb(set->members[slot]);
	r = cascade_sb_choose(sbs, nr_members, set->verdicts, &chosen);
	if (r == -EEXIST) {
		report_diverged(set, nr_members);
		return -1;
	}
	if (r) {
		cascade_msg_error("array", "no device has a superblock");
		return -1;
	}
	set->sb = sbs[chosen];
	for (slot = 0; slot < nr_members; slot++)
		if (judge(set, slot))
			r = -1;
	if (r)
		return r;
	if (cascade_geo_init(&set->geo, set->sb->level, set->sb->nr_members,
			     set->sb->chunk_sectors, set->sb->data_sectors, &error)) {
		cascade_msg_error(set->sb->name, "its superblock is not usable: %s", error);
		return -1;
	}
	return 0;
}

static int check_sizes(const struct cascade_set *set)
{
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < set->sb->nr_members; slot++) {
		const struct cascade_member *m = set->members[slot];
		u64 need;

		if (!m)
			continue;
		need = cascade_member_sb(m)->data_offset_sectors + set->sb->data_sectors;
		if (m->dev.size_sectors >= need)
			continue;
		cascade_msg_error(m->dev.path,
				  "is too small: it has %llu sectors, the array needs %llu; it was cut off or is a copy on a smaller device",
				  (unsigned long long)m->dev.size_sectors,
				  (unsigned long long)need);
		r = -1;
	}
	return r;
}

int cascade_set_read(struct cascade_set *set, struct cascade_member **members, char **paths,
		     unsigned int nr_paths)
{
	struct cascade_member *list = cascade_msg_alloc(nr_paths, sizeof(*list));
	unsigned int i;
	int r = 0;

	memset(set, 0, sizeof(*set));
	*members = list;
	for (i = 0; i < nr_paths; i++)
		if (cascade_member_read(&list[i], paths[i]))
			r = -1;
	if (!r)
		r = check_all(list, nr_paths);
	if (!r)
		r = place(set, list, nr_paths);
	if (!r)
		r = choose(set, cascade_member_sb(&list[0])->nr_members);
	if (!r)
		r = check_sizes(set);
	return r;
}

bool cascade_set_at_risk(const struct cascade_set *set, u64 *begin_sectors)
{
	const struct cascade_geo *geo = &set->geo;
	u64 row = set->sb->synced_sectors >> geo->chunk_shift;

	if (!set->gone_mask || !geo->nr_parity)
		return false;
	*begin_sectors = 0;
	if (!(set->sb->flags & CASCADE_SB_CLEAN))
		return true;
	*begin_sectors = (row * geo->nr_data) << geo->chunk_shift;
	return set->sb->flags & CASCADE_SB_TORN && set->sb->synced_sectors < geo->data_sectors;
}

/* Slots that the last state has in sync and whose devices are not here. */
static u64 newly_gone(const struct cascade_set *set)
{
	u64 mask = 0;
	slot_t slot;

	for (slot = 0; slot < set->sb->nr_members; slot++)
		if (set->gone_mask & BIT_ULL(slot) &&
		    set->sb->slots[slot].state == CASCADE_SLOT_IN_SYNC)
			mask |= BIT_ULL(slot);
	return mask;
}

bool cascade_set_needs_force(const struct cascade_set *set)
{
	u64 begin;

	return cascade_set_at_risk(set, &begin) &&
	       (!(set->sb->flags & CASCADE_SB_CLEAN) || newly_gone(set));
}

char *cascade_set_slots(u64 mask)
{
	char *text = cascade_msg_text(hweight64(mask) == 1 ? "slot" : "slots");
	const char *comma = "";
	slot_t slot;

	for (slot = 0; slot < CASCADE_MEMBERS_MAX; slot++) {
		char *longer;

		if (!(mask & BIT_ULL(slot)))
			continue;
		longer = cascade_msg_text("%s%s %u", text, comma, slot);
		free(text);
		text = longer;
		comma = ",";
	}
	return text;
}

bool cascade_set_report_risk(const struct cascade_set *set, const char *name)
{
	char *slots;
	u64 begin;

	if (!cascade_set_at_risk(set, &begin))
		return false;
	slots = cascade_set_slots(set->gone_mask);
	cascade_msg_note(name,
			 "at risk: array sectors %llu to %llu, in them the blocks of %s: the array was not stopped in order, so parity may be old",
			 (unsigned long long)begin,
			 (unsigned long long)cascade_geo_capacity_sectors(&set->geo) - 1, slots);
	free(slots);
	return true;
}
