// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a table line to an instance. Each rule that a line can break has its own
 * sentence; what was found and what is needed goes to the log.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "create.h"
#include "engine.h"
#include "io.h"
#include "member.h"
#include "meta.h"
#include "registry.h"
#include "resync.h"
#include "stripe.h"

static void raise_event(struct work_struct *work)
{
	struct cascade *c = container_of(work, struct cascade, event_work);

	dm_table_event(c->ti->table);
}

static int parse(struct cascade_params *p, struct dm_target *ti, unsigned int argc, char **argv)
{
	const char *error = NULL, *found = NULL;
	int r = cascade_params_parse(p, argc, argv, &error, &found);

	if (!r)
		return 0;
	ti->error = (char *)error;
	if (found)
		pr_err(CASCADE_LOG "%s: %s, found \"%s\"\n", dm_table_device_name(ti->table), error,
		       found);
	return r;
}

/* What the grammar knows and this version does not carry out is refused by name. */
static int check_available(struct dm_target *ti, const struct cascade_params *p)
{
	if (p->level != CASCADE_RAID0 && p->level != CASCADE_RAID5)
		ti->error = "level must be raid0 or raid5 in this version";
	else if (p->nr_caches)
		ti->error = "cache is not available in this version";
	else if (p->journal)
		ti->error = "journal is not available in this version";
	else if (p->nr_spares)
		ti->error = "spare is not available in this version";
	else if (p->rebuild_mask)
		ti->error = "rebuild is not available in this version";
	else
		return 0;
	return -EOPNOTSUPP;
}

static int check_mode(struct dm_target *ti, const struct cascade_params *p)
{
	bool writable = cascade_compat_writable(ti->table);

	if (p->flags & CASCADE_ARG_READ_ONLY && writable) {
		ti->error = "read_only is only accepted with a read-only table";
		return -EINVAL;
	}
	if (p->flags & CASCADE_ARG_CREATE && !writable) {
		ti->error = "create is not accepted with a read-only table";
		return -EROFS;
	}
	return 0;
}

static int open_device(struct dm_target *ti, const char *path, struct dm_dev **dev)
{
	int r = dm_get_device(ti, path, dm_table_get_mode(ti->table), dev);

	if (r) {
		ti->error = "a device cannot be opened";
		pr_err(CASCADE_LOG "%s: device %s cannot be opened: error %d\n",
		       dm_table_device_name(ti->table), path, r);
	}
	return r;
}

/* Blank where superblocks go and in its first block: 1 if so, 0 if not, or -ENOMEM. */
static int is_blank(struct dm_dev *dev)
{
	const u64 sectors[] = { 0, cascade_sb_copy_sector(0), cascade_sb_copy_sector(1) };
	void *buf = kmalloc(CASCADE_BLOCK_BYTES, GFP_KERNEL);
	bool blank = true;
	unsigned int i;

	if (!buf)
		return -ENOMEM;
	for (i = 0; blank && i < ARRAY_SIZE(sectors); i++) {
		struct bio_vec bvec;
		struct bio bio;

		if (sectors[i] + CASCADE_SB_SECTORS > bdev_nr_sectors(dev->bdev))
			break;
		bio_init(&bio, dev->bdev, &bvec, 1, REQ_OP_READ);
		bio.bi_iter.bi_sector = sectors[i];
		__bio_add_page(&bio, virt_to_page(buf), CASCADE_BLOCK_BYTES, offset_in_page(buf));
		blank = !submit_bio_wait(&bio) && !memchr_inv(buf, 0, CASCADE_BLOCK_BYTES);
		bio_uninit(&bio);
	}
	kfree(buf);
	return blank;
}

/* A cache, journal or spare that holds something is not formatted unasked. */
static int check_blank(struct dm_target *ti, const struct cascade_params *p, const char *path,
		       const char *error)
{
	struct dm_dev *dev;
	int r = open_device(ti, path, &dev);

	if (r)
		return r;
	r = p->flags & CASCADE_ARG_FORCE ? 1 : is_blank(dev);
	dm_put_device(ti, dev);
	if (r > 0)
		return 0;
	if (r < 0) {
		ti->error = "no memory to look whether a device is blank";
		return r;
	}
	ti->error = (char *)error;
	pr_err(CASCADE_LOG "%s: %s: %s\n", dm_table_device_name(ti->table), path, error);
	return -EEXIST;
}

static int check_ssds_blank(struct dm_target *ti, const struct cascade_params *p)
{
	unsigned int i;
	int r = 0;

	for (i = 0; !r && i < p->nr_caches; i++)
		r = check_blank(ti, p, p->caches[i],
				"cache is not blank: erase it, or use \"force\"");
	for (i = 0; !r && i < p->nr_spares; i++)
		r = check_blank(ti, p, p->spares[i],
				"spare is not blank: erase it, or use \"force\"");
	if (!r && p->journal)
		r = check_blank(ti, p, p->journal,
				"journal is not blank: erase it, or use \"force\"");
	return r;
}

static int open_members(struct cascade *c, const struct cascade_params *p)
{
	slot_t s, other;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];
		int r;

		if (!p->members[s])
			continue;
		r = open_device(c->ti, p->members[s], &m->dev);
		if (r)
			return r;
		m->bdev = m->dev->bdev;
		strscpy(m->name, m->dev->name, sizeof(m->name));
		for (other = 0; other < s; other++) {
			if (c->members[other].bdev != m->bdev)
				continue;
			c->ti->error = "a device is named for two slots";
			cascade_err(c, "device %s is named for slots %u and %u", m->name, other, s);
			return -EINVAL;
		}
		if (bdev_is_zoned(m->bdev)) {
			c->ti->error = "a member is a zoned device: these are not accepted";
			cascade_err(c, "member %u (%s) is zoned", s, m->name);
			return -EINVAL;
		}
	}
	return 0;
}

static void new_uuid(u8 *uuid)
{
	get_random_bytes(uuid, CASCADE_UUID_BYTES);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;	/* RFC 4122: version 4, random */
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static u32 largest_block_bytes(const struct cascade *c)
{
	u32 block_bytes = CASCADE_SECTOR_BYTES;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++)
		if (c->members[s].bdev)
			block_bytes = max(block_bytes,
					  bdev_logical_block_size(c->members[s].bdev));
	return block_bytes;
}

/* A member may be taken for a new array: it holds none, or the user insists. */
static int check_new_member(struct cascade *c, slot_t slot, struct cascade_sb *sb)
{
	struct cascade_member *m = &c->members[slot];
	char uuid[CASCADE_UUID_TEXT_BYTES];
	enum cascade_sb_fault fault;
	u64 room;
	int r;

	room = cascade_sb_room_sectors(bdev_nr_sectors(m->bdev), CASCADE_DATA_OFFSET_SECTORS,
				       c->geo.chunk_sectors);
	if (room < c->geo.data_sectors) {
		c->ti->error = "a member is too small for the length of the table";
		cascade_err(c, "member %u (%s) has room for %llu sectors of data, %llu are needed",
			    slot, m->name, room, c->geo.data_sectors);
		return -ENOSPC;
	}
	if (c->args & CASCADE_ARG_FORCE)
		return 0;
	r = cascade_meta_read(c, slot, sb, &fault);
	if (r == -ENOMEM) {
		c->ti->error = "no memory for a superblock";
		return r;
	}
	if (r && r != -EBADMSG) {
		c->ti->error = "a member's superblock area cannot be read";
		cascade_err(c, "member %u (%s): superblock area: error %d", slot, m->name, r);
		return r;
	}
	if (r && fault == CASCADE_SB_BLANK)
		return 0;
	c->ti->error = "a member belongs to an array already: use \"force\" to destroy it";
	if (r) {
		cascade_err(c, "member %u (%s) holds a superblock: %s", slot, m->name,
			    cascade_sb_fault_text(fault));
	} else {
		cascade_uuid_format(sb->array_uuid, uuid);
		cascade_err(c, "member %u (%s) is slot %u of array %s \"%s\"", slot, m->name,
			    sb->slot, uuid, sb->name);
	}
	return -EEXIST;
}

static void largest_length(struct cascade *c)
{
	struct cascade_geo geo = c->geo;
	u64 room = U64_MAX;
	slot_t s;

	for (s = 0; s < geo.nr_members; s++)
		if (c->members[s].bdev)
			room = min(room,
				   cascade_sb_room_sectors(bdev_nr_sectors(c->members[s].bdev),
							   CASCADE_DATA_OFFSET_SECTORS,
							   geo.chunk_sectors));
	geo.data_sectors = room;
	cascade_err(c, "the largest length is %llu sectors, a row is %u",
		    cascade_geo_capacity_sectors(&geo), geo.nr_data * geo.chunk_sectors);
}

static int describe_new(struct cascade *c, const struct cascade_params *p, struct cascade_sb *tmp)
{
	struct cascade_sb *sb = &c->sb;
	slot_t s;
	int r;

	for (s = 0; s < c->geo.nr_members; s++) {
		if (!c->members[s].bdev)
			continue;
		r = check_new_member(c, s, tmp);
		if (r) {
			if (r == -ENOSPC)
				largest_length(c);
			return r;
		}
	}
	new_uuid(sb->array_uuid);
	if (p->name)
		strscpy(sb->name, p->name, sizeof(sb->name));
	sb->level = c->geo.level;
	sb->nr_members = c->geo.nr_members;
	sb->chunk_sectors = c->geo.chunk_sectors;
	sb->block_bytes = largest_block_bytes(c);
	if (sb->block_bytes > CASCADE_BLOCK_BYTES) {
		c->ti->error = "a member's logical block size is larger than 4096";
		cascade_err(c, "the largest logical block size of the members is %u",
			    sb->block_bytes);
		return -EINVAL;
	}
	sb->region_sectors = cascade_sb_region_sectors(c->geo.data_sectors);
	sb->data_offset_sectors = CASCADE_DATA_OFFSET_SECTORS;
	sb->data_sectors = c->geo.data_sectors;
	sb->intent_offset_sectors = CASCADE_INTENT_OFFSET_SECTORS;
	sb->intent_sectors = CASCADE_INTENT_SECTORS;
	if (!sb->region_sectors) {
		c->ti->error = "the members are too large for the region map";
		cascade_err(c, "%llu sectors of each member are more than a map can have",
			    c->geo.data_sectors);
		return -EFBIG;
	}
	sb->flags = CASCADE_SB_CLEAN;
	if (!c->geo.nr_parity || p->flags & CASCADE_ARG_ASSUME_CLEAN)
		sb->synced_sectors = c->geo.data_sectors;
	sb->epochs[0].counter = 1;
	sb->epochs[0].id = cascade_member_epoch_id();
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];

		new_uuid(m->device_uuid);
		m->data_offset_sectors = sb->data_offset_sectors;
		if (m->bdev) {
			memcpy(sb->slots[s].device_uuid, m->device_uuid, CASCADE_UUID_BYTES);
			sb->slots[s].state = CASCADE_SLOT_IN_SYNC;
		} else {
			sb->slots[s].dropped_epoch = 1;
		}
	}
	c->to_format = true;
	return 0;
}

static int refuse_member(struct cascade *c, slot_t slot, char *error, const char *detail)
{
	c->ti->error = error;
	cascade_err(c, "member %u (%s): %s", slot, c->members[slot].name, detail);
	return -EINVAL;
}

static int check_shape(struct cascade *c, const struct cascade_params *p, slot_t slot,
		       const struct cascade_sb *sb)
{
	struct cascade_member *m = &c->members[slot];
	u64 needed = sb->data_offset_sectors + sb->data_sectors;
	char uuid[CASCADE_UUID_TEXT_BYTES];

	cascade_uuid_format(sb->array_uuid, uuid);
	if (p->flags & CASCADE_ARG_UUID && memcmp(p->uuid, sb->array_uuid, CASCADE_UUID_BYTES))
		return refuse_member(c, slot, "a member belongs to another array than uuid says",
				     uuid);
	if (sb->ro_compat & ~CASCADE_RO_COMPAT_KNOWN && !(c->args & CASCADE_ARG_READ_ONLY))
		return refuse_member(c, slot, "a member has a feature that allows only read_only",
				     uuid);
	if (sb->level != c->geo.level)
		return refuse_member(c, slot, "level is not that of the array",
				     cascade_geo_level_name(sb->level));
	if (sb->nr_members != c->geo.nr_members) {
		cascade_err(c, "member %u (%s) is of an array of %u members", slot, m->name,
			    sb->nr_members);
		c->ti->error = "#members is not that of the array";
		return -EINVAL;
	}
	if (sb->chunk_sectors != c->geo.chunk_sectors) {
		cascade_err(c, "member %u (%s) is of an array with a chunk of %u sectors", slot,
			    m->name, sb->chunk_sectors);
		c->ti->error = "chunk_sectors is not that of the array";
		return -EINVAL;
	}
	if (sb->slot != slot) {
		cascade_err(c, "member %u (%s) is slot %u of the array", slot, m->name, sb->slot);
		c->ti->error = "the members are in the wrong order";
		return -EINVAL;
	}
	if (bdev_nr_sectors(m->bdev) < needed) {
		cascade_err(c, "member %u (%s) has %llu sectors, %llu are needed", slot, m->name,
			    (u64)bdev_nr_sectors(m->bdev), needed);
		c->ti->error = "a member is smaller than its superblock says";
		return -ENOSPC;
	}
	if (bdev_logical_block_size(m->bdev) > sb->block_bytes) {
		cascade_err(c, "member %u (%s) has a logical block size of %u, the array one of %u",
			    slot, m->name, bdev_logical_block_size(m->bdev), sb->block_bytes);
		c->ti->error = "a member's logical block size is larger than the array's";
		return -EINVAL;
	}
	return 0;
}

/* Reads the members' superblocks; c->sb becomes that of the newest. */
static int describe_old(struct cascade *c, const struct cascade_params *p, struct cascade_sb *sb)
{
	bool first = true;
	slot_t s;
	int r;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];
		enum cascade_sb_fault fault;
		const char *differs;

		if (!m->bdev)
			continue;
		r = cascade_meta_read(c, s, sb, &fault);
		/* An older table may be writing just now: a copy at a time is torn. */
		if (r == -EBADMSG || r == -EIO)
			r = cascade_meta_read(c, s, sb, &fault);
		if (r == -ENOMEM) {
			c->ti->error = "no memory for a superblock";
			return r;
		}
		if (r == -EBADMSG)
			return refuse_member(c, s, "a member holds no superblock of this target",
					     cascade_sb_fault_text(fault));
		if (r) {
			cascade_warn(c, "member %u (%s): superblock cannot be read: error %d", s,
				     m->name, r);
			continue;
		}
		r = check_shape(c, p, s, sb);
		if (r)
			return r;
		differs = first ? NULL : cascade_sb_same_shape(&c->sb, sb);
		if (differs)
			return refuse_member(c, s, "the members belong to different arrays",
					     differs);
		m->data_offset_sectors = sb->data_offset_sectors;
		memcpy(m->device_uuid, sb->device_uuid, CASCADE_UUID_BYTES);
		if (first || sb->events > c->sb.events)
			c->sb = *sb;
		first = false;
	}
	if (first) {
		c->ti->error = "no member's superblock can be read";
		return -EIO;
	}
	if (c->sb.data_sectors != c->geo.data_sectors) {
		c->geo.data_sectors = c->sb.data_sectors;
		cascade_err(c, "the array has %llu sectors, the table %llu",
			    cascade_geo_capacity_sectors(&c->geo), (u64)c->ti->len);
		c->ti->error = "the length of the table is not that of the array";
		return -EINVAL;
	}
	return 0;
}

static int describe(struct cascade *c, const struct cascade_params *p)
{
	struct cascade_sb *tmp = kmalloc(sizeof(*tmp), GFP_KERNEL);
	int r;

	if (!tmp) {
		c->ti->error = "no memory for a superblock";
		return -ENOMEM;
	}
	r = p->flags & CASCADE_ARG_CREATE ? describe_new(c, p, tmp) : describe_old(c, p, tmp);
	kfree(tmp);
	return r;
}

static int shape(struct cascade *c, const struct cascade_params *p)
{
	const char *error;
	int r;

	r = cascade_geo_init(&c->geo, p->level, p->nr_members, p->chunk_sectors, 0, &error);
	if (r) {
		c->ti->error = (char *)error;
		return r;
	}
	r = cascade_geo_member_sectors(&c->geo, c->ti->len, &c->geo.data_sectors);
	if (r) {
		c->ti->error = "the length of the table must be a whole number of rows";
		cascade_err(c, "length is %llu sectors, a row is %u", (u64)c->ti->len,
			    c->geo.nr_data * c->geo.chunk_sectors);
		return r;
	}
	c->unit_sectors = min(c->geo.chunk_sectors, CASCADE_UNIT_SECTORS);
	c->unit_shift = ilog2(c->unit_sectors);
	return 0;
}

static int allocate(struct cascade *c)
{
	int r;

	c->stats = alloc_percpu(struct cascade_stats);
	c->workqueue = alloc_workqueue("cascade", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!c->stats || !c->workqueue)
		return -ENOMEM;
	r = cascade_meta_init(c);
	if (!r)
		r = cascade_stripe_init(c, cascade_engine_work);
	if (!r)
		r = cascade_resync_init(c);
	return r;
}

static void destroy(struct cascade *c)
{
	slot_t s;

	cascade_resync_exit(c);
	if (c->workqueue)
		flush_workqueue(c->workqueue);
	cascade_meta_exit(c);
	cascade_stripe_exit(c);
	cancel_work_sync(&c->event_work);
	if (c->workqueue)
		destroy_workqueue(c->workqueue);
	cascade_registry_leave(c);
	if (c->members)
		for (s = 0; s < c->geo.nr_members; s++)
			if (c->members[s].dev)
				dm_put_device(c->ti, c->members[s].dev);
	free_percpu(c->stats);
	kvfree(c->members);
	kfree(c);
}

static struct cascade *new_instance(struct dm_target *ti, const struct cascade_params *p)
{
	struct cascade *c = kzalloc(sizeof(*c), GFP_KERNEL);
	slot_t s;

	if (!c)
		return NULL;
	c->ti = ti;
	c->args = p->flags;
	if (!cascade_compat_writable(ti->table))
		c->args |= CASCADE_ARG_READ_ONLY;
	snprintf(c->log_name, sizeof(c->log_name), "%s", dm_table_device_name(ti->table));
	mutex_init(&c->message_mutex);
	spin_lock_init(&c->state_lock);
	spin_lock_init(&c->io_lock);
	INIT_LIST_HEAD(&c->later_ios);
	INIT_WORK(&c->later_work, cascade_io_later_work);
	INIT_WORK(&c->event_work, raise_event);
	init_waitqueue_head(&c->rows_idle);
	c->members = kvcalloc(p->nr_members, sizeof(*c->members), GFP_KERNEL);
	if (!c->members) {
		kfree(c);
		return NULL;
	}
	for (s = 0; s < p->nr_members; s++) {
		c->members[s].c = c;
		c->members[s].slot = s;
		strscpy(c->members[s].name, "-", sizeof(c->members[s].name));
	}
	return c;
}

static void offer(struct dm_target *ti, const struct cascade *c)
{
	ti->num_flush_bios = c->geo.nr_members;
	ti->flush_supported = true;
	ti->num_write_zeroes_bios = 1;
	if (!c->geo.nr_parity) {
		ti->num_discard_bios = c->geo.nr_members;
		ti->num_secure_erase_bios = c->geo.nr_members;
		ti->num_write_zeroes_bios = c->geo.nr_members;
	}
	ti->per_io_data_size = sizeof(struct cascade_io);
	ti->private = (void *)c;
}

static int build(struct cascade *c, const struct cascade_params *p)
{
	const char *error;
	int r;

	r = shape(c, p);
	if (r)
		return r;
	r = open_members(c, p);
	if (r)
		return r;
	r = allocate(c);
	if (r) {
		c->ti->error = "no memory for the array's rows and buffers";
		return r;
	}
	r = describe(c, p);
	if (r)
		return r;
	r = cascade_registry_enter(c, &error);
	if (r)
		c->ti->error = (char *)error;
	return r;
}

int cascade_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct cascade_params *p = kmalloc(sizeof(*p), GFP_KERNEL);
	struct cascade *c;
	int r;

	if (!p) {
		ti->error = "no memory for the table line";
		return -ENOMEM;
	}
	r = parse(p, ti, argc, argv);
	if (!r)
		r = check_mode(ti, p);
	if (!r)
		r = check_ssds_blank(ti, p);
	if (!r)
		r = check_available(ti, p);
	if (r)
		goto free_params;
	c = new_instance(ti, p);
	if (!c) {
		ti->error = "no memory for the instance";
		r = -ENOMEM;
		goto free_params;
	}
	r = build(c, p);
	if (r)
		destroy(c);
	else
		offer(ti, c);
free_params:
	kfree(p);
	return r;
}

void cascade_dtr(struct dm_target *ti)
{
	destroy(ti->private);
}
