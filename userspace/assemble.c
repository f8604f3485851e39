// SPDX-License-Identifier: GPL-2.0-only
/*
 * "assemble": start an array from its members' superblocks. The order of the
 * devices, the shape and the name come from there; nothing is created.
 */
#include <stdlib.h>
#include <unistd.h>

#include "core/params.h"
#include "dm.h"
#include "kmsg.h"
#include "member.h"
#include "msg.h"
#include "opts.h"
#include "words.h"

static bool live_has_uuid(const char *name, const u8 *array_uuid)
{
	struct cascade_words words;
	struct cascade_params p;
	u64 length_sectors;
	bool same;

	if (cascade_words_live(name, &p, &words, &length_sectors))
		return false;
	same = (p.flags & CASCADE_ARG_UUID) && !memcmp(p.uuid, array_uuid, CASCADE_UUID_BYTES);
	cascade_words_free(&words);
	return same;
}

/* An array runs once; a dm name is taken once. */
static int check_not_running(const struct cascade_set *set, const char *name)
{
	struct cascade_dm_info info;
	unsigned int i, nr;
	char **names;
	int r;

	r = cascade_dm_list(&names, &nr);
	if (r) {
		cascade_msg_error(name, "cannot ask device-mapper: %s", cascade_dm_why(r));
		return -1;
	}
	for (i = 0; i < nr && !r; i++) {
		if (!live_has_uuid(names[i], set->sb->array_uuid))
			continue;
		cascade_msg_error(name, "the array is running already as /dev/mapper/%s", names[i]);
		r = -1;
	}
	cascade_dm_list_free(names, nr);
	if (r)
		return r;
	r = cascade_dm_info(name, &info);
	if (r == -ENODEV)
		return 0;
	if (r)
		cascade_msg_error(name, "cannot ask device-mapper: %s", cascade_dm_why(r));
	else
		cascade_msg_error(name,
				  "another device has this device-mapper name: choose one with --name");
	return -1;
}

static int check_in_use(const struct cascade_set *set)
{
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < set->sb->nr_members; slot++) {
		char *user;

		if (!set->members[slot])
			continue;
		user = cascade_device_in_use(&set->members[slot]->dev);
		if (!user)
			continue;
		cascade_msg_error(set->members[slot]->dev.path, "is %s: release it first", user);
		free(user);
		r = -1;
	}
	return r;
}

static int check_devices(const struct cascade_set *set, bool read_only, bool dry_run)
{
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < set->sb->nr_members; slot++) {
		const struct cascade_member *m = set->members[slot];

		if (!m)
			continue;
		if (!m->dev.is_block && !dry_run) {
			cascade_msg_error(m->dev.path,
					  "is an image file: attach it as a block device first (see losetup)");
			r = -1;
		}
		if (m->dev.read_only && !read_only) {
			cascade_msg_error(m->dev.path,
					  "is read-only: see 'blockdev --setrw', or use --read-only");
			r = -1;
		}
	}
	return r;
}

/* A later version may have left what only it may write to. */
static int check_features(const struct cascade_set *set, const char *name, bool read_only)
{
	if (read_only || !(set->sb->ro_compat & ~CASCADE_RO_COMPAT_KNOWN))
		return 0;
	cascade_msg_error(name,
			  "cannot start: it has features of a later version (ro-compat %016llx); use that version, or --read-only",
			  (unsigned long long)set->sb->ro_compat);
	return -1;
}

/* Degraded, and dirty and degraded, are states that the user must know of. */
static int check_state(const struct cascade_set *set, const char *name, bool run, bool force)
{
	char *slots;

	if (!set->gone_mask)
		return 0;
	slots = cascade_set_slots(set->gone_mask);
	if (!cascade_geo_survives(&set->geo, set->gone_mask)) {
		cascade_msg_error(name,
				  "cannot start: too many members are gone (%s); name more of them",
				  slots);
		free(slots);
		return -1;
	}
	if (!run && !force) {
		cascade_msg_error(name,
				  "cannot start: it would be degraded (%s); name the missing devices too, or use --run",
				  slots);
		free(slots);
		return -1;
	}
	cascade_msg_note(name, "starts degraded: %s", slots);
	free(slots);
	cascade_set_report_risk(set, name);
	if (cascade_set_needs_force(set) && !force) {
		cascade_msg_error(name,
				  "cannot start: it is dirty and degraded; name the missing devices too, or accept the risk with --force");
		return -1;
	}
	return 0;
}

/* Fills in the line; member names are the caller's to free. Returns 0 or -1. */
static int fill_params(struct cascade_params *p, const struct cascade_set *set,
		       const struct cascade_args *args)
{
	bool dry_run = cascade_opts_has(args, OPT_DRY_RUN);
	slot_t slot;
	int r = 0;

	memset(p, 0, sizeof(*p));
	p->level = set->sb->level;
	p->chunk_sectors = set->sb->chunk_sectors;
	p->nr_members = set->sb->nr_members;
	for (slot = 0; slot < p->nr_members; slot++) {
		if (!set->members[slot])
			continue;
		p->members[slot] = cascade_device_for_table(&set->members[slot]->dev, !dry_run);
		if (!p->members[slot])
			r = -1;
	}
	p->flags = CASCADE_ARG_UUID;
	if (cascade_opts_has(args, OPT_FORCE))
		p->flags |= CASCADE_ARG_FORCE;
	if (cascade_opts_has(args, OPT_READ_ONLY))
		p->flags |= CASCADE_ARG_READ_ONLY;
	memcpy(p->uuid, set->sb->array_uuid, CASCADE_UUID_BYTES);
	return r;
}

static int load(const struct cascade_set *set, const char *name, const char *line,
		bool read_only)
{
	u64 length_sectors = cascade_geo_capacity_sectors(&set->geo);
	char *uuid = cascade_words_uuid(set->sb->array_uuid);
	int log = cascade_kmsg_begin();
	const char *step = NULL;
	int r;

	r = cascade_dm_start(name, uuid, length_sectors, line, read_only, &step);
	if (r)
		cascade_words_report_start(name, step, r);
	cascade_kmsg_end(log, !!r);
	free(uuid);
	if (r)
		return EXIT_FAILED;
	printf("%s: started as /dev/mapper/%s%s%s\n", name, name,
	       set->gone_mask ? ", degraded" : "", read_only ? ", read-only" : "");
	return EXIT_DONE;
}

static int start(const struct cascade_set *set, const struct cascade_args *args)
{
	bool force = cascade_opts_has(args, OPT_FORCE);
	bool read_only = cascade_opts_has(args, OPT_READ_ONLY);
	bool dry_run = cascade_opts_has(args, OPT_DRY_RUN);
	const char *name = args->values[OPT_NAME];
	struct cascade_params p;
	slot_t slot;
	char *line;
	int r;

	if (!name)
		name = set->sb->name;
	if (!*name) {
		cascade_msg_error(args->words[0], "the array has no name: give one with --name");
		return EXIT_FAILED;
	}
	/* The members of an array that runs are in use: it says more that it runs. */
	if (check_devices(set, read_only, dry_run) ||
	    (!dry_run && check_not_running(set, name)) || check_in_use(set) ||
	    check_features(set, name, read_only) ||
	    check_state(set, name, cascade_opts_has(args, OPT_RUN), force))
		return EXIT_FAILED;
	r = fill_params(&p, set, args) ? EXIT_FAILED : EXIT_DONE;
	if (r == EXIT_DONE) {
		line = cascade_words_line(&p);
		if (dry_run)
			printf("0 %llu " CASCADE_DM_TARGET " %s\n",
			       (unsigned long long)cascade_geo_capacity_sectors(&set->geo), line);
		else
			r = load(set, name, line, read_only);
		free(line);
	}
	for (slot = 0; slot < p.nr_members; slot++)
		free((void *)p.members[slot]);
	return r;
}

/* A word that is no path is most likely the name of an array. */
static int check_words(const struct cascade_args *args)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < args->nr_words; i++) {
		if (strchr(args->words[i], '/') || !access(args->words[i], F_OK))
			continue;
		cascade_msg_error(args->words[i],
				  "is no device: this version starts an array by its devices, not by its name");
		r = -1;
	}
	return r;
}

static int run(const struct cascade_args *args)
{
	const char *name = args->values[OPT_NAME];
	struct cascade_member *members;
	struct cascade_set set;
	int r;

	if (name && !cascade_name_check(name))
		return cascade_opts_usage(args,
					  "'%s' is no name: use 1 to %u letters, digits and '+-._', a letter or digit first",
					  name, CASCADE_NAME_MAX);
	if (check_words(args))
		return EXIT_FAILED;
	r = cascade_set_read(&set, &members, args->words, args->nr_words) ? EXIT_FAILED :
									    start(&set, args);
	free(members);
	return r;
}

static const struct cascade_opt opts[] = {
	{ OPT_RUN, "run", NULL, "start even if members are missing" },
	{ OPT_FORCE, "force", NULL, "as --run, and even if data is at risk" },
	{ OPT_READ_ONLY, "read-only", NULL, "write nothing to any device" },
	{ OPT_NAME, "name", "NAME", "name of the device, instead of the array's own" },
	{ OPT_DRY_RUN, "dry-run", NULL, "print the table line, start nothing" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_assemble = {
	.name = "assemble",
	.synopsis = "[OPTION]... DEV...",
	.summary = "start an array from its members",
	.details = "The devices may be named in any order; their superblocks tell the array's.",
	.opts = opts,
	.min_words = 1,
	.max_words = CASCADE_MEMBERS_MAX,
	.run = run,
};
