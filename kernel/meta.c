// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblocks on the members. On disk while a state is written, of two members:
 *
 *	copy	0 1   0 1
 *	1	a a   a a	before
 *	2	b a   b a	first copies durable: either member alone gives b
 *	3	b b   b b	second copies durable
 *
 * A power cut between leaves some first copies old; the reader takes the newest
 * state that any member has, and members whose own state is its parent still are
 * in sync (cascade_sb_choose()).
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "member.h"
#include "meta.h"

/* One member's write on its way. */
struct cascade_meta_slot {
	struct bio bio;
	struct bio_vec bvec;
	void *buf;		/* CASCADE_SB_BYTES */
	struct completion done;
	bool busy;
};

static void meta_endio(struct bio *bio)
{
	struct cascade_meta_slot *ms = bio->bi_private;

	complete(&ms->done);
}

static void start(struct cascade *c, slot_t slot, blk_opf_t opf, u64 sector, bool data)
{
	struct cascade_meta_slot *ms = &c->meta.slots[slot];

	bio_init(&ms->bio, c->members[slot].bdev, &ms->bvec, 1, opf);
	ms->bio.bi_iter.bi_sector = sector;
	ms->bio.bi_private = ms;
	ms->bio.bi_end_io = meta_endio;
	if (data)
		__bio_add_page(&ms->bio, virt_to_page(ms->buf), CASCADE_SB_BYTES,
			       offset_in_page(ms->buf));
	reinit_completion(&ms->done);
	ms->busy = true;
	submit_bio(&ms->bio);
}

static int finish(struct cascade *c, slot_t slot)
{
	struct cascade_meta_slot *ms = &c->meta.slots[slot];
	int r;

	wait_for_completion_io(&ms->done);
	r = blk_status_to_errno(ms->bio.bi_status);
	bio_uninit(&ms->bio);
	ms->busy = false;
	return r;
}

static int do_one(struct cascade *c, slot_t slot, blk_opf_t opf, u64 sector, bool data)
{
	start(c, slot, opf, sector, data);
	return finish(c, slot);
}

int cascade_meta_read(struct cascade *c, slot_t slot, struct cascade_sb *sb,
		      enum cascade_sb_fault *fault)
{
	struct cascade_sb *other;
	unsigned int copy;
	bool valid = false, read = false;
	int r = 0;

	other = kmalloc(sizeof(*other), GFP_NOIO);
	if (!other)
		return -ENOMEM;
	*fault = CASCADE_SB_BLANK;
	mutex_lock(&c->meta.mutex);
	for (copy = 0; copy < CASCADE_SB_COPIES; copy++) {
		enum cascade_sb_fault found;
		int e;

		e = do_one(c, slot, REQ_OP_READ | REQ_META, cascade_sb_copy_sector(copy), true);
		if (e) {
			r = e;
			continue;
		}
		read = true;
		found = cascade_sb_decode(other, c->meta.slots[slot].buf);
		if (found != CASCADE_SB_OK) {
			*fault = max(*fault, found);
		} else if (!valid || other->events > sb->events) {
			*sb = *other;
			valid = true;
		}
	}
	mutex_unlock(&c->meta.mutex);
	kfree(other);
	if (valid)
		return 0;
	return read ? -EBADMSG : r;
}

int cascade_meta_wipe(struct cascade *c, slot_t slot)
{
	struct block_device *bdev = c->members[slot].bdev;
	u64 nr_sectors = bdev_nr_sectors(bdev);
	int r;

	r = blkdev_issue_zeroout(bdev, 0, CASCADE_MIB_SECTORS, GFP_NOIO, 0);
	/* An older array's second copy must not outlive this one's first. */
	if (!r)
		r = blkdev_issue_zeroout(bdev, cascade_sb_copy_sector(1), CASCADE_SB_SECTORS,
					 GFP_NOIO, 0);
	if (r)
		return r;
	return blkdev_issue_zeroout(bdev, nr_sectors - CASCADE_MIB_SECTORS, CASCADE_MIB_SECTORS,
				    GFP_NOIO, 0);
}

/*
 * One request to each usable member. A write that fails gets a second try; a flush
 * does not, since a device that failed one may have dropped what it was to keep, and
 * then do well. Who fails is put out. Returns 0, -EAGAIN if a member went out, -EIO
 * if the array is broken.
 */
static int do_all_locked(struct cascade *c, blk_opf_t opf, u64 sector, bool data, const char *what)
{
	int r = 0;
	slot_t s;

	lockdep_assert_held(&c->meta.mutex);
	for (s = 0; s < c->geo.nr_members; s++)
		if (cascade_member_usable(c, s))
			start(c, s, opf, sector, data);
	for (s = 0; s < c->geo.nr_members; s++) {
		if (!c->meta.slots[s].busy || !finish(c, s))
			continue;
		if (data && !do_one(c, s, opf, sector, data))
			continue;
		if (!cascade_member_fail(c, s, what))
			r = -EIO;
		else if (!r)
			r = -EAGAIN;
	}
	return r;
}

static int flush_all_locked(struct cascade *c)
{
	return do_all_locked(c, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC, 0, false, "flush error");
}

/*
 * A flush comes first: what the state says of parity rests on writes that ended before
 * it was encoded. Each copy lies between two: FUA may be one that is not told apart.
 */
static int write_all_locked(struct cascade *c)
{
	unsigned int copy;
	int r = flush_all_locked(c);

	for (copy = 0; copy < CASCADE_SB_COPIES && !r; copy++) {
		r = do_all_locked(c, REQ_OP_WRITE | REQ_SYNC | REQ_META,
				  cascade_sb_copy_sector(copy), true, "superblock write error");
		if (!r)
			r = flush_all_locked(c);
	}
	return r;
}

static void encode_all_locked(struct cascade *c)
{
	struct cascade_sb *sb = &c->meta.snapshot;
	unsigned long flags;
	slot_t s;

	lockdep_assert_held(&c->meta.mutex);
	spin_lock_irqsave(&c->state_lock, flags);
	c->sb.events++;
	*sb = c->sb;
	spin_unlock_irqrestore(&c->state_lock, flags);
	/* A member that goes out meanwhile is not written to, or wants another round. */
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_member *m = &c->members[s];

		if (!m->bdev)
			continue;
		sb->slot = s;
		sb->data_offset_sectors = m->data_offset_sectors;
		memcpy(sb->device_uuid, m->device_uuid, CASCADE_UUID_BYTES);
		cascade_sb_encode(sb, c->meta.slots[s].buf);
	}
}

int cascade_meta_store(struct cascade *c)
{
	u64 wanted;
	int r;

	mutex_lock(&c->meta.mutex);
	do {
		wanted = READ_ONCE(c->meta.wanted);
		r = READ_ONCE(c->broken) ? -EIO : 0;
		if (r)
			break;
		encode_all_locked(c);
		r = write_all_locked(c);
	} while (r == -EAGAIN);
	if (!r)
		WRITE_ONCE(c->meta.done, wanted);
	mutex_unlock(&c->meta.mutex);
	return r;
}

static void meta_work(struct work_struct *work)
{
	struct cascade *c = container_of(work, struct cascade, meta.work);
	struct cascade_waiter *waiter, *next;
	LIST_HEAD(waiters);
	unsigned long flags;
	int r = 0;

	spin_lock_irqsave(&c->meta.lock, flags);
	list_splice_init(&c->meta.waiters, &waiters);
	spin_unlock_irqrestore(&c->meta.lock, flags);

	if (!cascade_meta_recorded(c))
		r = cascade_meta_store(c);
	else if (READ_ONCE(c->broken))
		r = -EIO;
	list_for_each_entry_safe(waiter, next, &waiters, node)
		waiter->done(waiter, r);
}

void cascade_meta_wait(struct cascade *c, struct cascade_waiter *waiter)
{
	unsigned long flags;

	spin_lock_irqsave(&c->meta.lock, flags);
	list_add_tail(&waiter->node, &c->meta.waiters);
	/* Under the lock: once the waiter was told, the instance may go. */
	queue_work(c->meta.workqueue, &c->meta.work);
	spin_unlock_irqrestore(&c->meta.lock, flags);
}

int cascade_meta_init(struct cascade *c)
{
	slot_t s;

	mutex_init(&c->meta.mutex);
	spin_lock_init(&c->meta.lock);
	INIT_LIST_HEAD(&c->meta.waiters);
	INIT_WORK(&c->meta.work, meta_work);
	c->meta.slots = kcalloc(c->geo.nr_members, sizeof(*c->meta.slots), GFP_KERNEL);
	if (!c->meta.slots)
		return -ENOMEM;
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_meta_slot *ms = &c->meta.slots[s];

		init_completion(&ms->done);
		/* Naturally aligned, so it never crosses a page. */
		ms->buf = kzalloc(CASCADE_SB_BYTES, GFP_KERNEL);
		if (!ms->buf)
			return -ENOMEM;
	}
	c->meta.workqueue = alloc_ordered_workqueue("cascade_meta", WQ_MEM_RECLAIM);
	return c->meta.workqueue ? 0 : -ENOMEM;
}

void cascade_meta_exit(struct cascade *c)
{
	slot_t s;

	if (c->meta.workqueue)
		destroy_workqueue(c->meta.workqueue);
	if (!c->meta.slots)
		return;
	for (s = 0; s < c->geo.nr_members; s++)
		kfree(c->meta.slots[s].buf);
	kfree(c->meta.slots);
}
