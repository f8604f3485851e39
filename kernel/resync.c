// SPDX-License-Identifier: GPL-2.0-only
/*
 * The background walker. It goes through the rows in windows: sends one window's
 * requests to their rows, waits for them all, moves synced_sectors on. Rows below
 * have right parity from then on; what the superblock on disk says of it counts
 * only after a clean stop, which flushes the members first.
 *
 * It gives way: after a window in which users had requests, it rests for as long
 * as the window took, at most REST_MAX_MS.
 */
#include <linux/delay.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "engine.h"
#include "member.h"
#include "meta.h"
#include "resync.h"

/* Of each member; small chunks make rows of less than 64 KiB. */
#define WINDOW_SECTORS (SZ_512K >> SECTOR_SHIFT)
#define REST_MAX_MS 100u

static void row_done(struct cascade_io *io)
{
	if (atomic_dec_and_test(&io->c->resync.nr_pending))
		complete(&io->c->resync.window_done);
}

static u64 user_requests(const struct cascade *c)
{
	u64 nr = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct cascade_stats *stats = per_cpu_ptr(c->stats, cpu);

		nr += stats->reads + stats->writes;
	}
	return nr;
}

static void begin_window(struct cascade *c, u64 end_sectors)
{
	unsigned long flags;

	spin_lock_irqsave(&c->state_lock, flags);
	c->resync.window_end = end_sectors;
	c->resync.spoilt = false;
	spin_unlock_irqrestore(&c->state_lock, flags);
}

/* Returns whether all rows of the window were made right: parity below is trusted. */
static bool end_window(struct cascade *c)
{
	unsigned long flags;
	bool synced;

	spin_lock_irqsave(&c->state_lock, flags);
	/* A member that went out left rows as they were. */
	synced = !c->resync.spoilt && !c->out_mask;
	if (synced)
		WRITE_ONCE(c->sb.synced_sectors, c->resync.window_end);
	if (c->sb.synced_sectors == c->geo.data_sectors)
		c->sb.flags &= ~CASCADE_SB_TORN;
	spin_unlock_irqrestore(&c->state_lock, flags);
	return synced;
}

/* Returns false if a row could not be made right. */
static bool do_window(struct cascade *c, u64 first_unit, unsigned int nr_rows)
{
	struct cascade_resync *sync = &c->resync;
	unsigned int i;

	atomic_set(&sync->nr_pending, nr_rows + 1);
	reinit_completion(&sync->window_done);
	begin_window(c, (first_unit + nr_rows) << c->unit_shift);
	for (i = 0; i < nr_rows; i++) {
		struct cascade_io *io = &sync->window[i];

		io->kind = CASCADE_IO_RESYNC;
		io->status = BLK_STS_OK;
		io->c = c;
		io->done = row_done;
		cascade_engine_submit(c, first_unit + i, io);
	}
	if (!atomic_dec_and_test(&sync->nr_pending))
		wait_for_completion_io(&sync->window_done);
	for (i = 0; i < nr_rows; i++)
		if (sync->window[i].status)
			return false;
	return end_window(c);
}

static bool may_run(const struct cascade *c)
{
	return !READ_ONCE(c->resync.stop) && !READ_ONCE(c->out_mask) && !READ_ONCE(c->broken) &&
	       !(READ_ONCE(c->sb.flags) & CASCADE_SB_FROZEN);
}

static void walk(struct cascade *c)
{
	u64 synced_sectors;

	while ((synced_sectors = c->sb.synced_sectors) < c->geo.data_sectors && may_run(c)) {
		u64 left_rows = (c->geo.data_sectors - synced_sectors) >> c->unit_shift;
		u64 requests_before = user_requests(c);
		unsigned long begin = jiffies;

		if (!do_window(c, synced_sectors >> c->unit_shift,
			       min_t(u64, left_rows, WINDOW_SECTORS / c->unit_sectors))) {
			if (may_run(c))
				cascade_err(c, "resync stopped at member sector %llu: a block cannot be read and its row's parity is not trusted; rewrite it and send \"resync\"",
					    synced_sectors);
			return;
		}
		if (user_requests(c) != requests_before)
			msleep(clamp(jiffies_to_msecs(jiffies - begin), 1u, REST_MAX_MS));
		cond_resched();
	}
	if (synced_sectors == c->geo.data_sectors && !cascade_meta_store(c))
		cascade_info(c, "resync done");
}

static void resync_work(struct work_struct *work)
{
	struct cascade *c = container_of(work, struct cascade, resync.work);

	if (c->sb.synced_sectors < c->geo.data_sectors && may_run(c)) {
		WRITE_ONCE(c->resync.running, true);
		cascade_info(c, "resync from member sector %llu of %llu", c->sb.synced_sectors,
			     c->geo.data_sectors);
		schedule_work(&c->event_work);
		walk(c);
		WRITE_ONCE(c->resync.running, false);
		schedule_work(&c->event_work);
	}
}

void cascade_resync_kick(struct cascade *c)
{
	if (!c->resync.workqueue || c->resync.suspended)
		return;
	WRITE_ONCE(c->resync.stop, false);
	queue_work(c->resync.workqueue, &c->resync.work);
}

void cascade_resync_stop(struct cascade *c)
{
	if (!c->resync.workqueue)
		return;
	WRITE_ONCE(c->resync.stop, true);
	cancel_work_sync(&c->resync.work);
}

enum cascade_sync_action cascade_resync_action(const struct cascade *c)
{
	if (READ_ONCE(c->resync.running))
		return CASCADE_SYNC_RESYNC;
	return READ_ONCE(c->sb.flags) & CASCADE_SB_FROZEN ? CASCADE_SYNC_FROZEN : CASCADE_SYNC_IDLE;
}

int cascade_resync_init(struct cascade *c)
{
	if (!c->geo.nr_parity)
		return 0;
	INIT_WORK(&c->resync.work, resync_work);
	init_completion(&c->resync.window_done);
	c->resync.window = kcalloc(WINDOW_SECTORS / c->unit_sectors, sizeof(*c->resync.window),
				   GFP_KERNEL);
	if (!c->resync.window)
		return -ENOMEM;
	c->resync.workqueue = alloc_ordered_workqueue("cascade_resync", WQ_MEM_RECLAIM);
	return c->resync.workqueue ? 0 : -ENOMEM;
}

void cascade_resync_exit(struct cascade *c)
{
	cascade_resync_stop(c);
	if (c->resync.workqueue)
		destroy_workqueue(c->resync.workqueue);
	kfree(c->resync.window);
}
