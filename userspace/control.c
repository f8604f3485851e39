// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that are one request to a running array: "table" and "fail".
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device.h"
#include "dm.h"
#include "kmsg.h"
#include "msg.h"
#include "opts.h"
#include "words.h"

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

/* Returns the slot that a device holds in an array, or -1 after an error was reported. */
static int find_slot(const char *name, const char *path)
{
	struct cascade_words words;
	struct cascade_params p;
	u64 length_sectors;
	char numbers[32];
	int r, slot = -1;
	unsigned int i;

	r = cascade_words_live(name, &p, &words, &length_sectors);
	if (r) {
		cascade_msg_error(name, "cannot read its table: %s", cascade_dm_why(r));
		return -1;
	}
	if (!numbers_of(path, numbers, sizeof(numbers)))
		numbers[0] = '\0';
	for (i = 0; i < p.nr_members; i++)
		if (p.members[i] && (!strcmp(p.members[i], numbers) || !strcmp(p.members[i], path)))
			slot = (int)i;
	cascade_words_free(&words);
	if (slot < 0)
		cascade_msg_error(path, "is no member of '%s': see '" TOOL_NAME " status %s'", name,
				  name);
	return slot;
}

static int run_fail(const struct cascade_args *args)
{
	const char *name = args->words[0], *path = args->words[1];
	int slot = find_slot(name, path);
	char message[32];
	int log, r;

	if (slot < 0)
		return EXIT_FAILED;
	snprintf(message, sizeof(message), "fail %d", slot);
	log = cascade_kmsg_begin();
	r = cascade_dm_message(name, message);
	if (r)
		cascade_msg_error(path, "cannot fail slot %d of '%s': %s", slot, name,
				  cascade_dm_why(r));
	cascade_kmsg_end(log, !!r);
	return r ? EXIT_FAILED : EXIT_DONE;
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
