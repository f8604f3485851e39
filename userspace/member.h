/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Superblocks of devices, and the array that a set of devices makes.
 */
#ifndef CASCADESETUP_MEMBER_H
#define CASCADESETUP_MEMBER_H

#include "core/sb.h"
#include "device.h"

/**
 * struct cascade_member - A device and what its superblock copies say.
 * @dev: Device.
 * @faults: What is wrong with each copy; CASCADE_SB_BLANK where the device ends
 *	before it.
 * @copies: Each copy, decoded; usable only where its fault is CASCADE_SB_OK.
 * @newest: The valid copy with the higher events counter; -1 if none is valid.
 */
struct cascade_member {
	struct cascade_device dev;
	enum cascade_sb_fault faults[CASCADE_SB_COPIES];
	struct cascade_sb copies[CASCADE_SB_COPIES];
	int newest;
};

/**
 * struct cascade_set - An array as its members' superblocks tell it.
 * @sb: The superblock that speaks for the array.
 * @geo: Its geometry.
 * @members: One a slot; NULL where no device is given, or it was left out.
 * @verdicts: One a slot.
 * @gone_mask: Slots that do not hold all that was written.
 */
struct cascade_set {
	const struct cascade_sb *sb;
	struct cascade_geo geo;
	const struct cascade_member *members[CASCADE_MEMBERS_MAX];
	enum cascade_verdict verdicts[CASCADE_MEMBERS_MAX];
	u64 gone_mask;
};

/**
 * cascade_member_read() - Read a device's superblocks.
 * @m: Filled.
 * @path: Device or image file; must live as long as @m.
 *
 * A device without a valid copy is no error here.
 *
 * Return: 0, or -1 after an error was reported.
 */
int cascade_member_read(struct cascade_member *m, const char *path);

/**
 * cascade_member_sb() - A member's superblock.
 * @m: Member.
 *
 * Return: Its newest valid copy, or NULL.
 */
static inline const struct cascade_sb *cascade_member_sb(const struct cascade_member *m)
{
	return m->newest < 0 ? NULL : &m->copies[m->newest];
}

/**
 * cascade_set_read() - Read devices and put them in the order of the array.
 * @set: Filled; points into *@members.
 * @members: Set to memory for the caller to free, whatever is returned.
 * @paths: Devices or image files, in any order.
 * @nr_paths: How many.
 *
 * Every device must be a member of one array; a device that has missed writes is
 * left out with a note, any other that does not fit is an error that names it.
 *
 * Return: 0, or -1 after errors were reported.
 */
int cascade_set_read(struct cascade_set *set, struct cascade_member **members, char **paths,
		     unsigned int nr_paths);

/**
 * cascade_set_at_risk() - Part of the array whose missing blocks may read wrong.
 * @set: Set.
 * @begin_sectors: Set to the array sector where it begins; it goes to the end.
 *
 * Blocks of a missing member are computed from parity. After a stop out of order that
 * may be old, until a resync has made it right again; where the first sync has not been
 * yet, parity of what was written is right.
 *
 * Return: True if there is such a part.
 */
bool cascade_set_at_risk(const struct cascade_set *set, u64 *begin_sectors);

/**
 * cascade_set_needs_force() - Whether the kernel starts the array only with "force".
 * @set: Set.
 *
 * Where data is at risk, but for an array that was stopped in order after a start with
 * these members gone: that risk was accepted then.
 *
 * Return: True if it does.
 */
bool cascade_set_needs_force(const struct cascade_set *set);

/**
 * cascade_set_report_risk() - Tell what may read wrong, on stderr.
 * @set: Set.
 * @name: Array.
 *
 * Return: True if there is such a part.
 */
bool cascade_set_report_risk(const struct cascade_set *set, const char *name);

/**
 * cascade_set_slots() - Write the numbers of slots.
 * @mask: Bit n set: slot n.
 *
 * Return: Text such as "slot 1" or "slots 1, 3" for the caller to free.
 */
char *cascade_set_slots(u64 mask);

#endif /* CASCADESETUP_MEMBER_H */
