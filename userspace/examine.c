// SPDX-License-Identifier: GPL-2.0-only
/*
 * "examine": what the superblocks of devices say, without the module.
 */
#include <json-c/json.h>
#include <stdlib.h>

#include "member.h"
#include "msg.h"
#include "opts.h"
#include "text.h"

static const char *const slot_states[] = {
	[CASCADE_SLOT_MISSING] = "missing",
	[CASCADE_SLOT_IN_SYNC] = "in sync",
	[CASCADE_SLOT_REBUILDING] = "rebuilding",
	[CASCADE_SLOT_FAILED] = "failed",
};

static const char *slot_state(u8 state)
{
	return state < ARRAY_SIZE(slot_states) ? slot_states[state] : "unknown";
}

static void print_sectors(const char *label, u64 sectors)
{
	char size[CASCADE_SIZE_TEXT_BYTES];

	printf("  %-14s  %llu sectors (%s)\n", label, (unsigned long long)sectors,
	       cascade_text_size(sectors, size));
}

static void print_copies(const struct cascade_member *m)
{
	unsigned int copy;

	for (copy = 0; copy < CASCADE_SB_COPIES; copy++) {
		printf("  copy %u at %llu MiB: ", copy,
		       (unsigned long long)(cascade_sb_copy_sector(copy) / CASCADE_MIB_SECTORS));
		if (m->faults[copy] == CASCADE_SB_OK)
			printf("valid, events %llu\n", (unsigned long long)m->copies[copy].events);
		else
			printf("not valid: %s\n", cascade_sb_fault_text(m->faults[copy]));
	}
}

static void print_epochs(const struct cascade_sb *sb)
{
	unsigned int i;

	for (i = 0; i < CASCADE_EPOCHS_KEPT && sb->epochs[i].id; i++)
		printf("  %-14s  %llu (%016llx, from %016llx)\n", i ? "" : "epochs",
		       (unsigned long long)sb->epochs[i].counter,
		       (unsigned long long)sb->epochs[i].id,
		       (unsigned long long)sb->epochs[i].parent_id);
}

static void print_slots(const struct cascade_sb *sb)
{
	char uuid[CASCADE_UUID_TEXT_BYTES];
	slot_t slot;

	for (slot = 0; slot < sb->nr_members; slot++) {
		const struct cascade_slot_info *info = &sb->slots[slot];

		cascade_uuid_format(info->device_uuid, uuid);
		printf("  %-14s  %2u  %s  %s", slot ? "" : "slots", slot, uuid,
		       slot_state(info->state));
		if (info->state == CASCADE_SLOT_REBUILDING)
			printf(", %llu sectors done", (unsigned long long)info->rebuilt_sectors);
		if (info->state == CASCADE_SLOT_FAILED || info->state == CASCADE_SLOT_MISSING)
			printf(" since epoch %llu", (unsigned long long)info->dropped_epoch);
		printf("%s\n", slot == sb->slot ? "  (this device)" : "");
	}
}

static void print_sb(const struct cascade_sb *sb)
{
	char uuid[CASCADE_UUID_TEXT_BYTES];
	unsigned int i;

	printf("  %-14s  %s\n", "name", *sb->name ? sb->name : "(none)");
	cascade_uuid_format(sb->array_uuid, uuid);
	printf("  %-14s  %s\n", "array uuid", uuid);
	cascade_uuid_format(sb->device_uuid, uuid);
	printf("  %-14s  %s\n", "device uuid", uuid);
	printf("  %-14s  %s, %u members\n", "level", cascade_geo_level_name(sb->level),
	       sb->nr_members);
	printf("  %-14s  %u\n", "slot", sb->slot);
	print_sectors("chunk", sb->chunk_sectors);
	printf("  %-14s  %u bytes\n", "logical block", sb->block_bytes);
	print_sectors("region", sb->region_sectors);
	print_sectors("data offset", sb->data_offset_sectors);
	print_sectors("data area", sb->data_sectors);
	print_sectors("map offset", sb->intent_offset_sectors);
	print_sectors("map room", sb->intent_sectors);
	printf("  %-14s  %llu\n", "events", (unsigned long long)sb->events);
	printf("  %-14s  %s%s%s\n", "state", sb->flags & CASCADE_SB_CLEAN ? "clean" : "dirty",
	       sb->flags & CASCADE_SB_TORN ? ", torn" : "",
	       sb->flags & CASCADE_SB_FROZEN ? ", frozen" : "");
	print_sectors("parity synced", sb->synced_sectors);
	printf("  %-14s  %llu\n", "cache counter", (unsigned long long)sb->cache_counter);
	printf("  %-14s  compat %016llx, ro-compat %016llx, incompat %016llx\n", "features",
	       (unsigned long long)sb->compat, (unsigned long long)sb->ro_compat,
	       (unsigned long long)sb->incompat);
	print_epochs(sb);
	print_slots(sb);
	for (i = 0; i < CASCADE_TUNABLES_MAX; i++)
		if (sb->tunables[i].id)
			printf("  %-14s  %u: %llu\n", "tunable", sb->tunables[i].id,
			       (unsigned long long)sb->tunables[i].value);
}

static void add_number(struct json_object *object, const char *key, u64 value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_uuid(struct json_object *object, const char *key, const u8 *uuid)
{
	char text[CASCADE_UUID_TEXT_BYTES];

	cascade_uuid_format(uuid, text);
	add_text(object, key, text);
}

/* 64 random bits are an identity, not a number: as text no reader rounds them. */
static void add_hex(struct json_object *object, const char *key, u64 value)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)value);
	add_text(object, key, text);
}

static struct json_object *json_copies(const struct cascade_member *m)
{
	struct json_object *list = json_object_new_array();
	unsigned int copy;

	for (copy = 0; copy < CASCADE_SB_COPIES; copy++) {
		struct json_object *object = json_object_new_object();
		bool valid = m->faults[copy] == CASCADE_SB_OK;

		add_number(object, "sector", cascade_sb_copy_sector(copy));
		json_object_object_add(object, "valid", json_object_new_boolean(valid));
		if (valid)
			add_number(object, "events", m->copies[copy].events);
		else
			add_text(object, "fault", cascade_sb_fault_text(m->faults[copy]));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *json_epochs(const struct cascade_sb *sb)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	for (i = 0; i < CASCADE_EPOCHS_KEPT && sb->epochs[i].id; i++) {
		struct json_object *object = json_object_new_object();

		add_number(object, "counter", sb->epochs[i].counter);
		add_hex(object, "id", sb->epochs[i].id);
		add_hex(object, "parent_id", sb->epochs[i].parent_id);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *json_slots(const struct cascade_sb *sb)
{
	struct json_object *list = json_object_new_array();
	slot_t slot;

	for (slot = 0; slot < sb->nr_members; slot++) {
		const struct cascade_slot_info *info = &sb->slots[slot];
		struct json_object *object = json_object_new_object();

		add_number(object, "slot", slot);
		add_uuid(object, "device_uuid", info->device_uuid);
		add_text(object, "state", slot_state(info->state));
		add_number(object, "dropped_epoch", info->dropped_epoch);
		add_number(object, "rebuilt_sectors", info->rebuilt_sectors);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *json_tunables(const struct cascade_sb *sb)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	for (i = 0; i < CASCADE_TUNABLES_MAX; i++) {
		struct json_object *object;

		if (!sb->tunables[i].id)
			continue;
		object = json_object_new_object();
		add_number(object, "id", sb->tunables[i].id);
		add_number(object, "value", sb->tunables[i].value);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *json_sb(const struct cascade_sb *sb)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "name", sb->name);
	add_uuid(object, "array_uuid", sb->array_uuid);
	add_uuid(object, "device_uuid", sb->device_uuid);
	add_text(object, "level", cascade_geo_level_name(sb->level));
	add_number(object, "nr_members", sb->nr_members);
	add_number(object, "slot", sb->slot);
	add_number(object, "chunk_sectors", sb->chunk_sectors);
	add_number(object, "block_bytes", sb->block_bytes);
	add_number(object, "region_sectors", sb->region_sectors);
	add_number(object, "data_offset_sectors", sb->data_offset_sectors);
	add_number(object, "data_sectors", sb->data_sectors);
	add_number(object, "intent_offset_sectors", sb->intent_offset_sectors);
	add_number(object, "intent_sectors", sb->intent_sectors);
	add_number(object, "events", sb->events);
	json_object_object_add(object, "clean",
			       json_object_new_boolean(!!(sb->flags & CASCADE_SB_CLEAN)));
	json_object_object_add(object, "torn",
			       json_object_new_boolean(!!(sb->flags & CASCADE_SB_TORN)));
	json_object_object_add(object, "frozen",
			       json_object_new_boolean(!!(sb->flags & CASCADE_SB_FROZEN)));
	add_number(object, "synced_sectors", sb->synced_sectors);
	add_number(object, "cache_counter", sb->cache_counter);
	add_hex(object, "compat", sb->compat);
	add_hex(object, "ro_compat", sb->ro_compat);
	add_hex(object, "incompat", sb->incompat);
	json_object_object_add(object, "epochs", json_epochs(sb));
	json_object_object_add(object, "slots", json_slots(sb));
	json_object_object_add(object, "tunables", json_tunables(sb));
	return object;
}

static struct json_object *json_member(const struct cascade_member *m)
{
	const struct cascade_sb *sb = cascade_member_sb(m);
	struct json_object *object = json_object_new_object();

	add_text(object, "device", m->dev.path);
	add_number(object, "size_sectors", m->dev.size_sectors);
	json_object_object_add(object, "copies", json_copies(m));
	json_object_object_add(object, "superblock", sb ? json_sb(sb) : NULL);
	return object;
}

static int show(const struct cascade_member *m, struct json_object *list)
{
	const struct cascade_sb *sb = cascade_member_sb(m);

	if (list) {
		json_object_array_add(list, json_member(m));
	} else {
		printf("%s:\n", m->dev.path);
		print_copies(m);
		if (sb)
			print_sb(sb);
	}
	if (sb)
		return 0;
	cascade_msg_error(m->dev.path,
			  "is no member of an array: neither superblock copy is valid");
	return -1;
}

static int run(const struct cascade_args *args)
{
	struct cascade_member *m = cascade_msg_alloc(1, sizeof(*m));
	struct json_object *list = NULL;
	int r = EXIT_DONE;
	unsigned int i;

	if (cascade_opts_has(args, OPT_JSON))
		list = json_object_new_array();
	for (i = 0; i < args->nr_words; i++) {
		if (i && !list)
			putchar('\n');
		if (cascade_member_read(m, args->words[i]) || show(m, list))
			r = EXIT_FAILED;
	}
	if (list) {
		puts(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY |
						    JSON_C_TO_STRING_SPACED |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(list);
	}
	free(m);
	return r;
}

static const struct cascade_opt opts[] = {
	{ OPT_JSON, "json", NULL, "print JSON for programs" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_examine = {
	.name = "examine",
	.synopsis = "[--json] DEV...",
	.summary = "show what the superblocks of devices say",
	.opts = opts,
	.min_words = 1,
	.max_words = ~0u,
	.run = run,
};
