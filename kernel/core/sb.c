// SPDX-License-Identifier: GPL-2.0-only
/*
 * The superblock: its form on disk, and which of a set of them to believe.
 *
 * Decoding trusts nothing: a superblock that is accepted can be used without
 * another look at its bounds. Encoding is its inverse, byte for byte, but for the
 * bytes at the end that are reserved: those are written as zero and not looked
 * at. A later version may put there what an older writer may lose; all else that
 * is not used must be zero.
 */
#include "geo.h"
#include "ident.h"
#include "intent.h"
#include "sb.h"
#include "units.h"

#define SB_MAGIC "CascadeM"

/* 8 EiB: the size of a device or an array in bytes fits into a signed number. */
#define DEVICE_SECTORS_MAX BIT_ULL(54)
/* Counters that rise by one never get near this, nor overflow from it. */
#define COUNTER_MAX BIT_ULL(62)

struct disk_epoch {
	__le64 counter;
	__le64 id;
	__le64 parent_id;
};

struct disk_tunable {
	__le32 id;
	u8 zero[4];
	__le64 value;
};

struct disk_slot {
	u8 device_uuid[CASCADE_UUID_BYTES];
	u8 state;
	u8 zero[7];
	__le64 dropped_epoch;
	__le64 rebuilt_sectors;
};

struct disk_sb {
	__le32 checksum;	/* CRC-32C of all 4096 bytes with this field zero */
	__le32 version;
	u8 magic[8];
	__le64 compat;
	__le64 ro_compat;
	__le64 incompat;
	u8 array_uuid[CASCADE_UUID_BYTES];
	u8 device_uuid[CASCADE_UUID_BYTES];
	char name[CASCADE_NAME_MAX + 1];
	__le32 level;
	__le32 nr_members;
	__le32 slot;
	__le32 chunk_sectors;
	__le32 block_bytes;
	__le32 region_sectors;
	__le64 data_offset_sectors;
	__le64 data_sectors;
	__le64 intent_offset_sectors;
	__le64 intent_sectors;
	__le64 events;
	__le64 flags;
	__le64 synced_sectors;
	__le64 cache_counter;
	struct disk_epoch epochs[CASCADE_EPOCHS_KEPT];
	struct disk_tunable tunables[CASCADE_TUNABLES_MAX];
	struct disk_slot slots[CASCADE_MEMBERS_MAX];
	u8 reserved[736];
};

static_assert(sizeof(struct disk_epoch) == 24);
static_assert(sizeof(struct disk_tunable) == 16);
static_assert(sizeof(struct disk_slot) == 40);
static_assert(offsetof(struct disk_sb, version) == 4);
static_assert(offsetof(struct disk_sb, magic) == 8);
static_assert(offsetof(struct disk_sb, compat) == 16);
static_assert(offsetof(struct disk_sb, array_uuid) == 40);
static_assert(offsetof(struct disk_sb, device_uuid) == 56);
static_assert(offsetof(struct disk_sb, name) == 72);
static_assert(offsetof(struct disk_sb, level) == 136);
static_assert(offsetof(struct disk_sb, data_offset_sectors) == 160);
static_assert(offsetof(struct disk_sb, events) == 192);
static_assert(offsetof(struct disk_sb, epochs) == 224);
static_assert(offsetof(struct disk_sb, tunables) == 416);
static_assert(offsetof(struct disk_sb, slots) == 800);
static_assert(offsetof(struct disk_sb, reserved) == 3360);
static_assert(sizeof(struct disk_sb) == CASCADE_SB_BYTES);
static_assert(sizeof(SB_MAGIC) - 1 == sizeof(((struct disk_sb *)0)->magic));

static const u8 no_uuid[CASCADE_UUID_BYTES];

static bool same_uuid(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, CASCADE_UUID_BYTES);
}

static bool is_zero(const void *buf, size_t nr_bytes)
{
	const u8 *byte = buf;

	while (nr_bytes--)
		if (*byte++)
			return false;
	return true;
}

static u32 checksum_of(const struct disk_sb *d)
{
	static const u8 zero[sizeof(d->checksum)];
	const u8 *rest = (const u8 *)d + sizeof(d->checksum);
	u32 crc = crc32c(~0U, zero, sizeof(zero));

	return ~crc32c(crc, rest, sizeof(*d) - sizeof(d->checksum));
}

static void encode_lists(const struct cascade_sb *sb, struct disk_sb *d)
{
	unsigned int i;

	for (i = 0; i < CASCADE_EPOCHS_KEPT; i++) {
		d->epochs[i].counter = cpu_to_le64(sb->epochs[i].counter);
		d->epochs[i].id = cpu_to_le64(sb->epochs[i].id);
		d->epochs[i].parent_id = cpu_to_le64(sb->epochs[i].parent_id);
	}
	for (i = 0; i < CASCADE_TUNABLES_MAX; i++) {
		d->tunables[i].id = cpu_to_le32(sb->tunables[i].id);
		d->tunables[i].value = cpu_to_le64(sb->tunables[i].value);
	}
	for (i = 0; i < CASCADE_MEMBERS_MAX; i++) {
		const struct cascade_slot_info *info = &sb->slots[i];

		memcpy(d->slots[i].device_uuid, info->device_uuid, CASCADE_UUID_BYTES);
		d->slots[i].state = info->state;
		d->slots[i].dropped_epoch = cpu_to_le64(info->dropped_epoch);
		d->slots[i].rebuilt_sectors = cpu_to_le64(info->rebuilt_sectors);
	}
}

void cascade_sb_encode(const struct cascade_sb *sb, void *buf)
{
	struct disk_sb *d = buf;

	memset(d, 0, sizeof(*d));
	d->version = cpu_to_le32(CASCADE_SB_VERSION);
	memcpy(d->magic, SB_MAGIC, sizeof(d->magic));
	d->compat = cpu_to_le64(sb->compat);
	d->ro_compat = cpu_to_le64(sb->ro_compat);
	d->incompat = cpu_to_le64(sb->incompat);
	memcpy(d->array_uuid, sb->array_uuid, CASCADE_UUID_BYTES);
	memcpy(d->device_uuid, sb->device_uuid, CASCADE_UUID_BYTES);
	memcpy(d->name, sb->name, strnlen(sb->name, CASCADE_NAME_MAX));
	d->level = cpu_to_le32(sb->level);
	d->nr_members = cpu_to_le32(sb->nr_members);
	d->slot = cpu_to_le32(sb->slot);
	d->chunk_sectors = cpu_to_le32(sb->chunk_sectors);
	d->block_bytes = cpu_to_le32(sb->block_bytes);
	d->region_sectors = cpu_to_le32(sb->region_sectors);
	d->data_offset_sectors = cpu_to_le64(sb->data_offset_sectors);
	d->data_sectors = cpu_to_le64(sb->data_sectors);
	d->intent_offset_sectors = cpu_to_le64(sb->intent_offset_sectors);
	d->intent_sectors = cpu_to_le64(sb->intent_sectors);
	d->events = cpu_to_le64(sb->events);
	d->flags = cpu_to_le64(sb->flags);
	d->synced_sectors = cpu_to_le64(sb->synced_sectors);
	d->cache_counter = cpu_to_le64(sb->cache_counter);
	encode_lists(sb, d);
	d->checksum = cpu_to_le32(checksum_of(d));
}

/* Reads what stands once; false where that alone shows that it is not ours. */
static bool decode_fields(struct cascade_sb *sb, const struct disk_sb *d)
{
	size_t nr_chars = strnlen(d->name, sizeof(d->name));

	if (nr_chars == sizeof(d->name))
		return false;
	if (!is_zero(d->name + nr_chars, sizeof(d->name) - nr_chars))
		return false;
	memcpy(sb->name, d->name, sizeof(d->name));
	sb->compat = le64_to_cpu(d->compat);
	sb->ro_compat = le64_to_cpu(d->ro_compat);
	sb->incompat = le64_to_cpu(d->incompat);
	memcpy(sb->array_uuid, d->array_uuid, CASCADE_UUID_BYTES);
	memcpy(sb->device_uuid, d->device_uuid, CASCADE_UUID_BYTES);
	sb->level = le32_to_cpu(d->level);
	sb->nr_members = le32_to_cpu(d->nr_members);
	sb->slot = le32_to_cpu(d->slot);
	sb->chunk_sectors = le32_to_cpu(d->chunk_sectors);
	sb->block_bytes = le32_to_cpu(d->block_bytes);
	sb->region_sectors = le32_to_cpu(d->region_sectors);
	sb->data_offset_sectors = le64_to_cpu(d->data_offset_sectors);
	sb->data_sectors = le64_to_cpu(d->data_sectors);
	sb->intent_offset_sectors = le64_to_cpu(d->intent_offset_sectors);
	sb->intent_sectors = le64_to_cpu(d->intent_sectors);
	sb->events = le64_to_cpu(d->events);
	sb->flags = le64_to_cpu(d->flags);
	sb->synced_sectors = le64_to_cpu(d->synced_sectors);
	sb->cache_counter = le64_to_cpu(d->cache_counter);
	return true;
}

static bool decode_lists(struct cascade_sb *sb, const struct disk_sb *d)
{
	unsigned int i;

	for (i = 0; i < CASCADE_EPOCHS_KEPT; i++) {
		sb->epochs[i].counter = le64_to_cpu(d->epochs[i].counter);
		sb->epochs[i].id = le64_to_cpu(d->epochs[i].id);
		sb->epochs[i].parent_id = le64_to_cpu(d->epochs[i].parent_id);
	}
	for (i = 0; i < CASCADE_TUNABLES_MAX; i++) {
		if (!is_zero(d->tunables[i].zero, sizeof(d->tunables[i].zero)))
			return false;
		sb->tunables[i].id = le32_to_cpu(d->tunables[i].id);
		sb->tunables[i].value = le64_to_cpu(d->tunables[i].value);
	}
	for (i = 0; i < CASCADE_MEMBERS_MAX; i++) {
		struct cascade_slot_info *info = &sb->slots[i];

		if (!is_zero(d->slots[i].zero, sizeof(d->slots[i].zero)))
			return false;
		memcpy(info->device_uuid, d->slots[i].device_uuid, CASCADE_UUID_BYTES);
		info->state = d->slots[i].state;
		info->dropped_epoch = le64_to_cpu(d->slots[i].dropped_epoch);
		info->rebuilt_sectors = le64_to_cpu(d->slots[i].rebuilt_sectors);
	}
	return true;
}

/* Level, members, chunk, block and region size, and the size of the data area. */
static bool shape_in_bounds(const struct cascade_sb *sb)
{
	struct cascade_geo geo;
	const char *error;

	if (cascade_geo_init(&geo, sb->level, sb->nr_members, sb->chunk_sectors,
			     sb->data_sectors, &error))
		return false;
	if (sb->slot >= sb->nr_members)
		return false;
	if (!sb->data_sectors || geo.data_sectors != sb->data_sectors)
		return false;
	if (sb->data_sectors > div_u64(DEVICE_SECTORS_MAX, sb->nr_members))
		return false;
	if (sb->block_bytes < CASCADE_SECTOR_BYTES || sb->block_bytes > CASCADE_BLOCK_BYTES ||
	    !is_power_of_2(sb->block_bytes))
		return false;
	if (sb->block_bytes > (u64)sb->chunk_sectors * CASCADE_SECTOR_BYTES)
		return false;
	return sb->region_sectors >= CASCADE_REGION_SECTORS_MIN &&
	       sb->region_sectors <= CASCADE_REGION_SECTORS_MAX &&
	       is_power_of_2(sb->region_sectors);
}

/* Sectors that all copies of a region map take. */
static u64 map_sectors(u64 data_sectors, u32 region_sectors)
{
	u64 nr_regions = cascade_intent_nr_regions(data_sectors, region_sectors);
	u64 nr_blocks = cascade_intent_nr_blocks(nr_regions);

	return nr_blocks * CASCADE_INTENT_COPIES *
	       (CASCADE_INTENT_BLOCK_BYTES / CASCADE_SECTOR_BYTES);
}

/* Data area and region map: inside the device, and clear of all else there. */
static bool places_in_bounds(const struct cascade_sb *sb)
{
	u64 begin = sb->intent_offset_sectors;
	u64 end;
	unsigned int i;

	if (sb->data_offset_sectors < CASCADE_DATA_OFFSET_SECTORS ||
	    sb->data_offset_sectors & (CASCADE_MIB_SECTORS - 1))
		return false;
	if (sb->data_offset_sectors > DEVICE_SECTORS_MAX ||
	    sb->data_sectors > DEVICE_SECTORS_MAX - sb->data_offset_sectors)
		return false;

	if (begin < CASCADE_MIB_SECTORS || begin > sb->data_offset_sectors ||
	    begin & (CASCADE_BLOCK_SECTORS - 1))
		return false;
	if (sb->intent_sectors > sb->data_offset_sectors - begin)
		return false;
	if (sb->intent_sectors < map_sectors(sb->data_sectors, sb->region_sectors))
		return false;
	end = begin + sb->intent_sectors;
	for (i = 0; i < CASCADE_SB_COPIES; i++) {
		u64 copy = cascade_sb_copy_sector(i);

		if (begin < copy + CASCADE_SB_SECTORS && copy < end)
			return false;
	}
	return true;
}

static bool identity_in_bounds(const struct cascade_sb *sb)
{
	if (same_uuid(sb->array_uuid, no_uuid) || same_uuid(sb->device_uuid, no_uuid))
		return false;
	if (sb->name[0] && !cascade_name_check(sb->name))
		return false;
	if (sb->flags & ~(CASCADE_SB_CLEAN | CASCADE_SB_FROZEN | CASCADE_SB_TORN))
		return false;
	return sb->events <= COUNTER_MAX && sb->cache_counter <= COUNTER_MAX &&
	       sb->synced_sectors <= sb->data_sectors;
}

/* The current epoch first, then each one's parent; nothing behind the last. */
static bool epochs_in_bounds(const struct cascade_sb *sb)
{
	const struct cascade_epoch *e = sb->epochs;
	unsigned int i;

	if (!e[0].id || e[0].counter > COUNTER_MAX)
		return false;
	for (i = 1; i < CASCADE_EPOCHS_KEPT && e[i].id; i++) {
		if (e[i].id != e[i - 1].parent_id || e[i].counter + 1 != e[i - 1].counter)
			return false;
	}
	return is_zero(&e[i], (CASCADE_EPOCHS_KEPT - i) * sizeof(*e));
}

static bool slots_in_bounds(const struct cascade_sb *sb)
{
	unsigned int i;

	for (i = 0; i < CASCADE_MEMBERS_MAX; i++) {
		const struct cascade_slot_info *info = &sb->slots[i];
		bool named = !same_uuid(info->device_uuid, no_uuid);

		if (i >= sb->nr_members &&
		    (named || info->state || info->dropped_epoch || info->rebuilt_sectors))
			return false;
		if (info->state > CASCADE_SLOT_FAILED)
			return false;
		if (info->state != CASCADE_SLOT_MISSING && !named)
			return false;
		if (info->dropped_epoch > sb->epochs[0].counter)
			return false;
		if (info->rebuilt_sectors > sb->data_sectors)
			return false;
	}
	return true;
}

static bool tunables_in_bounds(const struct cascade_sb *sb)
{
	unsigned int i;

	for (i = 0; i < CASCADE_TUNABLES_MAX; i++)
		if (!sb->tunables[i].id && sb->tunables[i].value)
			return false;
	return true;
}

enum cascade_sb_fault cascade_sb_decode(struct cascade_sb *sb, const void *buf)
{
	const struct disk_sb *d = buf;

	memset(sb, 0, sizeof(*sb));
	if (memcmp(d->magic, SB_MAGIC, sizeof(d->magic)))
		return CASCADE_SB_BLANK;
	if (le32_to_cpu(d->checksum) != checksum_of(d))
		return CASCADE_SB_CHECKSUM;
	if (le32_to_cpu(d->version) != CASCADE_SB_VERSION)
		return CASCADE_SB_VERSION_UNKNOWN;
	if (le64_to_cpu(d->incompat) & ~CASCADE_INCOMPAT_KNOWN)
		return CASCADE_SB_FEATURE_UNKNOWN;
	if (!decode_fields(sb, d) || !decode_lists(sb, d))
		return CASCADE_SB_RANGE;
	if (!shape_in_bounds(sb) || !places_in_bounds(sb) || !identity_in_bounds(sb))
		return CASCADE_SB_RANGE;
	if (!epochs_in_bounds(sb) || !slots_in_bounds(sb) || !tunables_in_bounds(sb))
		return CASCADE_SB_RANGE;
	return CASCADE_SB_OK;
}

const char *cascade_sb_fault_text(enum cascade_sb_fault fault)
{
	switch (fault) {
	case CASCADE_SB_OK:
		return "superblock is valid";
	case CASCADE_SB_BLANK:
		return "no superblock is there";
	case CASCADE_SB_CHECKSUM:
		return "checksum is wrong";
	case CASCADE_SB_VERSION_UNKNOWN:
		return "version is not known";
	case CASCADE_SB_FEATURE_UNKNOWN:
		return "an incompatible feature is not known";
	case CASCADE_SB_RANGE:
		return "a field is out of its bounds";
	}
	return "fault is not known";
}

u64 cascade_sb_slack_sectors(u64 device_sectors)
{
	u64 mib = div_u64(device_sectors, CASCADE_MIB_SECTORS * 1000);

	if (mib < 1)
		mib = 1;
	if (mib > 256)
		mib = 256;
	return mib * CASCADE_MIB_SECTORS;
}

u64 cascade_sb_room_sectors(u64 device_sectors, u64 data_offset_sectors, u32 chunk_sectors)
{
	u64 slack_sectors = cascade_sb_slack_sectors(device_sectors);

	if (device_sectors <= slack_sectors)
		return 0;
	device_sectors -= slack_sectors;
	if (device_sectors <= data_offset_sectors)
		return 0;
	return (device_sectors - data_offset_sectors) & ~(u64)(chunk_sectors - 1);
}

u32 cascade_sb_region_sectors(u64 data_sectors)
{
	u32 region_sectors;

	for (region_sectors = CASCADE_REGION_SECTORS_MIN;
	     region_sectors <= CASCADE_REGION_SECTORS_MAX; region_sectors *= 2)
		if (map_sectors(data_sectors, region_sectors) <= CASCADE_INTENT_SECTORS)
			return region_sectors;
	return 0;
}

bool cascade_sb_has_room(const struct cascade_sb *sb)
{
	return sb->events < COUNTER_MAX / 2 && sb->epochs[0].counter < COUNTER_MAX / 2 &&
	       sb->cache_counter < COUNTER_MAX / 2;
}

const char *cascade_sb_same_shape(const struct cascade_sb *a, const struct cascade_sb *b)
{
	if (!same_uuid(a->array_uuid, b->array_uuid))
		return "uuid";
	if (a->level != b->level)
		return "level";
	if (a->nr_members != b->nr_members)
		return "members";
	if (a->chunk_sectors != b->chunk_sectors)
		return "chunk";
	if (a->block_bytes != b->block_bytes)
		return "block size";
	if (a->region_sectors != b->region_sectors)
		return "region size";
	if (a->data_sectors != b->data_sectors)
		return "data area";
	return NULL;
}

/*
 * What the epoch of one state is to another state, the newest:
 *
 *	own	both lived in it, or it is a proven ancestor
 *	lost	from before the newer state's memory; proves nothing
 *	apart	the newer state's line of epochs has another one at that counter
 */
enum kinship {
	KIN_OWN,
	KIN_LOST,
	KIN_APART,
};

static enum kinship kinship_of(const struct cascade_sb *newest, const struct cascade_epoch *e)
{
	const struct cascade_epoch *line = newest->epochs;
	const struct cascade_epoch *last;
	unsigned int back;

	/*
	 * The line has no gaps: each entry is its predecessor's parent, one below
	 * it, and the last entry still names a parent by id.
	 */
	for (back = 0; back < CASCADE_EPOCHS_KEPT && line[back].id; back++)
		if (line[back].counter == e->counter)
			return line[back].id == e->id ? KIN_OWN : KIN_APART;

	last = &line[back - 1];
	if (e->counter + 1 < last->counter)
		return KIN_LOST;
	return e->id == last->parent_id ? KIN_OWN : KIN_APART;
}

static bool in_sync_by_itself(const struct cascade_sb *sb)
{
	return sb->slots[sb->slot].state == CASCADE_SLOT_IN_SYNC;
}

static bool is_newer(const struct cascade_sb *a, const struct cascade_sb *b)
{
	if (a->epochs[0].counter != b->epochs[0].counter)
		return a->epochs[0].counter > b->epochs[0].counter;
	if (a->events != b->events)
		return a->events > b->events;
	return in_sync_by_itself(a) && !in_sync_by_itself(b);
}

static unsigned int nr_alike(const struct cascade_sb *const *sbs, unsigned int nr_members,
			     const struct cascade_sb *sb)
{
	unsigned int nr = 0;
	unsigned int i;

	for (i = 0; i < nr_members; i++)
		if (sbs[i] && !cascade_sb_same_shape(sbs[i], sb))
			nr++;
	return nr;
}

/* The newest state of the array that most devices belong to; false if none is given. */
static bool find_newest(const struct cascade_sb *const *sbs, unsigned int nr_members,
			slot_t *chosen)
{
	unsigned int most = 0;
	unsigned int i;

	for (i = 0; i < nr_members; i++) {
		unsigned int nr;

		if (!sbs[i])
			continue;
		nr = nr_alike(sbs, nr_members, sbs[i]);
		if (nr > most || (nr == most && is_newer(sbs[i], sbs[*chosen]))) {
			most = nr;
			*chosen = i;
		}
	}
	return most > 0;
}

/*
 * The word of the newest state's slot table, checked against the device's epoch.
 *
 * A crash in the middle of a round of superblock writes that begins an epoch:
 *
 *	1. nobody has the new epoch: the round did not take place, all is as before
 *	2. some have it, others still an ancestor: the newest state is one that has
 *	   it. Who is in sync in its table has missed nothing, since no write is
 *	   acknowledged before all of those have it; who was dropped by it is stale
 *	3. all have it but the dropped: writes may have been acknowledged since
 *
 * Who was dropped and is in sync again has been written to in the epoch that had
 * dropped it or later; one from before that is an old image of the device.
 */
static enum cascade_verdict judge(const struct cascade_sb *newest, const struct cascade_sb *sb,
				  slot_t slot)
{
	const struct cascade_slot_info *info = &newest->slots[slot];
	enum kinship kin;

	if (cascade_sb_same_shape(newest, sb))
		return CASCADE_DEVICE_FOREIGN;
	kin = kinship_of(newest, &sb->epochs[0]);
	if (kin == KIN_APART)
		return CASCADE_DEVICE_DIVERGED;
	if (sb->slot != slot || !same_uuid(info->device_uuid, sb->device_uuid))
		return CASCADE_DEVICE_CLONE;
	if (kin == KIN_LOST || sb->epochs[0].counter < info->dropped_epoch)
		return CASCADE_DEVICE_STALE;
	if (info->state == CASCADE_SLOT_IN_SYNC)
		return CASCADE_DEVICE_CURRENT;
	if (info->state == CASCADE_SLOT_REBUILDING)
		return CASCADE_DEVICE_REBUILDING;
	return CASCADE_DEVICE_STALE;
}

int cascade_sb_choose(const struct cascade_sb *const *sbs, unsigned int nr_members,
		      enum cascade_verdict *verdicts, slot_t *chosen)
{
	bool apart = false;
	unsigned int i;

	for (i = 0; i < nr_members; i++)
		verdicts[i] = CASCADE_DEVICE_ABSENT;
	*chosen = 0;
	if (!find_newest(sbs, nr_members, chosen))
		return -ENOENT;

	for (i = 0; i < nr_members; i++) {
		if (!sbs[i])
			continue;
		verdicts[i] = judge(sbs[*chosen], sbs[i], i);
		apart |= verdicts[i] == CASCADE_DEVICE_DIVERGED;
	}
	if (!apart)
		return 0;

	/* Which half is right is not for us to say: neither is used. */
	for (i = 0; i < nr_members; i++) {
		if (i == *chosen || verdicts[i] == CASCADE_DEVICE_CURRENT ||
		    verdicts[i] == CASCADE_DEVICE_REBUILDING)
			verdicts[i] = CASCADE_DEVICE_DIVERGED;
	}
	return -EEXIST;
}

static void drop_slot(struct cascade_slot_info *info, u64 epoch_counter)
{
	bool named = !same_uuid(info->device_uuid, no_uuid);
	bool held_data = info->state == CASCADE_SLOT_IN_SYNC ||
			 info->state == CASCADE_SLOT_REBUILDING;

	if (held_data || !info->dropped_epoch)
		info->dropped_epoch = epoch_counter;
	info->state = named ? CASCADE_SLOT_FAILED : CASCADE_SLOT_MISSING;
	info->rebuilt_sectors = 0;
}

void cascade_sb_begin_epoch(struct cascade_sb *sb, u64 id, u64 dropped_mask)
{
	struct cascade_epoch *e = sb->epochs;
	unsigned int i;

	memmove(&e[1], &e[0], (CASCADE_EPOCHS_KEPT - 1) * sizeof(*e));
	e[0].counter = e[1].counter + 1;
	e[0].id = id;
	e[0].parent_id = e[1].id;
	for (i = 0; i < sb->nr_members && i < CASCADE_MEMBERS_MAX; i++)
		if (dropped_mask & BIT_ULL(i))
			drop_slot(&sb->slots[i], e[0].counter);
}
