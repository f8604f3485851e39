// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gathers sequential small writes into whole rows.
 */
#include <linux/hash.h>

#include "gather.h"

/* A disk that has to read first loses a turn of the platter, an SSD a moment. */
#define GAP_ROTATIONAL_NS (2 * NSEC_PER_MSEC)
#define GAP_NS (50 * NSEC_PER_USEC)
#define SKIP_MAX 1024u

/* Notes where a write ends; returns whether it began where another one ended. */
static bool goes_on(struct cascade_gather *gather, u64 sector, u32 nr_sectors)
{
	u64 *begin = &gather->stream_ends[hash_64(sector, CASCADE_STREAM_BITS)];
	u64 *end = &gather->stream_ends[hash_64(sector + nr_sectors, CASCADE_STREAM_BITS)];
	bool found = READ_ONCE(*begin) == sector;

	WRITE_ONCE(*end, sector + nr_sectors);
	return found;
}

static bool worth_holding(struct cascade *c, struct cascade_io *io, u32 nr_sectors)
{
	struct cascade_gather *gather = &c->gather;
	u32 skip;

	if (!goes_on(gather, io->sect.s, nr_sectors))
		return false;
	if (nr_sectors >= c->unit_sectors * c->geo.nr_data)
		return false;
	skip = READ_ONCE(gather->skip);
	if (skip)
		WRITE_ONCE(gather->skip, skip - 1);
	return !skip;
}

bool cascade_gather_hold(struct cascade_row *st, struct cascade_io *io)
{
	u32 nr_sectors = io->iter.bi_size >> SECTOR_SHIFT;
	struct cascade_shard *shard = st->shard;
	struct cascade *c = shard->c;
	unsigned long flags;
	struct bio *bio;

	if (io->kind != CASCADE_IO_ROW)
		return false;
	bio = cascade_io_bio(io);
	if (!op_is_write(bio_op(bio)) || bio->bi_opf & REQ_FUA)
		return false;
	if (!worth_holding(c, io, nr_sectors))
		return false;
	spin_lock_irqsave(&shard->lock, flags);
	st->held = true;
	st->held_sectors = nr_sectors;
	st->hold_until = ktime_add_ns(ktime_get(), c->gather.gap_ns);
	list_add_tail(&st->node, &shard->held);
	if (!hrtimer_is_queued(&shard->hold_timer))
		hrtimer_start(&shard->hold_timer, ns_to_ktime(c->gather.gap_ns), HRTIMER_MODE_REL);
	spin_unlock_irqrestore(&shard->lock, flags);
	return true;
}

/* A hold that nothing came for: the next streams go unheld. */
static void learn(struct cascade_row *st)
{
	struct cascade_gather *gather = &st->shard->c->gather;

	if (!list_empty(&st->waiting))
		return;
	gather->skip_next = min(2 * gather->skip_next + 1, SKIP_MAX);
	WRITE_ONCE(gather->skip, gather->skip_next);
}

static enum hrtimer_restart hold_ends(struct hrtimer *timer)
{
	struct cascade_shard *shard = container_of(timer, struct cascade_shard, hold_timer);
	enum hrtimer_restart again = HRTIMER_NORESTART;
	struct cascade_row *st, *next;
	ktime_t now = ktime_get();
	unsigned long flags;

	spin_lock_irqsave(&shard->lock, flags);
	list_for_each_entry_safe(st, next, &shard->held, node) {
		if (ktime_before(now, st->hold_until))
			continue;
		learn(st);
		cascade_stripe_release_locked(st);
	}
	if (!list_empty(&shard->held)) {
		hrtimer_forward_now(timer, ns_to_ktime(shard->c->gather.gap_ns));
		again = HRTIMER_RESTART;
	}
	spin_unlock_irqrestore(&shard->lock, flags);
	return again;
}

void cascade_gather_init(struct cascade *c)
{
	unsigned int i;
	slot_t s;

	c->gather.gap_ns = GAP_NS;
	for (s = 0; s < c->geo.nr_members; s++)
		if (c->members[s].bdev && !bdev_nonrot(c->members[s].bdev))
			c->gather.gap_ns = GAP_ROTATIONAL_NS;
	for (i = 0; i < c->nr_shards; i++) {
		hrtimer_init(&c->shards[i].hold_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
		c->shards[i].hold_timer.function = hold_ends;
	}
}

void cascade_gather_exit(struct cascade *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_shards; i++)
		if (c->shards[i].hold_timer.function)
			hrtimer_cancel(&c->shards[i].hold_timer);
}
