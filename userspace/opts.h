/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands, their options and their help. Each command describes itself once, in
 * a struct cascade_cmd; the parser and "--help" both work from that.
 */
#ifndef CASCADESETUP_OPTS_H
#define CASCADESETUP_OPTS_H

#include <stdbool.h>

/** enum cascade_opt_id - Every option of every command. */
enum cascade_opt_id {
	OPT_NONE,
	OPT_ALL,
	OPT_ASSUME_CLEAN,
	OPT_CHUNK,
	OPT_DRY_RUN,
	OPT_EXEC,
	OPT_FORCE,
	OPT_JSON,
	OPT_LEVEL,
	OPT_NAME,
	OPT_READ_ONLY,
	OPT_RUN,
	OPT_WATCH,
	OPT_NR,
};

/**
 * struct cascade_opt - An option of a command; a list ends with OPT_NONE.
 * @id: Which one.
 * @name: Word behind "--".
 * @arg: Name of its value in the help, or NULL if it takes none.
 * @help: One line.
 */
struct cascade_opt {
	enum cascade_opt_id id;
	const char *name;
	const char *arg;
	const char *help;
};

struct cascade_args;

/**
 * struct cascade_cmd - A command.
 * @name: Word.
 * @synopsis: What follows the word.
 * @summary: One line.
 * @details: More lines for its help, or NULL.
 * @opts: Its options, "--help" left out.
 * @min_words: Least number of words that are no options.
 * @max_words: Greatest number of such words.
 * @run: Carries it out and returns the exit status.
 */
struct cascade_cmd {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *details;
	const struct cascade_opt *opts;
	unsigned int min_words;
	unsigned int max_words;
	int (*run)(const struct cascade_args *args);
};

/**
 * struct cascade_args - What a command was called with.
 * @cmd: The command.
 * @values: One entry an option: NULL if it was not given, "" if it takes no value.
 * @words: Words that are no options, in their order.
 * @nr_words: Entries of @words.
 */
struct cascade_args {
	const struct cascade_cmd *cmd;
	const char *values[OPT_NR];
	char **words;
	unsigned int nr_words;
};

/**
 * cascade_opts_has() - Whether an option was given.
 * @args: Parsed arguments.
 * @id: Option.
 *
 * Return: True if it was.
 */
static inline bool cascade_opts_has(const struct cascade_args *args, enum cascade_opt_id id)
{
	return args->values[id];
}

/**
 * cascade_opts_run() - Parse a command's arguments and carry it out.
 * @cmd: Command.
 * @argc: Words behind the command's name.
 * @argv: These words; sorted in place, options away.
 *
 * Options and other words may be mixed; "--" ends the options.
 *
 * Return: Exit status.
 */
int cascade_opts_run(const struct cascade_cmd *cmd, int argc, char **argv);

/**
 * cascade_opts_usage() - Report bad usage.
 * @args: Arguments of the command.
 * @fmt: What is wrong.
 *
 * Return: EXIT_USAGE.
 */
int cascade_opts_usage(const struct cascade_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

extern const struct cascade_cmd cascade_cmd_create;
extern const struct cascade_cmd cascade_cmd_assemble;
extern const struct cascade_cmd cascade_cmd_stop;
extern const struct cascade_cmd cascade_cmd_list;
extern const struct cascade_cmd cascade_cmd_status;
extern const struct cascade_cmd cascade_cmd_examine;
extern const struct cascade_cmd cascade_cmd_table;
extern const struct cascade_cmd cascade_cmd_rescue_table;
extern const struct cascade_cmd cascade_cmd_fail;
extern const struct cascade_cmd cascade_cmd_idle;
extern const struct cascade_cmd cascade_cmd_frozen;
extern const struct cascade_cmd cascade_cmd_monitor;
extern const struct cascade_cmd cascade_cmd_version;

#endif /* CASCADESETUP_OPTS_H */
