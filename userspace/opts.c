// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of a command: parsing and help. Names must be written in full, so that
 * a new option never changes what an old script means.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "msg.h"
#include "opts.h"

static int usage(const struct cascade_cmd *cmd, const char *fmt, va_list args)
{
	fflush(stdout);
	fprintf(stderr, TOOL_NAME ": %s: ", cmd->name);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "; see '" TOOL_NAME " %s --help'\n", cmd->name);
	return EXIT_USAGE;
}

static __attribute__((format(printf, 2, 3)))
int bad(const struct cascade_cmd *cmd, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = usage(cmd, fmt, args);
	va_end(args);
	return status;
}

int cascade_opts_usage(const struct cascade_args *args, const char *fmt, ...)
{
	va_list list;
	int status;

	va_start(list, fmt);
	status = usage(args->cmd, fmt, list);
	va_end(list);
	return status;
}

static void print_opt(const char *name, const char *arg, const char *help)
{
	char left[40];

	snprintf(left, sizeof(left), "--%s%s%s", name, arg ? " " : "", arg ? arg : "");
	printf("  %-18s  %s\n", left, help);
}

static void print_help(const struct cascade_cmd *cmd)
{
	const struct cascade_opt *opt;

	printf("Usage: " TOOL_NAME " %s%s%s\n\n%s\n", cmd->name, *cmd->synopsis ? " " : "",
	       cmd->synopsis, cmd->summary);
	if (cmd->details)
		printf("\n%s\n", cmd->details);
	printf("\nOptions:\n");
	for (opt = cmd->opts; opt->id; opt++)
		print_opt(opt->name, opt->arg, opt->help);
	print_opt("help", NULL, "show this text");
}

/* Whether @word names @opt; *value is set to what follows "=", or NULL. */
static bool names_opt(const char *word, const struct cascade_opt *opt, const char **value)
{
	size_t nr = strlen(opt->name);

	if (strncmp(word, opt->name, nr))
		return false;
	if (word[nr] != '\0' && word[nr] != '=')
		return false;
	*value = word[nr] ? word + nr + 1 : NULL;
	return true;
}

/* Takes the option at argv[*i], and its value; returns 0 or EXIT_USAGE. */
static int take_opt(struct cascade_args *args, int argc, char **argv, int *i)
{
	const struct cascade_cmd *cmd = args->cmd;
	const struct cascade_opt *opt;
	const char *value;

	for (opt = cmd->opts; opt->id; opt++)
		if (names_opt(argv[*i] + 2, opt, &value))
			break;
	if (!opt->id)
		return bad(cmd, "unknown option '%s'", argv[*i]);
	if (args->values[opt->id])
		return bad(cmd, "option '--%s' is given twice", opt->name);
	if (!opt->arg && value)
		return bad(cmd, "option '--%s' takes no value", opt->name);
	if (opt->arg && !value) {
		if (*i + 1 >= argc)
			return bad(cmd, "option '--%s' needs a value: %s", opt->name, opt->arg);
		value = argv[++*i];
	}
	args->values[opt->id] = value ? value : "";
	return 0;
}

static bool asks_help(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int cascade_opts_run(const struct cascade_cmd *cmd, int argc, char **argv)
{
	struct cascade_args args = { .cmd = cmd, .words = argv };
	bool only_words = false;
	int i;

	if (asks_help(argc, argv)) {
		print_help(cmd);
		return EXIT_DONE;
	}
	for (i = 0; i < argc; i++) {
		if (!only_words && !strcmp(argv[i], "--")) {
			only_words = true;
		} else if (!only_words && argv[i][0] == '-') {
			int status;

			if (argv[i][1] != '-')
				return bad(cmd, "unknown option '%s'", argv[i]);
			status = take_opt(&args, argc, argv, &i);
			if (status)
				return status;
		} else {
			args.words[args.nr_words++] = argv[i];
		}
	}
	if (args.nr_words < cmd->min_words)
		return bad(cmd, "something is missing: usage is '%s %s'", cmd->name, cmd->synopsis);
	if (args.nr_words > cmd->max_words)
		return bad(cmd, "'%s' is too much: usage is '%s%s%s'", args.words[cmd->max_words],
			   cmd->name, *cmd->synopsis ? " " : "", cmd->synopsis);
	return cmd->run(&args);
}
