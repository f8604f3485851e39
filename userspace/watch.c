// SPDX-License-Identifier: GPL-2.0-only
/*
 * "status --watch": on a terminal the whole picture, drawn again at each event and every
 * second; elsewhere a line for each change, as text or JSON. As with "watch cat
 * /proc/mdstat", the end of background work is no end: waiting for that is another job.
 */
#include <stdlib.h>
#include <unistd.h>

#include "known.h"
#include "msg.h"
#include "text.h"
#include "wait.h"
#include "watch.h"

#define STEP_MS 1000
#define SCREEN_BYTES 65536u

/**
 * struct look - One look at all arrays.
 * @terminal: Draw all of them.
 * @list: JSON of them, or NULL.
 * @changed: Something is not as before.
 * @nr_there: Arrays that are there.
 * @status: Exit status that their health asks for.
 */
struct look {
	bool terminal;
	struct json_object *list;
	bool changed;
	unsigned int nr_there;
	int status;
};

static void print_line(const struct cascade_known *known, const struct cascade_state *now)
{
	char time[CASCADE_TIME_TEXT_BYTES], speed[CASCADE_RATE_TEXT_BYTES];

	printf("%s %s: %s%s%s, %s, %s", cascade_text_now(time), known->name,
	       cascade_view_health_name(now->health), now->read_only ? ", read-only" : "",
	       now->suspended ? ", suspended" : "",
	       now->letters, cascade_report_sync_name(now->sync_action));
	if (now->sync_action != CASCADE_SYNC_IDLE || now->percent < 100)
		printf(" %u %%", now->percent);
	cascade_rate_text(&known->rate, speed);
	printf("%s%s", *speed ? ", " : "", speed);
	if (now->cache_state != CASCADE_CACHE_NONE)
		printf(", cache %s", cascade_report_cache_name(now->cache_state));
	putchar('\n');
}

static void show_gone(const struct cascade_known *known, struct look *look)
{
	char time[CASCADE_TIME_TEXT_BYTES];

	look->changed = true;
	if (look->terminal)
		printf("%s: gone\n", known->name);
	else if (!look->list)
		printf("%s %s: gone\n", cascade_text_now(time), known->name);
}

static void show(const struct cascade_known *known, const struct cascade_view *view,
		 const struct cascade_state *now, void *arg)
{
	struct look *look = arg;
	bool changed;

	if (!view) {
		show_gone(known, look);
		return;
	}
	changed = known->is_new || !cascade_known_same(&known->was, now);
	if (look->list)
		json_object_array_add(look->list, cascade_view_json(view));
	else if (look->terminal && look->nr_there)
		putchar('\n');
	if (look->terminal)
		cascade_view_print(view, true, &known->rate);
	else if (!look->list && changed)
		print_line(known, now);
	if (changed)
		look->changed = true;
	if (cascade_view_exit_status(now->health) > look->status)
		look->status = cascade_view_exit_status(now->health);
	look->nr_there++;
}

/* Looks once, and prints. Returns 0, or -1 after an error was reported. */
static int look_once(struct look *look, struct cascade_known **known, bool first,
		     const struct cascade_args *args)
{
	bool json = cascade_opts_has(args, OPT_JSON);
	int r;

	*look = (struct look) {
		.terminal = !json && isatty(STDOUT_FILENO),
		.list = json ? json_object_new_array() : NULL,
		.changed = first,
		.status = EXIT_DONE,
	};
	if (look->terminal)
		printf("\033[H\033[2J");
	r = cascade_known_look(known, args->nr_words ? args->words : NULL, args->nr_words, show,
			       look);
	if (look->terminal && !r && !args->nr_words && !look->nr_there)
		printf("no array is running\n");
	if (look->list && look->changed && !r)
		cascade_view_print_json(look->list, JSON_C_TO_STRING_PLAIN);
	else if (look->list)
		json_object_put(look->list);
	return r;
}

/* What is named must be there at first. */
static int check_names(const struct cascade_args *args)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < args->nr_words; i++) {
		struct cascade_view view;
		int error = cascade_view_get(&view, args->words[i]);

		if (!error) {
			cascade_view_put(&view);
			continue;
		}
		cascade_msg_error(args->words[i], "cannot read its status: %s",
				  cascade_dm_why(error));
		r = -1;
	}
	return r;
}

int cascade_watch_run(const struct cascade_args *args)
{
	struct cascade_known *known = NULL;
	struct cascade_wait wait;
	int status = EXIT_DONE;
	bool first = true;

	if (check_names(args) || cascade_wait_begin(&wait))
		return EXIT_FAILED;
	/* a picture goes out as one, so that it does not flicker */
	setvbuf(stdout, NULL, _IOFBF, SCREEN_BYTES);
	do {
		struct look look;

		cascade_wait_arm(&wait);
		if (look_once(&look, &known, first, args))
			status = EXIT_FAILED;
		else if (look.nr_there || !args->nr_words)
			status = look.status;
		first = false;
		if (fflush(stdout) || status == EXIT_FAILED || (args->nr_words && !look.nr_there))
			break;
	} while (cascade_wait_for(&wait, STEP_MS) != CASCADE_WAKE_SIGNAL);
	cascade_known_free(&known);
	return status;
}
