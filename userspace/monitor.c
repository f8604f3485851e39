// SPDX-License-Identifier: GPL-2.0-only
/*
 * "monitor": one line, and one run of a program, for each change of an array's health,
 * of a member, of background work or of the cache, and for arrays that come and go.
 * The program runs to its end before the next: what it is told comes in order.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "known.h"
#include "msg.h"
#include "opts.h"
#include "text.h"
#include "wait.h"

/* An array that starts, or is suspended, raises no event of its own. */
#define STEP_MS 2000

/**
 * struct change - What is told.
 * @event: "new", "gone", "health", "member", "sync" or "cache".
 * @known: The array.
 * @now: How it is; of one that is gone, how it was.
 * @was: The word for it before; NULL for "new".
 * @is: The word for it now; NULL for "gone".
 * @slot: Of a member, else -1.
 * @device: Of a member, if it has one.
 */
struct change {
	const char *event;
	const struct cascade_known *known;
	const struct cascade_state *now;
	const char *was;
	const char *is;
	int slot;
	const char *device;
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void fill_environment(const struct change *change)
{
	const struct cascade_state *now = change->now;
	char *device = cascade_msg_text("/dev/mapper/%s", change->known->name);
	char slot[16];

	snprintf(slot, sizeof(slot), "%d", change->slot);
	set("CASCADE_EVENT", change->event);
	set("CASCADE_NAME", change->known->name);
	set("CASCADE_DEVICE", device);
	set("CASCADE_UUID", now->uuid);
	set("CASCADE_OLD", change->was ? change->was : "");
	set("CASCADE_NEW", change->is ? change->is : "");
	set("CASCADE_HEALTH", cascade_view_health_name(now->health));
	set("CASCADE_MEMBERS", now->letters);
	set("CASCADE_SYNC", cascade_report_sync_name(now->sync_action));
	set("CASCADE_CACHE", cascade_report_cache_name(now->cache_state));
	set("CASCADE_SLOT", change->slot < 0 ? NULL : slot);
	set("CASCADE_MEMBER", change->device);
	free(device);
}

/* Starts the program with the signals that the monitor keeps back. Returns 0 or an errno. */
static int start(pid_t *pid, const char *program, const struct change *change)
{
	char *const argv[] = {
		(char *)program, (char *)change->event, change->known->name,
		(char *)change->device, NULL,
	};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	fill_environment(change);
	error = posix_spawnp(pid, program, &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static void run_program(const char *program, const struct change *change)
{
	int error, status;
	pid_t pid;

	error = start(&pid, program, change);
	if (error) {
		cascade_msg_error(program, "cannot be run for '%s', event %s: %s",
				  change->known->name, change->event, strerror(error));
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		cascade_msg_error(program, "failed for '%s', event %s: ended by signal %d",
				  change->known->name, change->event, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		cascade_msg_error(program, "failed for '%s', event %s: exit status %d",
				  change->known->name, change->event, WEXITSTATUS(status));
}

static void tell(const char *program, const struct change *change)
{
	char time[CASCADE_TIME_TEXT_BYTES];

	printf("%s %s: %s", cascade_text_now(time), change->known->name, change->event);
	if (change->slot >= 0)
		printf(" %d%s%s%s", change->slot, change->device ? " (" : "",
		       change->device ? change->device : "", change->device ? ")" : "");
	if (change->is)
		printf(": %s%s%s", change->was ? change->was : "", change->was ? " -> " : "",
		       change->is);
	putchar('\n');
	fflush(stdout);
	if (program)
		run_program(program, change);
}

static void tell_if(const char *program, struct change change, const char *event,
		    const char *was, const char *is)
{
	if (!strcmp(was, is))
		return;
	change.event = event;
	change.was = was;
	change.is = is;
	tell(program, &change);
}

static void tell_members(const char *program, struct change change,
			 const struct cascade_view *view)
{
	const char *was = change.known->was.letters, *is = change.now->letters;
	char name[CASCADE_DEVICE_NAME_BYTES];

	for (change.slot = 0; was[change.slot] && is[change.slot]; change.slot++) {
		change.device = cascade_view_member_device(view, (slot_t)change.slot, name);
		tell_if(program, change, "member",
			cascade_view_member_state(was[change.slot]),
			cascade_view_member_state(is[change.slot]));
	}
}

static void look_at(const struct cascade_known *known, const struct cascade_view *view,
		    const struct cascade_state *now, void *arg)
{
	const struct cascade_state *was = &known->was;
	const char *program = arg;
	struct change change = { .known = known, .now = now, .slot = -1 };

	if (known->is_new || !view) {
		change.event = view ? "new" : "gone";
		change.was = view ? NULL : cascade_view_health_name(now->health);
		change.is = view ? cascade_view_health_name(now->health) : NULL;
		tell(program, &change);
		return;
	}
	tell_members(program, change, view);
	tell_if(program, change, "health", cascade_view_health_name(was->health),
		cascade_view_health_name(now->health));
	tell_if(program, change, "sync", cascade_report_sync_name(was->sync_action),
		cascade_report_sync_name(now->sync_action));
	tell_if(program, change, "cache", cascade_report_cache_name(was->cache_state),
		cascade_report_cache_name(now->cache_state));
}

/* Names that nobody may ever have meant are worth a word. */
static void note_absent(const struct cascade_args *args)
{
	unsigned int i;

	for (i = 0; i < args->nr_words; i++) {
		struct cascade_dm_info info;

		if (cascade_dm_info(args->words[i], &info) == -ENODEV)
			cascade_msg_note(args->words[i], "is not running: waiting for its start");
	}
}

static int run_monitor(const struct cascade_args *args)
{
	const char *program = args->values[OPT_EXEC];
	struct cascade_known *known = NULL;
	struct cascade_wait wait;
	int r;

	if (program && !*program)
		return cascade_opts_usage(args, "'--exec' names no program");
	if (program && strchr(program, '/') && access(program, X_OK)) {
		cascade_msg_error(program, "cannot be run: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (cascade_wait_begin(&wait))
		return EXIT_FAILED;
	note_absent(args);
	do {
		cascade_wait_arm(&wait);
		r = cascade_known_look(&known, args->nr_words ? args->words : NULL,
				       args->nr_words, look_at, (void *)program);
	} while (!r && !ferror(stdout) &&
		 cascade_wait_for(&wait, STEP_MS) != CASCADE_WAKE_SIGNAL);
	cascade_known_free(&known);
	return r ? EXIT_FAILED : EXIT_DONE;
}

static const struct cascade_opt opts[] = {
	{ OPT_EXEC, "exec", "PROG", "call this program for each change" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_monitor = {
	.name = "monitor",
	.synopsis = "[--exec PROG] [NAME...]",
	.summary = "print what happens to arrays, all if none is named, until interrupted",
	.details = "A line for each array that starts or is there at first (new) or that stops\n"
		   "(gone), and for each change of health, of a member, of background work (sync)\n"
		   "and of the cache. PROG is called with the event, the array's name and, for a\n"
		   "member, its device; it finds in its environment: CASCADE_EVENT, CASCADE_NAME,\n"
		   "CASCADE_DEVICE, CASCADE_UUID, CASCADE_OLD, CASCADE_NEW, CASCADE_HEALTH,\n"
		   "CASCADE_MEMBERS, CASCADE_SYNC, CASCADE_CACHE; for a member also CASCADE_SLOT,\n"
		   "CASCADE_MEMBER.",
	.opts = opts,
	.min_words = 0,
	.max_words = ~0u,
	.run = run_monitor,
};
