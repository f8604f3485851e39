// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a running array, gathered from its status and its table.
 */
#include "device.h"
#include "msg.h"
#include "view.h"

static bool survives(const struct cascade_report *rep, u64 gone_mask)
{
	struct cascade_geo geo;
	const char *error;

	/* the chunk plays no part in what survives */
	return !cascade_geo_init(&geo, rep->level, rep->nr_members, CASCADE_CHUNK_SECTORS_MIN, 0,
				 &error) &&
	       cascade_geo_survives(&geo, gone_mask);
}

static enum cascade_health judge(const struct cascade_report *rep)
{
	u64 gone_mask = 0, rebuilding_mask = 0;
	slot_t slot;

	for (slot = 0; slot < rep->nr_members; slot++) {
		if (rep->health[slot] == 'a')
			rebuilding_mask |= BIT_ULL(slot);
		else if (rep->health[slot] != 'A')
			gone_mask |= BIT_ULL(slot);
	}
	if (!gone_mask && !rebuilding_mask)
		return CASCADE_HEALTHY;
	if (!survives(rep, gone_mask | rebuilding_mask))
		return CASCADE_FAILED;
	return rebuilding_mask ? CASCADE_REBUILDING : CASCADE_DEGRADED;
}

int cascade_view_get(struct cascade_view *view, const char *name)
{
	u64 length_sectors;
	int r;

	memset(view, 0, sizeof(*view));
	view->name = name;
	r = cascade_dm_info(name, &view->info);
	if (!r)
		r = cascade_dm_read(name, CASCADE_DM_STATUS, &view->status);
	if (r)
		return r;
	if (cascade_report_parse(&view->rep, view->status.text)) {
		cascade_dm_put(&view->status);
		return -EPROTO;
	}
	/* a reload may come in between: then the devices are shown next time */
	if (!cascade_words_live(name, &view->p, &view->words, &length_sectors)) {
		view->has_params = view->p.nr_members == view->rep.nr_members;
		if (!view->has_params)
			cascade_words_free(&view->words);
	}
	view->health = judge(&view->rep);
	return 0;
}

void cascade_view_put(struct cascade_view *view)
{
	cascade_dm_put(&view->status);
	if (view->has_params)
		cascade_words_free(&view->words);
	view->has_params = false;
}

const char *cascade_view_health_name(enum cascade_health health)
{
	static const char *const names[] = {
		[CASCADE_HEALTHY] = "healthy",
		[CASCADE_REBUILDING] = "rebuilding",
		[CASCADE_DEGRADED] = "degraded",
		[CASCADE_FAILED] = "failed",
	};

	return names[health];
}

int cascade_view_exit_status(enum cascade_health health)
{
	switch (health) {
	case CASCADE_HEALTHY:
		return EXIT_DONE;
	case CASCADE_REBUILDING:
	case CASCADE_DEGRADED:
		return EXIT_DEGRADED;
	default:
		return EXIT_ARRAY_FAILED;
	}
}

bool cascade_view_needs(const struct cascade_view *view, slot_t slot)
{
	u64 gone_mask = BIT_ULL(slot);
	slot_t other;

	for (other = 0; other < view->rep.nr_members; other++)
		if (view->rep.health[other] != 'A')
			gone_mask |= BIT_ULL(other);
	return !survives(&view->rep, gone_mask);
}

const char *cascade_view_member_state(char letter)
{
	switch (letter) {
	case 'A':
		return "in sync";
	case 'a':
		return "rebuilding";
	case 'D':
		return "failed";
	default:
		return "missing";
	}
}

const char *cascade_view_member_device(const struct cascade_view *view, slot_t slot, char *name)
{
	if (!view->has_params || !view->p.members[slot])
		return NULL;
	return cascade_device_name_of(view->p.members[slot], name);
}

static const char *skip_words(const char *text, unsigned int nr)
{
	while (nr--) {
		text += strspn(text, " ");
		text += strcspn(text, " ");
	}
	return text;
}

const char *cascade_view_pairs(const struct cascade_view *view)
{
	/* level, #members, health, done/total, action, mismatches, #pairs */
	return skip_words(view->status.text, 7);
}

const char *cascade_view_next_pair(const char *rest, char key[32], char value[32])
{
	int at = 0;

	if (sscanf(rest, "%31s %31s%n", key, value, &at) < 2)
		return NULL;
	return rest + at;
}
