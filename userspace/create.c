// SPDX-License-Identifier: GPL-2.0-only
/*
 * "create": check the devices, say what array they make, load it.
 */
#include "core/params.h"
#include "core/sb.h"
#include "device.h"
#include "dm.h"
#include "kmsg.h"
#include "msg.h"
#include "opts.h"
#include "probe.h"
#include "text.h"
#include "words.h"

#define CHUNK_SECTORS_DEFAULT 128u

/**
 * struct plan - The array to make.
 * @name: Its name.
 * @p: Its table line.
 * @geo: Its geometry.
 * @devs: One a slot; without a path where it is missing.
 * @signed_mask: Slots whose devices hold something known.
 */
struct plan {
	const char *name;
	struct cascade_params p;
	struct cascade_geo geo;
	struct cascade_device devs[CASCADE_MEMBERS_MAX];
	u64 signed_mask;
};

static bool is_missing(const struct plan *plan, slot_t slot)
{
	return !plan->devs[slot].path;
}

/* mdadm's users write the number alone. */
static int parse_level(const char *text, enum cascade_level *level)
{
	if (!strcmp(text, "0"))
		text = "raid0";
	else if (!strcmp(text, "5"))
		text = "raid5";
	if (cascade_geo_level_parse(text, level))
		return -EINVAL;
	return *level == CASCADE_RAID0 || *level == CASCADE_RAID5 ? 0 : -EINVAL;
}

static int parse_options(struct plan *plan, const struct cascade_args *args)
{
	const char *level = args->values[OPT_LEVEL], *chunk = args->values[OPT_CHUNK];
	struct cascade_params *p = &plan->p;

	plan->name = args->words[0];
	if (!cascade_name_check(plan->name))
		return cascade_opts_usage(args,
					  "'%s' is no name: use 1 to %u letters, digits and '+-._', a letter or digit first",
					  plan->name, CASCADE_NAME_MAX);
	if (!level)
		return cascade_opts_usage(args, "'--level' is missing: raid0 or raid5");
	if (parse_level(level, &p->level))
		return cascade_opts_usage(args, "level '%s' is not known: raid0 or raid5", level);
	p->chunk_sectors = CHUNK_SECTORS_DEFAULT;
	if (chunk && cascade_text_chunk(chunk, &p->chunk_sectors))
		return cascade_opts_usage(args,
					  "chunk '%s' is not accepted: a power of two from 4K to 16M",
					  chunk);
	p->flags = CASCADE_ARG_CREATE;
	p->name = plan->name;
	if (cascade_opts_has(args, OPT_ASSUME_CLEAN))
		p->flags |= CASCADE_ARG_ASSUME_CLEAN;
	if (cascade_opts_has(args, OPT_FORCE))
		p->flags |= CASCADE_ARG_FORCE;
	return 0;
}

static int look_at_devices(struct plan *plan, const struct cascade_args *args)
{
	unsigned int i, j;
	int r = 0;

	plan->p.nr_members = args->nr_words - 1;
	for (i = 0; i < plan->p.nr_members; i++) {
		const char *path = args->words[i + 1];

		if (!strcmp(path, "missing"))
			continue;
		if (cascade_device_get(&plan->devs[i], path)) {
			r = -1;
			continue;
		}
		plan->p.members[i] =
			cascade_device_for_table(&plan->devs[i],
						 !cascade_opts_has(args, OPT_DRY_RUN));
		if (!plan->p.members[i])
			r = -1;
		for (j = 0; j < i; j++) {
			if (is_missing(plan, j) ||
			    !cascade_device_same(&plan->devs[i], &plan->devs[j]))
				continue;
			cascade_msg_error(path,
					  "is given twice (as %s before): each slot needs a device of its own",
					  args->words[j + 1]);
			r = -1;
		}
	}
	return r;
}

/* The table line's own rules are checked by its parser, as the kernel will. */
static int check_line(const struct plan *plan, const struct cascade_args *args)
{
	const char *error = NULL, *found = NULL;
	struct cascade_params parsed;
	struct cascade_words words;
	char *line;
	int r;

	line = cascade_words_line(&plan->p);
	cascade_words_split(&words, line);
	r = cascade_params_parse(&parsed, words.nr, words.list, &error, &found);
	/* the line's word for what is "missing" here would only puzzle */
	if (found && !strcmp(found, "-"))
		found = NULL;
	if (r)
		r = cascade_opts_usage(args, "%s%s%s%s", error, found ? " (found '" : "",
				       found ? found : "", found ? "')" : "");
	cascade_words_free(&words);
	free(line);
	return r;
}

/* Refuses a device that must not be overwritten; returns 0 or -1. */
static int check_device(struct plan *plan, slot_t slot, bool force, bool dry_run)
{
	const struct cascade_device *dev = &plan->devs[slot];
	char *what;
	int r;

	if (!dev->is_block) {
		if (dry_run) {
			cascade_msg_note(dev->path,
					 "is an image file: create needs a block device");
		} else {
			cascade_msg_error(dev->path, "is an image file: a block device is needed");
			return -1;
		}
	}
	if (dev->read_only) {
		cascade_msg_error(dev->path,
				  "is read-only: see 'blockdev --setrw', or name another device");
		return -1;
	}
	what = cascade_device_in_use(dev);
	if (what) {
		cascade_msg_error(dev->path, "is %s: release it first, or name another device",
				  what);
		free(what);
		return -1;
	}
	r = cascade_probe_find(dev->path, &what);
	if (!r && !what)
		return 0;
	if (r)
		what = cascade_msg_text("what cannot be told (%s)", strerror(-r));
	plan->signed_mask |= BIT_ULL(slot);
	if (force)
		cascade_msg_note(dev->path, "holds %s: it %s overwritten", what,
				 dry_run ? "would be" : "is");
	else
		cascade_msg_error(dev->path, "holds %s: use --force to overwrite it", what);
	free(what);
	return force ? 0 : -1;
}

/* The smallest member decides the size of all. */
static int measure(struct plan *plan)
{
	struct cascade_params *p = &plan->p;
	u64 least = CASCADE_DATA_OFFSET_SECTORS + CASCADE_MIB_SECTORS + p->chunk_sectors;
	u64 room, smallest = UINT64_MAX;
	const char *error = NULL;
	slot_t slot;
	int r = 0;

	for (slot = 0; slot < p->nr_members; slot++) {
		if (is_missing(plan, slot))
			continue;
		room = cascade_sb_room_sectors(plan->devs[slot].size_sectors,
					       CASCADE_DATA_OFFSET_SECTORS, p->chunk_sectors);
		if (!room) {
			cascade_msg_error(plan->devs[slot].path,
					  "is too small: it has %llu sectors, a member of this chunk needs at least %llu",
					  (unsigned long long)plan->devs[slot].size_sectors,
					  (unsigned long long)least);
			r = -1;
		}
		smallest = min(smallest, room);
	}
	if (r)
		return r;
	if (cascade_geo_init(&plan->geo, p->level, p->nr_members, p->chunk_sectors, smallest,
			     &error)) {
		cascade_msg_error(plan->name, "cannot make this array: %s", error);
		return -1;
	}
	if (!cascade_sb_region_sectors(plan->geo.data_sectors)) {
		cascade_msg_error(plan->name, "the devices are too large for one array");
		return -1;
	}
	return 0;
}

static void print_plan(const struct plan *plan)
{
	const struct cascade_geo *geo = &plan->geo;
	u64 used = CASCADE_DATA_OFFSET_SECTORS + geo->data_sectors;
	char size[CASCADE_SIZE_TEXT_BYTES], slack[CASCADE_SIZE_TEXT_BYTES];
	u64 capacity = cascade_geo_capacity_sectors(geo);
	slot_t slot;

	printf("%s: %s, %u members, chunk %s\n", plan->name, cascade_geo_level_name(geo->level),
	       (unsigned int)geo->nr_members, cascade_text_size(geo->chunk_sectors, size));
	for (slot = 0; slot < geo->nr_members; slot++) {
		const struct cascade_device *dev = &plan->devs[slot];

		if (is_missing(plan, slot))
			printf("  slot %-3u missing\n", slot);
		else
			printf("  slot %-3u %s (%s, %s left free at its end)\n", slot, dev->path,
			       cascade_text_size(dev->size_sectors, size),
			       cascade_text_size(dev->size_sectors - used, slack));
	}
	printf("  size     %s (%llu sectors)\n", cascade_text_size(capacity, size),
	       (unsigned long long)capacity);
}

static int check_name(const char *name)
{
	struct cascade_dm_info info;
	int r = cascade_dm_info(name, &info);

	if (!r)
		cascade_msg_error(name,
				  "this device-mapper name is taken: choose another, or remove that device first");
	else if (r != -ENODEV)
		cascade_msg_error(name, "cannot ask device-mapper: %s", cascade_dm_why(r));
	return r == -ENODEV ? 0 : -1;
}

static int load(const struct plan *plan, const char *line)
{
	u64 data_end = CASCADE_DATA_OFFSET_SECTORS + plan->geo.data_sectors;
	int log = cascade_kmsg_begin();
	const char *step = NULL;
	slot_t slot;
	int r;

	r = cascade_dm_start(plan->name, NULL, cascade_geo_capacity_sectors(&plan->geo), line,
			     false, &step);
	if (r)
		cascade_words_report_start(plan->name, step, r);
	cascade_kmsg_end(log, !!r);
	if (r)
		return EXIT_FAILED;
	cascade_words_tag(plan->name);
	/* only now: a refused array must leave the disks as they were */
	for (slot = 0; slot < plan->p.nr_members; slot++)
		if (plan->signed_mask & BIT_ULL(slot) &&
		    cascade_probe_wipe(plan->devs[slot].path, CASCADE_MIB_SECTORS, data_end))
			r = -1;
	printf("%s: created as /dev/mapper/%s\n", plan->name, plan->name);
	return r ? EXIT_FAILED : EXIT_DONE;
}

static int carry_out(struct plan *plan, const struct cascade_args *args)
{
	bool dry_run = cascade_opts_has(args, OPT_DRY_RUN);
	slot_t slot;
	char *line;
	int r;

	if (look_at_devices(plan, args))
		return EXIT_FAILED;
	r = check_line(plan, args);
	if (r)
		return r;
	for (slot = 0; slot < plan->p.nr_members; slot++)
		if (!is_missing(plan, slot) &&
		    check_device(plan, slot, cascade_opts_has(args, OPT_FORCE), dry_run))
			r = -1;
	if (r || measure(plan) || (!dry_run && check_name(plan->name)))
		return EXIT_FAILED;
	print_plan(plan);
	line = cascade_words_line(&plan->p);
	if (dry_run)
		printf("0 %llu " CASCADE_DM_TARGET " %s\n",
		       (unsigned long long)cascade_geo_capacity_sectors(&plan->geo), line);
	else
		r = load(plan, line);
	free(line);
	return r;
}

static int run(const struct cascade_args *args)
{
	struct plan *plan = cascade_msg_alloc(1, sizeof(*plan));
	slot_t slot;
	int r;

	r = parse_options(plan, args);
	if (!r)
		r = carry_out(plan, args);
	for (slot = 0; slot < CASCADE_MEMBERS_MAX; slot++)
		free((void *)plan->p.members[slot]);
	free(plan);
	return r;
}

static const struct cascade_opt opts[] = {
	{ OPT_LEVEL, "level", "LEVEL", "raid0 or raid5; must be given" },
	{ OPT_CHUNK, "chunk", "SIZE", "chunk, a power of two from 4K to 16M (default 64K)" },
	{ OPT_ASSUME_CLEAN, "assume-clean", NULL, "parity on the devices is right already" },
	{ OPT_FORCE, "force", NULL, "overwrite what the devices hold" },
	{ OPT_DRY_RUN, "dry-run", NULL, "print the array and its table line, make nothing" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_create = {
	.name = "create",
	.synopsis = "NAME --level LEVEL [OPTION]... DEV...",
	.summary = "make a new array of devices; what they held is lost",
	.details = "The order of the devices is that of the array. Write 'missing' for a device\n"
		   "that is not there: a raid5 bears one. This version cannot add it later.",
	.opts = opts,
	.min_words = 2,
	.max_words = CASCADE_MEMBERS_MAX + 1,
	.run = run,
};
