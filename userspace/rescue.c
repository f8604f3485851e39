// SPDX-License-Identifier: GPL-2.0-only
/*
 * "rescue-table": tables of stock targets that show an array's data read-only, for
 * a kernel without this module. One linear helper a member cuts out its data area;
 * over them lies "striped" or the stock "raid" target, whose layouts are ours.
 *
 * A raid5 goes without metadata devices and with "nosync": the stock target then
 * takes parity as right and starts no resync. A missing member is "- -".
 */
#include <stdlib.h>

#include "member.h"
#include "msg.h"
#include "opts.h"

#define NAME_BYTES (CASCADE_NAME_MAX + 1u)

static bool present(const struct cascade_set *set, slot_t slot)
{
	return !(set->gone_mask & BIT_ULL(slot));
}

/* A concise table has "," between fields, ";" between devices, "\" before either. */
static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (strchr(",;\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void print_helper(const struct cascade_set *set, const char *name, slot_t slot)
{
	const struct cascade_member *m = set->members[slot];
	char *path = cascade_device_for_table(&m->dev, false);

	printf("%s-rescue-%u,,,ro,0 %llu linear ", name, slot,
	       (unsigned long long)set->geo.data_sectors);
	print_escaped(path);
	printf(" %llu;", (unsigned long long)cascade_member_sb(m)->data_offset_sectors);
	free(path);
}

static void print_striped(const struct cascade_set *set, const char *name)
{
	slot_t slot;

	printf("striped %u %u", (unsigned int)set->geo.nr_members, set->geo.chunk_sectors);
	for (slot = 0; slot < set->geo.nr_members; slot++)
		printf(" /dev/mapper/%s-rescue-%u 0", name, slot);
}

static void print_raid(const struct cascade_set *set, const char *name)
{
	slot_t slot;

	printf("raid raid5_ls 2 %u nosync %u", set->geo.chunk_sectors,
	       (unsigned int)set->geo.nr_members);
	for (slot = 0; slot < set->geo.nr_members; slot++) {
		if (present(set, slot))
			printf(" - /dev/mapper/%s-rescue-%u", name, slot);
		else
			printf(" - -");
	}
}

static void print_tables(const struct cascade_set *set, const char *name)
{
	slot_t slot;

	for (slot = 0; slot < set->geo.nr_members; slot++)
		if (present(set, slot))
			print_helper(set, name, slot);
	printf("%s-rescue,,,ro,0 %llu ", name,
	       (unsigned long long)cascade_geo_capacity_sectors(&set->geo));
	if (set->geo.level == CASCADE_RAID0)
		print_striped(set, name);
	else
		print_raid(set, name);
	putchar('\n');
}

/* Before anything is printed: half a table is none. */
static int check_paths(const struct cascade_set *set)
{
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < set->geo.nr_members; slot++) {
		char *path;

		if (!present(set, slot))
			continue;
		path = cascade_device_for_table(&set->members[slot]->dev, false);
		if (!path)
			r = -1;
		free(path);
	}
	return r;
}

static int check_free(const struct cascade_set *set)
{
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < set->geo.nr_members; slot++) {
		char *user;

		if (!present(set, slot))
			continue;
		user = cascade_device_in_use(&set->members[slot]->dev);
		if (!user)
			continue;
		cascade_msg_error(set->members[slot]->dev.path,
				  "is %s: stop the array that uses it first", user);
		free(user);
		r = -1;
	}
	return r;
}

static int check_missing(const struct cascade_set *set, const char *name)
{
	char *slots;
	int r = 0;

	if (!set->gone_mask)
		return 0;
	slots = cascade_set_slots(set->gone_mask);
	if (cascade_geo_survives(&set->geo, set->gone_mask)) {
		cascade_msg_note(name, "degraded: %s missing, stale or not yet rebuilt", slots);
	} else {
		cascade_msg_error(name,
				  "cannot be read: more members are gone than a %s bears (%s); name more of them",
				  cascade_geo_level_name(set->geo.level), slots);
		r = -1;
	}
	free(slots);
	return r;
}

/* The name in the superblock, or one made of the uuid. */
static void name_of(const struct cascade_set *set, char *name)
{
	char uuid[CASCADE_UUID_TEXT_BYTES];

	cascade_uuid_format(set->sb->array_uuid, uuid);
	if (cascade_name_check(set->sb->name))
		snprintf(name, NAME_BYTES, "%s", set->sb->name);
	else
		snprintf(name, NAME_BYTES, "cascade-%.8s", uuid);
}

static int rescue(const struct cascade_set *set, const struct cascade_args *args)
{
	char name[NAME_BYTES];

	name_of(set, name);
	if (set->geo.level != CASCADE_RAID0 && set->geo.level != CASCADE_RAID5) {
		cascade_msg_error(name, "is a %s: this version knows raid0 and raid5",
				  cascade_geo_level_name(set->geo.level));
		return EXIT_FAILED;
	}
	if (check_paths(set) || check_free(set) || check_missing(set, name))
		return EXIT_FAILED;
	if (cascade_set_report_risk(set, name) && !cascade_opts_has(args, OPT_FORCE)) {
		cascade_msg_error(name,
				  "no table is printed: name the missing devices too, or accept the risk with --force");
		return EXIT_FAILED;
	}
	print_tables(set, name);
	return EXIT_DONE;
}

static int run(const struct cascade_args *args)
{
	struct cascade_member *members;
	struct cascade_set set;
	int r = EXIT_FAILED;

	if (!cascade_set_read(&set, &members, args->words, args->nr_words))
		r = rescue(&set, args);
	free(members);
	return r;
}

static const struct cascade_opt opts[] = {
	{ OPT_FORCE, "force", NULL, "print tables even if data in them is at risk" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_rescue_table = {
	.name = "rescue-table",
	.synopsis = "[--force] DEV...",
	.summary = "print read-only tables of stock targets that show the data",
	.details = "The output is for 'dmsetup create --concise'; the data is then on\n"
		   "/dev/mapper/NAME-rescue. This module is not needed for it.",
	.opts = opts,
	.min_words = 1,
	.max_words = CASCADE_MEMBERS_MAX,
	.run = run,
};
