// SPDX-License-Identifier: GPL-2.0-only
/*
 * A running array as a block of text for people.
 */
#include "device.h"
#include "text.h"
#include "view.h"

#define BAR_CELLS 30u
#define LINE_CELLS 60

static void print_bar(unsigned int permille)
{
	unsigned int i, full = permille * BAR_CELLS / 1000;

	putchar('[');
	for (i = 0; i < BAR_CELLS; i++)
		putchar(i < full ? '=' : i == full ? '>' : ' ');
	putchar(']');
}

static void print_sync(const struct cascade_report *rep, bool bar, const struct cascade_rate *rate)
{
	unsigned int permille = cascade_text_permille(rep->done_sectors, rep->total_sectors);
	char speed[CASCADE_RATE_TEXT_BYTES] = "";

	printf("  sync      %s", cascade_report_sync_name(rep->sync_action));
	if (rep->done_sectors < rep->total_sectors || rep->sync_action != CASCADE_SYNC_IDLE) {
		printf(" %u.%u %% (%llu of %llu sectors of each member)", permille / 10,
		       permille % 10, (unsigned long long)rep->done_sectors,
		       (unsigned long long)rep->total_sectors);
		if (rate)
			cascade_rate_text(rate, speed);
		if (bar) {
			printf("\n            ");
			print_bar(permille);
		}
		printf("%s%s", *speed ? " " : "", speed);
	}
	putchar('\n');
	if (rep->mismatch_blocks)
		printf("  mismatch  %llu blocks found wrong by the last check\n",
		       (unsigned long long)rep->mismatch_blocks);
	if (rep->lost_blocks)
		printf("  lost      %llu blocks cannot be read\n",
		       (unsigned long long)rep->lost_blocks);
}

static void print_members(const struct cascade_view *view)
{
	char name[CASCADE_DEVICE_NAME_BYTES];
	slot_t slot;

	for (slot = 0; slot < view->rep.nr_members; slot++) {
		const char *device = cascade_view_member_device(view, slot, name);

		printf("  %-8s  %2u  %-24s %s\n", slot ? "" : "members", slot,
		       device ? device : "-",
		       cascade_view_member_state(view->rep.health[slot]));
	}
}

/* The cache's counters are left out where there is no cache. */
static void print_counters(const struct cascade_view *view)
{
	const char *rest = cascade_view_pairs(view);
	const char *head = "counters";
	char key[32], value[32];
	int used = 0;

	while ((rest = cascade_view_next_pair(rest, key, value))) {
		if (view->rep.cache_state == CASCADE_CACHE_NONE && !strncmp(key, "cache_", 6))
			continue;
		if (!used)
			printf("  %-8s ", head);
		head = "";
		used += printf(" %s %s", key, value);
		if (used > LINE_CELLS) {
			putchar('\n');
			used = 0;
		}
	}
	if (used)
		putchar('\n');
}

void cascade_view_print(const struct cascade_view *view, bool bar,
			const struct cascade_rate *rate)
{
	char size[CASCADE_SIZE_TEXT_BYTES], uuid[CASCADE_UUID_TEXT_BYTES];

	printf("%s: %s%s%s\n", view->name, cascade_view_health_name(view->health),
	       view->info.read_only ? ", read-only" : "",
	       view->info.suspended ? ", suspended" : "");
	printf("  level     %s, %u members", cascade_geo_level_name(view->rep.level),
	       view->rep.nr_members);
	if (view->has_params)
		printf(", chunk %s", cascade_text_size(view->p.chunk_sectors, size));
	printf("\n  size      %s (%llu sectors)\n",
	       cascade_text_size(view->status.length_sectors, size),
	       (unsigned long long)view->status.length_sectors);
	if (view->has_params && (view->p.flags & CASCADE_ARG_UUID)) {
		cascade_uuid_format(view->p.uuid, uuid);
		printf("  uuid      %s\n", uuid);
	}
	print_members(view);
	print_sync(&view->rep, bar, rate);
	print_counters(view);
}
