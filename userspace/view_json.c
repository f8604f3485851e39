// SPDX-License-Identifier: GPL-2.0-only
/*
 * A running array as JSON. The keys are documented in the manual; they keep their
 * meaning, and new ones may be added.
 */
#include "device.h"
#include "text.h"
#include "view.h"

static struct json_object *number(u64 value)
{
	return json_object_new_uint64(value);
}

static struct json_object *string(const char *text)
{
	return json_object_new_string(text);
}

static struct json_object *device_or_null(const struct cascade_view *view, slot_t slot)
{
	char name[CASCADE_DEVICE_NAME_BYTES];

	return cascade_view_member_device(view, slot, name) ? string(name) : NULL;
}

static struct json_object *members(const struct cascade_view *view)
{
	struct json_object *list = json_object_new_array();
	slot_t slot;

	for (slot = 0; slot < view->rep.nr_members; slot++) {
		const char *state = cascade_view_member_state(view->rep.health[slot]);
		struct json_object *member = json_object_new_object();

		json_object_object_add(member, "slot", number(slot));
		json_object_object_add(member, "device", device_or_null(view, slot));
		json_object_object_add(member, "state", string(state));
		json_object_array_add(list, member);
	}
	return list;
}

static struct json_object *sync_state(const struct cascade_report *rep)
{
	struct json_object *sync = json_object_new_object();
	unsigned int permille = cascade_text_permille(rep->done_sectors, rep->total_sectors);
	char percent[16];

	snprintf(percent, sizeof(percent), "%u.%u", permille / 10, permille % 10);
	json_object_object_add(sync, "action", string(cascade_report_sync_name(rep->sync_action)));
	json_object_object_add(sync, "done_sectors", number(rep->done_sectors));
	json_object_object_add(sync, "total_sectors", number(rep->total_sectors));
	json_object_object_add(sync, "percent", json_object_new_double_s(permille / 10.0, percent));
	return sync;
}

/* Values are numbers, but for states, which are words. */
static struct json_object *counters(const struct cascade_view *view)
{
	struct json_object *object = json_object_new_object();
	const char *rest = cascade_view_pairs(view);
	char key[32], value[32];

	while ((rest = cascade_view_next_pair(rest, key, value))) {
		bool is_word;
		u64 counted;

		is_word = kstrtou64(value, 10, &counted);
		json_object_object_add(object, key, is_word ? string(value) : number(counted));
	}
	return object;
}

struct json_object *cascade_view_brief_json(const struct cascade_view *view)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "name", string(view->name));
	json_object_object_add(object, "level", string(cascade_geo_level_name(view->rep.level)));
	json_object_object_add(object, "nr_members", number(view->rep.nr_members));
	json_object_object_add(object, "size_sectors", number(view->status.length_sectors));
	json_object_object_add(object, "health", string(cascade_view_health_name(view->health)));
	return object;
}

struct json_object *cascade_view_json(const struct cascade_view *view)
{
	struct json_object *object = cascade_view_brief_json(view);
	char uuid[CASCADE_UUID_TEXT_BYTES];

	if (view->has_params) {
		json_object_object_add(object, "chunk_sectors", number(view->p.chunk_sectors));
		if (view->p.flags & CASCADE_ARG_UUID) {
			cascade_uuid_format(view->p.uuid, uuid);
			json_object_object_add(object, "uuid", string(uuid));
		}
	}
	json_object_object_add(object, "read_only", json_object_new_boolean(view->info.read_only));
	json_object_object_add(object, "suspended", json_object_new_boolean(view->info.suspended));
	json_object_object_add(object, "members", members(view));
	json_object_object_add(object, "sync", sync_state(&view->rep));
	json_object_object_add(object, "mismatch_blocks", number(view->rep.mismatch_blocks));
	json_object_object_add(object, "counters", counters(view));
	return object;
}

void cascade_view_print_json(struct json_object *list, int flags)
{
	puts(json_object_to_json_string_ext(list, flags | JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(list);
}
