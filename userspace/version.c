// SPDX-License-Identifier: GPL-2.0-only
/*
 * "version": of the tool, and of the target in the kernel.
 */
#include "dm.h"
#include "msg.h"
#include "opts.h"

#ifndef CASCADE_VERSION
#define CASCADE_VERSION "0.1.0"
#endif

static int run(const struct cascade_args *args)
{
	u32 version[3];
	int r;

	(void)args;
	printf(TOOL_NAME " " CASCADE_VERSION "\n");
	r = cascade_dm_target_version(version);
	if (!r)
		printf("cascade target %u.%u.%u\n", version[0], version[1], version[2]);
	else if (r == -ENOENT)
		printf("cascade target not loaded\n");
	else
		printf("cascade target unknown (device-mapper cannot be asked)\n");
	return EXIT_DONE;
}

static const struct cascade_opt opts[] = {
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_version = {
	.name = "version",
	.synopsis = "",
	.summary = "print the versions of the tool and of the kernel's target",
	.opts = opts,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
