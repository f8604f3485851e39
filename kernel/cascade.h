/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instance: what one table of the target is made of, and the lock order.
 *
 * Vocabulary
 *	member	a backing device, or the place of one that is missing
 *	slot	a member's place in the array
 *	chunk	sectors of a member that follow each other in the array
 *	row	one chunk of each member at the same offset; in memory (struct
 *		cascade_row) the part of it that is handled at once: a unit of
 *		up to 64 KiB of each member
 *	block	4 KiB; column: the blocks of a row at the same offset
 *	batch	requests that a row carries out together
 *
 * Locks, in the order in which they nest
 *	registry lock		(registry.c) who uses which device and uuid
 *	c->message_mutex	messages against suspend
 *	c->meta.mutex		the superblock buffers and their writes
 *	shard->lock		rows of a shard: hash, free lists, waiting requests
 *	c->state_lock		members' states, epochs, flags of c->sb
 *	c->io_lock		requests that wait for a worker: failed by a
 *				member, or with a part still to do
 *	c->meta.lock		those who wait for a superblock
 *	c->rows_idle.lock	(under the shard's)
 * The last five are spinlocks, taken with interrupts off: bios end anywhere.
 *
 * A row that is busy belongs to whoever carries it out; its cells need no lock.
 */
#ifndef CASCADE_H
#define CASCADE_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/env.h"
#include "core/geo.h"
#include "core/intent.h"
#include "core/parity.h"
#include "core/params.h"
#include "core/plan.h"
#include "core/report.h"
#include "core/sb.h"
#include "core/units.h"

#define CASCADE_TARGET_NAME "cascade"
#define CASCADE_LOG "device-mapper: cascade: "

#define cascade_err(c, fmt, ...) \
	pr_err(CASCADE_LOG "%s: " fmt "\n", (c)->log_name, ##__VA_ARGS__)
#define cascade_warn(c, fmt, ...) \
	pr_warn(CASCADE_LOG "%s: " fmt "\n", (c)->log_name, ##__VA_ARGS__)
#define cascade_warn_limited(c, fmt, ...) \
	pr_warn_ratelimited(CASCADE_LOG "%s: " fmt "\n", (c)->log_name, ##__VA_ARGS__)
#define cascade_info(c, fmt, ...) \
	pr_info(CASCADE_LOG "%s: " fmt "\n", (c)->log_name, ##__VA_ARGS__)

struct cascade;

/** enum cascade_member_state - What a member is to the running array. */
enum cascade_member_state {
	CASCADE_MEMBER_MISSING,		/* no device: "-" */
	CASCADE_MEMBER_IN_SYNC,
	CASCADE_MEMBER_OUT,		/* failed, or stale: not read, not written */
};

/**
 * struct cascade_member - One backing device.
 * @c: Instance.
 * @dev: The device; NULL if missing.
 * @bdev: Its block device, at hand for the fast path.
 * @data_offset_sectors: Where its data area begins.
 * @state: Changed under c->state_lock.
 * @slot: Its place.
 * @device_uuid: What its superblock calls it.
 * @name: Device name for messages.
 */
struct cascade_member {
	struct cascade *c;
	struct dm_dev *dev;
	struct block_device *bdev;
	u64 data_offset_sectors;
	enum cascade_member_state state;
	slot_t slot;
	u8 device_uuid[CASCADE_UUID_BYTES];
	char name[BDEVNAME_SIZE + 16];
};

/** struct cascade_stats - Counters of one CPU; the sum is reported. */
struct cascade_stats {
	u64 reads;
	u64 writes;
	u64 full_rows;
	u64 rmw;
	u64 rcw;
	u64 stripe_hits;
	u64 member_reads;
	u64 member_writes;
	u64 read_errors_fixed;
};

/**
 * struct cascade_waiter - Somebody who waits for a superblock to be durable.
 * @node: In c->meta.waiters.
 * @done: Called once, from the metadata worker, with 0 or a negative errno.
 */
struct cascade_waiter {
	struct list_head node;
	void (*done)(struct cascade_waiter *waiter, int error);
};

/** enum cascade_io_kind - How a request is on its way. */
enum cascade_io_kind {
	CASCADE_IO_REMAPPED,	/* to one member, as it came */
	CASCADE_IO_FLUSH,	/* an empty flush of one member */
	CASCADE_IO_ROW,		/* carried out by a row */
	CASCADE_IO_ENDED,	/* there was nothing to do */
	CASCADE_IO_RESYNC,	/* no bio: make a row's parity right */
};

/**
 * struct cascade_io - A request; lies in the data that device-mapper keeps for a bio.
 * @node: In a row's or shard's list, or in c->later_ios.
 * @iter: The bio's range as it went to its member or row, to try again from or to
 *	walk.
 * @sect: First logical sector of @iter.
 * @rest_bytes: What of the bio follows @iter; it is done afterwards.
 * @kind: How it is on its way.
 * @more: The rest of its bio follows in a request of its own.
 * @slot: Member that a remapped request or flush went to.
 * @status: First error.
 * @unit: The row that carries it out.
 * @c: Instance of a request that goes on without its bio's target at hand.
 * @done: CASCADE_IO_RESYNC: called when the row is through; may run in interrupt.
 * @waiter: To wait for a superblock.
 * @work: To wait for a place in a member's queue.
 */
struct cascade_io {
	struct list_head node;
	struct bvec_iter iter;
	lsect_t sect;
	u32 rest_bytes;
	u8 kind;
	bool more;
	u8 slot;
	blk_status_t status;
	u64 unit;
	struct cascade *c;
	void (*done)(struct cascade_io *io);
	union {
		struct cascade_waiter waiter;
		struct work_struct work;
	};
};

/**
 * struct cascade_meta - Superblocks: memory, worker, and who waits.
 * @mutex: Serialises writes.
 * @workqueue: Runs @work and nothing else.
 * @work: Writes when somebody asked.
 * @lock: Protects @waiters and @wanted.
 * @waiters: struct cascade_waiter, to be told after the next write.
 * @wanted: Number of the last write that was asked for.
 * @done: Number of the last write that is durable.
 * @slots: One write a member.
 * @snapshot: The state that is being written.
 */
struct cascade_meta {
	struct mutex mutex;	/* writes, and the buffers of @slots */
	struct workqueue_struct *workqueue;
	struct work_struct work;
	spinlock_t lock;	/* @waiters, @wanted */
	struct list_head waiters;
	u64 wanted;
	u64 done;
	struct cascade_meta_slot *slots;
	struct cascade_sb snapshot;
};

/**
 * struct cascade_resync - The background walker.
 * @workqueue: Runs @work and nothing else.
 * @work: Carries out one window after the other.
 * @stop: Set by whoever wants it to end; read at each window.
 * @suspended: From presuspend to resume: nothing starts it; under
 *	c->message_mutex.
 * @window_end: Sector of each member's data area below which rows are being made
 *	right; under c->state_lock, like @spoilt.
 * @spoilt: A write beside a bad block left a row's parity wrong below @window_end.
 * @running: A walk is under way.
 * @window: One request a row of a window.
 * @nr_pending: Requests of the window on their way, and one for the walker.
 * @window_done: All of them ended.
 */
struct cascade_resync {
	struct workqueue_struct *workqueue;
	struct work_struct work;
	bool stop;
	bool suspended;
	u64 window_end;
	bool spoilt;
	bool running;
	struct cascade_io *window;
	atomic_t nr_pending;
	struct completion window_done;
};

#define CASCADE_STREAM_BITS 6u

struct cascade_shard;
struct cascade_registration;

/**
 * struct cascade - One table of the target.
 * @ti: Device-mapper's target.
 * @geo: Shape.
 * @unit_shift: log2 of the sectors of a row's unit.
 * @unit_sectors: Sectors of each member that a row in memory covers.
 * @out_mask: Slots that are not read and not written; under @state_lock, read
 *	without it by the fast path.
 * @broken: More is lost than the level bears: writes end with an error.
 * @dead_mask: Slots that failed and could not be put out; under @state_lock, read
 *	without it where it only saves work.
 * @members: One a slot.
 * @stats: Counters, one set a CPU.
 * @shards: Rows in memory.
 * @nr_shards: A power of two.
 * @stream_ends: Where writes ended lately, hashed by that sector (gather.c).
 * @rows_idle: Woken when the last busy row of a shard becomes idle.
 * @workqueue: Carries out rows and failed requests.
 * @state_lock: Protects members' states, @sb, @out_mask, @broken.
 * @sb: The array's state; slot and device_uuid are filled in for each member as
 *	it is written.
 * @args: Flags of the table line (CASCADE_ARG_*).
 * @to_format: The next resume formats the members.
 * @needs_all: A start found torn rows and is not through: whoever goes out now takes
 *	blocks of these along, so nobody does.
 * @was_live: It was resumed before.
 * @was_broken: It was suspended with more lost than it bears: resume finds it so.
 * @live: Between preresume and postsuspend: members may be written.
 * @message_mutex: Holds messages off while @live and @resync.suspended change.
 * @io_lock: Protects @later_ios.
 * @later_ios: Requests whose member failed them.
 * @later_work: Goes on with them.
 * @event_work: Raises a device-mapper event: that takes a mutex.
 * @meta: Superblocks.
 * @resync: Background walker.
 * @mismatch_blocks: Blocks that the last check found wrong.
 * @registration: Entry in the module's registry.
 * @log_name: What messages call the array.
 */
struct cascade {
	struct dm_target *ti;
	struct cascade_geo geo;
	u8 unit_shift;
	u32 unit_sectors;
	u64 out_mask;
	bool broken;
	u64 dead_mask;
	struct cascade_member *members;
	struct cascade_stats __percpu *stats;

	struct cascade_shard *shards;
	unsigned int nr_shards;
	u64 stream_ends[1u << CASCADE_STREAM_BITS];
	wait_queue_head_t rows_idle;
	struct workqueue_struct *workqueue;

	spinlock_t state_lock ____cacheline_aligned_in_smp;
	struct cascade_sb sb;
	u64 args;
	bool to_format;
	bool needs_all;
	bool was_live;
	bool was_broken;
	bool live;
	struct mutex message_mutex;	/* changes of @live and @resync.suspended */

	spinlock_t io_lock;	/* @later_ios */
	struct list_head later_ios;
	struct work_struct later_work;
	struct work_struct event_work;

	struct cascade_meta meta;
	struct cascade_resync resync;
	u64 mismatch_blocks;
	struct cascade_registration *registration;
	char log_name[CASCADE_NAME_MAX + 32];
};

static inline struct bio *cascade_io_bio(struct cascade_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(struct cascade_io));
}

static inline struct cascade_io *cascade_bio_io(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct cascade_io));
}

/**
 * cascade_want_record() - Have the metadata worker write the changed state.
 * @c: Instance whose state was changed under c->state_lock, still held: who sees
 *	the change sees that a record of it is wanted.
 *
 * Context: Any context; takes c->meta.lock.
 */
static inline void cascade_want_record(struct cascade *c)
{
	lockdep_assert_held(&c->state_lock);
	spin_lock(&c->meta.lock);
	WRITE_ONCE(c->meta.wanted, c->meta.wanted + 1);
	spin_unlock(&c->meta.lock);
	queue_work(c->meta.workqueue, &c->meta.work);
}

#endif /* CASCADE_H */
