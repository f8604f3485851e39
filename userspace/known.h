/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays as they were when last looked at, for the commands that tell what changes.
 */
#ifndef CASCADESETUP_KNOWN_H
#define CASCADESETUP_KNOWN_H

#include "rate.h"
#include "view.h"

/**
 * struct cascade_state - What may change in an array that runs, counters left out.
 * @uuid: The array's, as text; empty while it cannot be read.
 * @health: Its health.
 * @letters: One a member, as in the status line.
 * @sync_action: Background work.
 * @percent: Of the background work, rounded down.
 * @cache_state: Its cache.
 * @read_only: The device refuses writes.
 * @suspended: Its I/O waits.
 */
struct cascade_state {
	char uuid[CASCADE_UUID_TEXT_BYTES];
	enum cascade_health health;
	char letters[CASCADE_MEMBERS_MAX + 1];
	enum cascade_sync_action sync_action;
	unsigned int percent;
	enum cascade_cache_state cache_state;
	bool read_only;
	bool suspended;
};

/**
 * struct cascade_known - An array.
 * @next: Another; in alphabetical order of names.
 * @name: Its name.
 * @seen: It was there at the present look.
 * @is_new: This is the first look at it; @was holds nothing yet.
 * @was: Its state at the look before; of one that is gone, the last.
 * @rate: Speed of its background work.
 */
struct cascade_known {
	struct cascade_known *next;
	char *name;
	bool seen;
	bool is_new;
	struct cascade_state was;
	struct cascade_rate rate;
};

/**
 * typedef cascade_known_fn - Called for each array at each look.
 * @known: The array.
 * @view: How it is now; NULL once, when it is gone.
 * @now: The same, as far as it is compared; of one that is gone, @known->was.
 * @arg: The caller's.
 */
typedef void (*cascade_known_fn)(const struct cascade_known *known,
				 const struct cascade_view *view,
				 const struct cascade_state *now, void *arg);

/**
 * cascade_known_look() - Look at arrays.
 * @list: First of those known; NULL before the first look.
 * @names: Arrays to look at, or NULL for all that run.
 * @nr_names: Entries of @names.
 * @fn: Called for each that is there, and for each that is no more.
 * @arg: For @fn.
 *
 * An array that was replaced by another of its name is told of as gone, then as new.
 * An array that is about to start is passed over until its members have been read.
 * That one of @names is not there is no error.
 *
 * Return: 0, or -1 after an error was reported: the list, or a state, cannot be read.
 */
int cascade_known_look(struct cascade_known **list, char **names, unsigned int nr_names,
		       cascade_known_fn fn, void *arg);

/**
 * cascade_known_free() - Forget all.
 * @list: First of those known; set to NULL.
 */
void cascade_known_free(struct cascade_known **list);

/**
 * cascade_known_same() - Whether nothing has changed.
 * @a: State.
 * @b: State.
 *
 * Return: True if they are the same.
 */
bool cascade_known_same(const struct cascade_state *a, const struct cascade_state *b);

#endif /* CASCADESETUP_KNOWN_H */
