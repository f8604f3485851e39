/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A running array as the tool shows it: status line, table line and what follows
 * from both.
 */
#ifndef CASCADESETUP_VIEW_H
#define CASCADESETUP_VIEW_H

#include <json-c/json.h>

#include "core/report.h"
#include "dm.h"
#include "rate.h"
#include "words.h"

/** enum cascade_health - An array's health; the worst is last. */
enum cascade_health {
	CASCADE_HEALTHY,
	CASCADE_REBUILDING,
	CASCADE_DEGRADED,
	CASCADE_FAILED,
};

/**
 * struct cascade_view - A running array.
 * @name: Its dm name.
 * @info: What device-mapper knows of it.
 * @status: Its status line.
 * @rep: The status line, read.
 * @has_params: @words and @p are filled.
 * @words: Its table line's words.
 * @p: Its table line, read.
 * @health: Its health.
 */
struct cascade_view {
	const char *name;
	struct cascade_dm_info info;
	struct cascade_dm_target status;
	struct cascade_report rep;
	bool has_params;
	struct cascade_words words;
	struct cascade_params p;
	enum cascade_health health;
};

/**
 * cascade_view_get() - Ask for an array's state.
 * @view: Filled; cascade_view_put() releases it.
 * @name: Array; must live as long as @view.
 *
 * Return: 0, -ENODEV if there is no such device, -EPROTO if its status is not
 *	understood, or another negative errno; nothing is reported.
 */
int cascade_view_get(struct cascade_view *view, const char *name);

/**
 * cascade_view_put() - Release what cascade_view_get() filled.
 * @view: View.
 */
void cascade_view_put(struct cascade_view *view);

/**
 * cascade_view_health_name() - Health as a word.
 * @health: Health.
 *
 * Return: "healthy", "rebuilding", "degraded" or "failed".
 */
const char *cascade_view_health_name(enum cascade_health health);

/**
 * cascade_view_exit_status() - Exit status that health asks for.
 * @health: Health.
 *
 * Return: EXIT_DONE, EXIT_DEGRADED or EXIT_ARRAY_FAILED; the worse the greater.
 */
int cascade_view_exit_status(enum cascade_health health);

/**
 * cascade_view_needs() - Whether an array would be failed without a member.
 * @view: View.
 * @slot: Slot of the member.
 *
 * Return: True if it would.
 */
bool cascade_view_needs(const struct cascade_view *view, slot_t slot);

/**
 * cascade_view_member_state() - A member's state as a word.
 * @letter: Letter of the status line.
 *
 * Return: "in sync", "rebuilding", "failed" or "missing".
 */
const char *cascade_view_member_state(char letter);

/**
 * cascade_view_member_device() - Path of a member's device.
 * @view: View.
 * @slot: Slot.
 * @name: Room for CASCADE_DEVICE_NAME_BYTES.
 *
 * Return: @name, or NULL if the slot has no device.
 */
const char *cascade_view_member_device(const struct cascade_view *view, slot_t slot, char *name);

/**
 * cascade_view_next_pair() - Walk over the key and value pairs of a status line.
 * @rest: Where to go on; at first cascade_view_pairs().
 * @key: Room for the key.
 * @value: Room for the value.
 *
 * Unknown keys of a newer kernel come out as well.
 *
 * Return: Where to go on, or NULL if there is no further pair.
 */
const char *cascade_view_next_pair(const char *rest, char key[32], char value[32]);

/**
 * cascade_view_pairs() - Where the pairs of a status line begin.
 * @view: View.
 *
 * Return: Position for cascade_view_next_pair().
 */
const char *cascade_view_pairs(const struct cascade_view *view);

/**
 * cascade_view_brief_json() - What "list --json" says of an array.
 * @view: View.
 *
 * Return: Object for the caller to put.
 */
struct json_object *cascade_view_brief_json(const struct cascade_view *view);

/**
 * cascade_view_json() - What "status --json" says of an array.
 * @view: View.
 *
 * Return: Object for the caller to put.
 */
struct json_object *cascade_view_json(const struct cascade_view *view);

/**
 * cascade_view_print_json() - Print objects.
 * @list: Array of them; put.
 * @flags: Of json_object_to_json_string_ext().
 */
void cascade_view_print_json(struct json_object *list, int flags);

/**
 * cascade_view_print() - What "status" says of an array.
 * @view: View.
 * @bar: Draw a progress bar.
 * @rate: Speed of background work, or NULL if it was not measured.
 */
void cascade_view_print(const struct cascade_view *view, bool bar,
			const struct cascade_rate *rate);

#endif /* CASCADESETUP_VIEW_H */
