// SPDX-License-Identifier: GPL-2.0-only
/*
 * "list" and "status": running arrays, as they are now.
 */
#include <unistd.h>

#include "msg.h"
#include "opts.h"
#include "text.h"
#include "view.h"
#include "watch.h"

/* Shows some arrays; *worst takes the exit status that their health asks for. */
static int show(char **names, unsigned int nr, bool all, struct json_object *list, int *worst)
{
	bool bar = isatty(STDOUT_FILENO);
	unsigned int i;
	int r = 0;

	for (i = 0; i < nr; i++) {
		struct cascade_view view;
		int error = cascade_view_get(&view, names[i]);

		if (error == -ENODEV && all)
			continue;	/* it was stopped meanwhile */
		if (error) {
			cascade_msg_error(names[i], "cannot read its status: %s",
					  cascade_dm_why(error));
			r = -1;
			continue;
		}
		if (list) {
			json_object_array_add(list, cascade_view_json(&view));
		} else {
			if (i)
				putchar('\n');
			cascade_view_print(&view, bar, NULL);
		}
		if (cascade_view_exit_status(view.health) > *worst)
			*worst = cascade_view_exit_status(view.health);
		cascade_view_put(&view);
	}
	return r;
}

static int show_once(const struct cascade_args *args)
{
	struct json_object *list = NULL;
	int r, worst = EXIT_DONE;

	if (cascade_opts_has(args, OPT_JSON))
		list = json_object_new_array();
	if (args->nr_words) {
		r = show(args->words, args->nr_words, false, list, &worst);
	} else {
		unsigned int nr;
		char **names;

		r = cascade_dm_list(&names, &nr);
		if (r)
			cascade_msg_error("device-mapper", "cannot list devices: %s",
					  cascade_dm_why(r));
		else
			r = show(names, nr, true, list, &worst);
		cascade_dm_list_free(names, nr);
	}
	if (list)
		cascade_view_print_json(list, JSON_C_TO_STRING_PRETTY);
	return r ? EXIT_FAILED : worst;
}

static int run_status(const struct cascade_args *args)
{
	return cascade_opts_has(args, OPT_WATCH) ? cascade_watch_run(args) : show_once(args);
}

static void print_line(const struct cascade_view *view, unsigned int width)
{
	char size[CASCADE_SIZE_TEXT_BYTES];

	printf("%-*s  %-6s  %7u  %10s  %s\n", (int)width, view->name,
	       cascade_geo_level_name(view->rep.level), view->rep.nr_members,
	       cascade_text_size(view->status.length_sectors, size),
	       cascade_view_health_name(view->health));
}

static int list_names(char **names, unsigned int nr, struct json_object *list)
{
	unsigned int i, width = 4;
	int r = 0;

	for (i = 0; i < nr; i++)
		if (strlen(names[i]) > width)
			width = (unsigned int)strlen(names[i]);
	if (!list && nr)
		printf("%-*s  %-6s  %7s  %10s  HEALTH\n", (int)width, "NAME", "LEVEL", "MEMBERS",
		       "SIZE");
	for (i = 0; i < nr; i++) {
		struct cascade_view view;
		int error = cascade_view_get(&view, names[i]);

		if (error == -ENODEV)
			continue;
		if (error) {
			cascade_msg_error(names[i], "cannot read its status: %s",
					  cascade_dm_why(error));
			r = -1;
			continue;
		}
		if (list)
			json_object_array_add(list, cascade_view_brief_json(&view));
		else
			print_line(&view, width);
		cascade_view_put(&view);
	}
	return r;
}

static int run_list(const struct cascade_args *args)
{
	struct json_object *list = NULL;
	unsigned int nr;
	char **names;
	int r;

	r = cascade_dm_list(&names, &nr);
	if (r) {
		cascade_msg_error("device-mapper", "cannot list devices: %s", cascade_dm_why(r));
		return EXIT_FAILED;
	}
	if (cascade_opts_has(args, OPT_JSON))
		list = json_object_new_array();
	r = list_names(names, nr, list);
	cascade_dm_list_free(names, nr);
	if (list)
		cascade_view_print_json(list, JSON_C_TO_STRING_PRETTY);
	return r ? EXIT_FAILED : EXIT_DONE;
}

static const struct cascade_opt list_opts[] = {
	{ OPT_JSON, "json", NULL, "print JSON for programs" },
	{ OPT_NONE, NULL, NULL, NULL },
};

static const struct cascade_opt status_opts[] = {
	{ OPT_JSON, "json", NULL, "print JSON for programs" },
	{ OPT_WATCH, "watch", NULL, "go on, and show what changes, until interrupted" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_list = {
	.name = "list",
	.synopsis = "[--json]",
	.summary = "list running arrays",
	.opts = list_opts,
	.min_words = 0,
	.max_words = 0,
	.run = run_list,
};

const struct cascade_cmd cascade_cmd_status = {
	.name = "status",
	.synopsis = "[--json] [--watch] [NAME...]",
	.summary = "show the state of running arrays, all if none is named",
	.details = "With --watch on a terminal, the picture is drawn again at each change and\n"
		   "every second, with speed and time left of background work; elsewhere, and\n"
		   "with --json, a line is printed for each change. It does not end when work\n"
		   "does, but when all that was named is gone.\n\n"
		   "Exit status: 0 all are healthy, 3 one is degraded or rebuilding, 4 one has\n"
		   "failed, 1 a state could not be read.",
	.opts = status_opts,
	.min_words = 0,
	.max_words = ~0u,
	.run = run_status,
};
