// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the image of a member with chosen superblocks, for the tests of the tool.
 *
 *	mkimage FILE [KEY=VALUE]...
 *
 *	size=MIB		size of the image (32)
 *	level=NAME members=N slot=N chunk=SECTORS data=SECTORS name=TEXT
 *	array=BYTE		all bytes of the array's uuid (170)
 *	device=BYTE		all bytes of the device's uuid (16 + slot)
 *	slotdevice=SLOT:BYTE	the uuid that the slot table holds for a slot
 *	events=N clean=0|1 torn=0|1 synced=SECTORS
 *	epoch=COUNTER:ID:PARENT	the current epoch; again for each ancestor
 *	state=SLOT:STATE[:DROPPED_EPOCH[:REBUILT_SECTORS]]
 *	compat=N rocompat=N incompat=N
 *	copies=MASK		which copies to write (3)
 *	damage=MASK		in which copies to flip a bit (0)
 *
 * Without "size" an image that exists is changed, so that the two copies of one
 * image can be written apart.
 */
#include <fcntl.h>
#include <unistd.h>

#include "core/sb.h"

struct image {
	struct cascade_sb sb;
	unsigned long long size_mib;
	unsigned int nr_epochs;
	unsigned int copies_mask;
	unsigned int damage_mask;
	bool has_device;
};

static void die(const char *what)
{
	fprintf(stderr, "mkimage: %s\n", what);
	exit(2);
}

static void set_defaults(struct image *im)
{
	struct cascade_sb *sb = &im->sb;

	memset(im, 0, sizeof(*im));
	memset(sb->array_uuid, 170, CASCADE_UUID_BYTES);
	snprintf(sb->name, sizeof(sb->name), "test");
	sb->level = CASCADE_RAID5;
	sb->nr_members = 3;
	sb->chunk_sectors = 128;
	sb->block_bytes = 512;
	sb->region_sectors = CASCADE_REGION_SECTORS_MIN;
	sb->data_offset_sectors = CASCADE_DATA_OFFSET_SECTORS;
	sb->data_sectors = 15 * CASCADE_MIB_SECTORS;
	sb->intent_offset_sectors = CASCADE_INTENT_OFFSET_SECTORS;
	sb->intent_sectors = 8192;
	sb->events = 1;
	sb->flags = CASCADE_SB_CLEAN;
	sb->synced_sectors = UINT64_MAX;
	im->copies_mask = 3;
}

static void set_slot(struct cascade_sb *sb, const char *text)
{
	unsigned long long state, dropped = 0, rebuilt = 0;
	unsigned int slot;

	if (sscanf(text, "%u:%llu:%llu:%llu", &slot, &state, &dropped, &rebuilt) < 2 ||
	    slot >= CASCADE_MEMBERS_MAX)
		die("state=SLOT:STATE[:DROPPED[:REBUILT]]");
	sb->slots[slot].state = (u8)state + 128;	/* told, even if it is 0 */
	sb->slots[slot].dropped_epoch = dropped;
	sb->slots[slot].rebuilt_sectors = rebuilt;
}

static void set_epoch(struct image *im, const char *text)
{
	unsigned long long counter, id, parent_id;

	if (sscanf(text, "%llu:%llu:%llu", &counter, &id, &parent_id) != 3 ||
	    im->nr_epochs >= CASCADE_EPOCHS_KEPT)
		die("epoch=COUNTER:ID:PARENT");
	im->sb.epochs[im->nr_epochs++] = (struct cascade_epoch) {
		.counter = counter, .id = id, .parent_id = parent_id,
	};
}

static void set_text(struct image *im, const char *key, const char *value)
{
	struct cascade_sb *sb = &im->sb;
	unsigned int slot, byte;

	if (!strcmp(key, "name")) {
		snprintf(sb->name, sizeof(sb->name), "%s", value);
	} else if (!strcmp(key, "level")) {
		if (cascade_geo_level_parse(value, &sb->level))
			die("level is not known");
	} else if (!strcmp(key, "epoch")) {
		set_epoch(im, value);
	} else if (!strcmp(key, "state")) {
		set_slot(sb, value);
	} else if (!strcmp(key, "slotdevice")) {
		if (sscanf(value, "%u:%u", &slot, &byte) != 2 || slot >= CASCADE_MEMBERS_MAX)
			die("slotdevice=SLOT:BYTE");
		memset(sb->slots[slot].device_uuid, (int)byte, CASCADE_UUID_BYTES);
	} else {
		die("key is not known");
	}
}

static void set_number(struct image *im, const char *key, unsigned long long n, const char *text)
{
	struct cascade_sb *sb = &im->sb;

	if (!strcmp(key, "size"))
		im->size_mib = n;
	else if (!strcmp(key, "members"))
		sb->nr_members = (u32)n;
	else if (!strcmp(key, "slot"))
		sb->slot = (slot_t)n;
	else if (!strcmp(key, "chunk"))
		sb->chunk_sectors = (u32)n;
	else if (!strcmp(key, "data"))
		sb->data_sectors = n;
	else if (!strcmp(key, "array"))
		memset(sb->array_uuid, (int)n, CASCADE_UUID_BYTES);
	else if (!strcmp(key, "device"))
		memset(sb->device_uuid, (int)n, CASCADE_UUID_BYTES), im->has_device = true;
	else if (!strcmp(key, "events"))
		sb->events = n;
	else if (!strcmp(key, "clean"))
		sb->flags = (sb->flags & ~CASCADE_SB_CLEAN) | (n ? CASCADE_SB_CLEAN : 0);
	else if (!strcmp(key, "torn"))
		sb->flags = (sb->flags & ~CASCADE_SB_TORN) | (n ? CASCADE_SB_TORN : 0);
	else if (!strcmp(key, "synced"))
		sb->synced_sectors = n;
	else if (!strcmp(key, "compat"))
		sb->compat = n;
	else if (!strcmp(key, "rocompat"))
		sb->ro_compat = n;
	else if (!strcmp(key, "incompat"))
		sb->incompat = n;
	else if (!strcmp(key, "copies"))
		im->copies_mask = (unsigned int)n;
	else if (!strcmp(key, "damage"))
		im->damage_mask = (unsigned int)n;
	else
		set_text(im, key, text);
}

/* What was not told follows from the rest. */
static void complete(struct image *im)
{
	struct cascade_sb *sb = &im->sb;
	static const u8 none[CASCADE_UUID_BYTES];
	slot_t slot;

	if (!im->has_device)
		memset(sb->device_uuid, (int)(16 + sb->slot), CASCADE_UUID_BYTES);
	if (!im->nr_epochs)
		sb->epochs[0] = (struct cascade_epoch) { .counter = 1, .id = 1001 };
	if (sb->synced_sectors == UINT64_MAX)
		sb->synced_sectors = sb->data_sectors;
	for (slot = 0; slot < sb->nr_members; slot++) {
		struct cascade_slot_info *info = &sb->slots[slot];

		info->state = info->state >= 128 ? info->state - 128 : CASCADE_SLOT_IN_SYNC;
		if (info->state != CASCADE_SLOT_MISSING &&
		    !memcmp(info->device_uuid, none, CASCADE_UUID_BYTES))
			memset(info->device_uuid, (int)(16 + slot), CASCADE_UUID_BYTES);
	}
}

static void write_image(const struct image *im, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	unsigned char buf[CASCADE_SB_BYTES];
	unsigned int copy;

	if (fd < 0)
		die("cannot open the image");
	if (im->size_mib && (ftruncate(fd, 0) || ftruncate(fd, (off_t)im->size_mib << 20)))
		die("cannot size the image");
	for (copy = 0; copy < CASCADE_SB_COPIES; copy++) {
		off_t at = (off_t)cascade_sb_copy_sector(copy) * CASCADE_SECTOR_BYTES;

		if (!(im->copies_mask & (1u << copy)))
			continue;
		cascade_sb_encode(&im->sb, buf);
		if (im->damage_mask & (1u << copy))
			buf[200] ^= 1;
		if (pwrite(fd, buf, sizeof(buf), at) != (ssize_t)sizeof(buf))
			die("cannot write the image");
	}
	close(fd);
}

int main(int argc, char **argv)
{
	struct image im;
	int i;

	if (argc < 2)
		die("usage: mkimage FILE [KEY=VALUE]...");
	set_defaults(&im);
	if (access(argv[1], F_OK))
		im.size_mib = 32;
	for (i = 2; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			die("KEY=VALUE is expected");
		*value++ = '\0';
		set_number(&im, argv[i], strtoull(value, NULL, 0), value);
	}
	complete(&im);
	write_image(&im, argv[1]);
	return 0;
}
