// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of arrays that are known, and one look at what runs.
 */
#include "known.h"
#include "msg.h"
#include "text.h"
#include "wait.h"

static void read_state(struct cascade_state *state, const struct cascade_view *view)
{
	/* compared as a whole: what is not filled must be the same */
	memset(state, 0, sizeof(*state));
	if (view->has_params && (view->p.flags & CASCADE_ARG_UUID))
		cascade_uuid_format(view->p.uuid, state->uuid);
	state->health = view->health;
	snprintf(state->letters, sizeof(state->letters), "%s", view->rep.health);
	state->sync_action = view->rep.sync_action;
	state->percent = cascade_text_permille(view->rep.done_sectors,
					       view->rep.total_sectors) / 10;
	state->cache_state = view->rep.cache_state;
	state->read_only = view->info.read_only;
	state->suspended = view->info.suspended;
}

bool cascade_known_same(const struct cascade_state *a, const struct cascade_state *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Finds an array of the list, or puts it there. */
static struct cascade_known *get(struct cascade_known **list, const char *name)
{
	struct cascade_known *known;

	while (*list && strcmp((*list)->name, name) < 0)
		list = &(*list)->next;
	if (*list && !strcmp((*list)->name, name))
		return *list;
	known = cascade_msg_alloc(1, sizeof(*known));
	known->name = cascade_msg_text("%s", name);
	known->is_new = true;
	known->next = *list;
	*list = known;
	return known;
}

static void drop(struct cascade_known **at)
{
	struct cascade_known *known = *at;

	*at = known->next;
	free(known->name);
	free(known);
}

/* Whether another array has the name by now. */
static bool replaced(const struct cascade_known *known, const struct cascade_state *now)
{
	return !known->is_new && known->was.uuid[0] && now->uuid[0] &&
	       strcmp(known->was.uuid, now->uuid);
}

/*
 * A table shows members as missing until it has read them, at the end of its first
 * suspension: while an array is suspended, that they went is not believed.
 */
static bool starts(const struct cascade_known *known, const struct cascade_view *view)
{
	slot_t slot;

	if (!view->info.suspended)
		return false;
	for (slot = 0; slot < view->rep.nr_members; slot++)
		if (view->rep.health[slot] == '-' &&
		    (known->is_new || known->was.letters[slot] != '-'))
			return true;
	return false;
}

static int look_at(struct cascade_known **list, const char *name, cascade_known_fn fn, void *arg)
{
	struct cascade_known *known;
	struct cascade_state now;
	struct cascade_view view;
	int r;

	r = cascade_view_get(&view, name);
	if (r == -ENODEV || r == -EMEDIUMTYPE)
		return 0;
	known = get(list, name);
	known->seen = true;
	if (r) {
		cascade_msg_error(name, "cannot read its status: %s", cascade_dm_why(r));
		return -1;
	}
	if (starts(known, &view)) {
		cascade_view_put(&view);
		return 0;
	}
	read_state(&now, &view);
	if (replaced(known, &now)) {
		fn(known, NULL, &known->was, arg);
		known->is_new = true;
	}
	if (!now.uuid[0] && !known->is_new)	/* its table could not be read just now */
		memcpy(now.uuid, known->was.uuid, sizeof(now.uuid));
	if (known->is_new)
		memset(&known->rate, 0, sizeof(known->rate));
	cascade_rate_add(&known->rate, &view.rep, cascade_wait_now_ms());
	fn(known, &view, &now, arg);
	known->is_new = false;
	memcpy(&known->was, &now, sizeof(now));
	cascade_view_put(&view);
	return 0;
}

int cascade_known_look(struct cascade_known **list, char **names, unsigned int nr_names,
		       cascade_known_fn fn, void *arg)
{
	struct cascade_known *known, **at;
	char **running = NULL;
	unsigned int i;
	int r = 0;

	if (!names) {
		r = cascade_dm_list(&running, &nr_names);
		if (r) {
			cascade_msg_error("device-mapper", "cannot list devices: %s",
					  cascade_dm_why(r));
			return -1;
		}
		names = running;
	}
	for (known = *list; known; known = known->next)
		known->seen = false;
	for (i = 0; i < nr_names; i++)
		if (look_at(list, names[i], fn, arg))
			r = -1;
	for (at = list; *at;) {
		if ((*at)->seen) {
			at = &(*at)->next;
			continue;
		}
		if (!(*at)->is_new)
			fn(*at, NULL, &(*at)->was, arg);
		drop(at);
	}
	if (running)
		cascade_dm_list_free(running, nr_names);
	return r;
}

void cascade_known_free(struct cascade_known **list)
{
	while (*list)
		drop(list);
}
