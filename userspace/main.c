// SPDX-License-Identifier: GPL-2.0-only
/*
 * cascadesetup: make, start, watch and save cascade arrays. This file knows the
 * commands' names; each command stands in a file of its own.
 */
#include <stdio.h>
#include <string.h>

#include "dm.h"
#include "msg.h"
#include "opts.h"

static const struct cascade_cmd *const commands[] = {
	&cascade_cmd_create,
	&cascade_cmd_assemble,
	&cascade_cmd_stop,
	&cascade_cmd_list,
	&cascade_cmd_status,
	&cascade_cmd_examine,
	&cascade_cmd_table,
	&cascade_cmd_rescue_table,
	&cascade_cmd_fail,
	&cascade_cmd_idle,
	&cascade_cmd_frozen,
	&cascade_cmd_monitor,
	&cascade_cmd_version,
};

static const struct cascade_cmd *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_help(void)
{
	size_t i;

	printf("Usage: " TOOL_NAME " COMMAND [ARGUMENT]...\n\n"
	       "Make, start, watch and save cascade arrays.\n\nCommands:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-13s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n'" TOOL_NAME " COMMAND --help' tells more of each.\n"
	       "Exit status: 0 done, 1 failed, 2 bad usage; of 'status' also:\n"
	       "3 an array is degraded or rebuilding, 4 an array has failed.\n");
}

int main(int argc, char **argv)
{
	const struct cascade_cmd *cmd;
	int status;

	if (argc < 2) {
		fprintf(stderr, TOOL_NAME ": no command given; see '" TOOL_NAME " --help'\n");
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		return EXIT_DONE;
	}
	cmd = find(!strcmp(argv[1], "--version") ? "version" : argv[1]);
	if (!cmd) {
		fprintf(stderr, TOOL_NAME ": unknown command '%s'; see '" TOOL_NAME " --help'\n",
			argv[1]);
		return EXIT_USAGE;
	}
	cascade_dm_init();
	status = cascade_opts_run(cmd, argc - 2, argv + 2);
	if (fflush(stdout) || ferror(stdout)) {
		cascade_msg_error("standard output", "cannot write");
		if (status == EXIT_DONE)
			status = EXIT_FAILED;
	}
	return status;
}
