// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that are one request to a running array: "table", "fail", "idle" and
 * "frozen".
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device.h"
#include "kmsg.h"
#include "member.h"
#include "msg.h"
#include "opts.h"
#include "text.h"
#include "view.h"

static int run_table(const struct cascade_args *args)
{
	const char *name = args->words[0];
	struct cascade_dm_target target;
	int r;

	r = cascade_dm_read(name, CASCADE_DM_TABLE, &target);
	if (r) {
		cascade_msg_error(name, "cannot read its table: %s", cascade_dm_why(r));
		return EXIT_FAILED;
	}
	printf("%llu %llu " CASCADE_DM_TARGET " %s\n", (unsigned long long)target.start_sectors,
	       (unsigned long long)target.length_sectors, target.text);
	cascade_dm_put(&target);
	return EXIT_DONE;
}

/* "major:minor" of a device, also of one whose node is gone. */
static bool numbers_of(const char *path, char *text, size_t nr_bytes)
{
	unsigned int major, minor;
	struct stat st;
	char rest;

	if (sscanf(path, "%u:%u%c", &major, &minor, &rest) == 2) {
		snprintf(text, nr_bytes, "%u:%u", major, minor);
		return true;
	}
	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return false;
	snprintf(text, nr_bytes, "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return true;
}

/* The slot that a device holds in an array, or -1. */
static int find_slot(const struct cascade_view *view, const char *path)
{
	char numbers[32];
	slot_t slot;

	if (!view->has_params)
		return -1;
	if (!numbers_of(path, numbers, sizeof(numbers)))
		numbers[0] = '\0';
	for (slot = 0; slot < view->p.nr_members; slot++)
		if (view->p.members[slot] && (!strcmp(view->p.members[slot], numbers) ||
					      !strcmp(view->p.members[slot], path)))
			return (int)slot;
	return -1;
}

static int get_view(struct cascade_view *view, const char *name)
{
	int r = cascade_view_get(view, name);

	if (r)
		cascade_msg_error(name, "cannot read its status: %s", cascade_dm_why(r));
	return r;
}

/* Why an array takes no message, in words; NULL if it does. */
static const char *why_deaf(const struct cascade_view *view)
{
	if (view->info.suspended)
		return "it is suspended: see 'dmsetup resume'";
	if (view->info.read_only)
		return "it is read-only: assemble it without --read-only first";
	return NULL;
}

/* Sends a message; what the kernel says about a refusal follows the error. */
static int send(const char *name, const char *message, const char *subject, const char *what)
{
	int log = cascade_kmsg_begin();
	int r = cascade_dm_message(name, message);

	if (r == -EINVAL)
		cascade_msg_error(subject, "%s: the kernel refuses the message \"%s\"", what,
				  message);
	else if (r)
		cascade_msg_error(subject, "%s: %s", what, cascade_dm_why(r));
	cascade_kmsg_end(log, !!r);
	return r;
}

/* The slots that are out, such as "slot 1", for the caller to free; NULL if none is. */
static char *slots_out(const struct cascade_view *view)
{
	u64 mask = 0;
	slot_t slot;

	for (slot = 0; slot < view->rep.nr_members; slot++)
		if (view->rep.health[slot] != 'A')
			mask |= BIT_ULL(slot);
	return mask ? cascade_set_slots(mask) : NULL;
}

/* Says why a member cannot be failed, if it cannot. */
static bool cannot_fail(const struct cascade_view *view, const char *path, int slot)
{
	const char *deaf = why_deaf(view);
	char *out;

	if (slot < 0) {
		cascade_msg_error(path,
				  "cannot fail it: it is no member of '%s', see '"
				  TOOL_NAME " status %s'",
				  view->name, view->name);
	} else if (view->rep.health[slot] == 'D' || view->rep.health[slot] == '-') {
		cascade_msg_error(path, "cannot fail it: slot %d of '%s' is out already", slot,
				  view->name);
	} else if (cascade_view_needs(view, (slot_t)slot)) {
		out = slots_out(view);
		if (out)
			cascade_msg_error(path,
					  "cannot fail it: the array needs that member: '%s' is a %s that lacks %s already",
					  view->name, cascade_geo_level_name(view->rep.level), out);
		else
			cascade_msg_error(path,
					  "cannot fail it: the array needs that member: '%s' is a %s, which bears no loss",
					  view->name, cascade_geo_level_name(view->rep.level));
		free(out);
	} else if (deaf) {
		cascade_msg_error(view->name, "cannot fail %s: %s", path, deaf);
	} else {
		return false;
	}
	return true;
}

static int run_fail(const struct cascade_args *args)
{
	const char *name = args->words[0], *path = args->words[1];
	struct cascade_view view;
	char message[32];
	bool refused;
	int slot, r;

	if (get_view(&view, name))
		return EXIT_FAILED;
	slot = find_slot(&view, path);
	refused = cannot_fail(&view, path, slot);
	cascade_view_put(&view);
	if (refused)
		return EXIT_FAILED;
	snprintf(message, sizeof(message), "fail %d", slot);
	r = send(name, message, path, "cannot fail it");
	if (r || get_view(&view, name))
		return EXIT_FAILED;
	printf("%s: slot %d (%s) has failed; the array is %s now (%s)\n", name, slot, path,
	       cascade_view_health_name(view.health), view.rep.health);
	cascade_view_put(&view);
	return EXIT_DONE;
}

/* Sends "idle" or "frozen"; @view is filled with what comes of it. */
static int set_sync(struct cascade_view *view, const char *name, const char *verb,
		    const char *what)
{
	const char *why;

	if (get_view(view, name))
		return -1;
	why = why_deaf(view);
	if (view->rep.level == CASCADE_RAID0)
		why = "a raid0 has no parity, so there is no background work";
	cascade_view_put(view);
	if (why)
		cascade_msg_error(name, "%s: %s", what, why);
	return why || send(name, verb, name, what) || get_view(view, name) ? -1 : 0;
}

/* How far parity is right, if it is not all. */
static void print_progress(const struct cascade_view *view, const char *rest)
{
	unsigned int permille = cascade_text_permille(view->rep.done_sectors,
						      view->rep.total_sectors);

	if (permille < 1000)
		printf("; parity is made right up to %u.%u %%%s", permille / 10, permille % 10,
		       rest);
	putchar('\n');
}

static int run_idle(const struct cascade_args *args)
{
	struct cascade_view view;

	if (set_sync(&view, args->words[0], "idle", "cannot end its background work"))
		return EXIT_FAILED;
	printf("%s: background work has ended", args->words[0]);
	print_progress(&view, ", the rest at the next start");
	cascade_view_put(&view);
	return EXIT_DONE;
}

static int run_frozen(const struct cascade_args *args)
{
	struct cascade_view view;

	if (set_sync(&view, args->words[0], "frozen", "cannot freeze its background work"))
		return EXIT_FAILED;
	printf("%s: background work is frozen until '" TOOL_NAME " idle %s'", args->words[0],
	       args->words[0]);
	print_progress(&view, "");
	cascade_view_put(&view);
	return EXIT_DONE;
}

static const struct cascade_opt no_opts[] = {
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_table = {
	.name = "table",
	.synopsis = "NAME",
	.summary = "print the table line of a running array",
	.opts = no_opts,
	.min_words = 1,
	.max_words = 1,
	.run = run_table,
};

const struct cascade_cmd cascade_cmd_fail = {
	.name = "fail",
	.synopsis = "NAME DEV",
	.summary = "declare a member of a running array failed",
	.details = "DEV is a path or major:minor. This version cannot rebuild it: the array stays\n"
		   "degraded.",
	.opts = no_opts,
	.min_words = 2,
	.max_words = 2,
	.run = run_fail,
};

const struct cascade_cmd cascade_cmd_idle = {
	.name = "idle",
	.synopsis = "NAME",
	.summary = "end the background work of a running array, or its being frozen",
	.details = "What is left of it is done from the next start of the array on.",
	.opts = no_opts,
	.min_words = 1,
	.max_words = 1,
	.run = run_idle,
};

const struct cascade_cmd cascade_cmd_frozen = {
	.name = "frozen",
	.synopsis = "NAME",
	.summary = "end the background work of a running array, and let none start",
	.details = "That is kept on the members: it holds after a stop too, until 'idle'.",
	.opts = no_opts,
	.min_words = 1,
	.max_words = 1,
	.run = run_frozen,
};
