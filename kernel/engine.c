// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine: carries a row's batch from its requests to its end.
 *
 *	begin	which blocks are read, written whole, written in part
 *	plan	ask core/plan for each column; get block memory for all of them
 *	read	old blocks that are not in memory
 *	compute	rebuild what could not be read; answer reads; copy new data in,
 *		once; make parity from the copy
 *	write	data and parity
 *	flush	all members, for a durable write where one is out: its data lives
 *		on in the others' caches alone
 *	record	wait until a member's absence is durable on the others
 *	end	end the requests; new blocks become the present ones
 *
 * Nothing is copied or changed before all reads are back, so a read error leads
 * back to the plan with that block known as bad. Whoever takes the last count of
 * st->inflight carries the row on: in place if that is the submitter or a device
 * that answers while it is asked, by the shard's worker if it is an interrupt. The
 * end alone is done wherever the last write ends.
 */
#include "batch.h"
#include "compute.h"
#include "engine.h"
#include "gather.h"
#include "member.h"
#include "meta.h"
#include "stripe.h"

static void count_batch(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);

	if (!st->writes)
		return;
	if (st->modify)
		this_cpu_inc(c->stats->rmw);
	else if (st->compute && st->keep)
		this_cpu_inc(c->stats->rcw);
	else if (st->compute)
		this_cpu_inc(c->stats->full_rows);
	if (st->keep && !st->did_read)
		this_cpu_inc(c->stats->stripe_hits);
}

/* One bio fewer on its way; true for whoever ended the last one. */
static inline bool bio_was_last(struct cascade_row *st)
{
	return atomic_dec_and_test(&st->inflight);
}

/*
 * Whether this is the submission of a bio that ended at once, as of a RAM disk, by
 * a task that may sleep: what is submitted from here waits in the task's list
 * until that is over, so the row may be carried on in place. Kernels that do not
 * count what forbids sleeping leave it to the worker.
 */
static inline bool in_submission(void)
{
	return current->bio_list && preemptible() && !rcu_preempt_depth();
}

static bool ends_here(const struct cascade_row *st);
static void end_batch(struct cascade_row *st);
static void carry_on(struct cascade_row *st);

static void cell_endio(struct bio *bio)
{
	struct cascade_cell *cell = bio->bi_private;
	struct cascade_row *st = cell->st;

	if (unlikely(bio->bi_status)) {
		cell->error = bio->bi_status;
		WRITE_ONCE(st->failed, true);
	}
	bio_uninit(bio);
	if (!bio_was_last(st))
		return;
	if (ends_here(st)) {
		end_batch(st);
		if (!cascade_stripe_take_batch(st))
			return;
	}
	if (in_submission())
		carry_on(st);
	else
		cascade_stripe_ready(st);
}

/* The first run of blocks of a mask that follow each other. */
static u16 first_run(u16 mask, bool single)
{
	u32 low = mask & -mask;
	u32 after = ((u32)mask + low) & ~(u32)mask;

	return single ? low : (after & -after) - low;
}

static void submit_run(struct cascade_row *st, struct cascade_cell *cell, blk_opf_t opf)
{
	struct cascade *c = cascade_row_instance(st);
	struct bio *bio = cell->bio;
	u32 rest;

	bio_init(bio, c->members[cell->slot].bdev, bio->bi_inline_vecs, CASCADE_UNIT_BLOCKS, opf);
	cascade_member_remap(&c->members[cell->slot], bio,
			     msect(st->start.s + __ffs(cell->run) * CASCADE_BLOCK_SECTORS));
	for (rest = cell->run; rest; rest &= rest - 1) {
		unsigned int b = __ffs(rest);
		void *block = op_is_write(opf) ? cascade_cell_block(cell, b) : cell->cur[b];

		__bio_add_page(bio, virt_to_page(block), CASCADE_BLOCK_BYTES,
			       offset_in_page(block));
	}
	bio->bi_private = cell;
	bio->bi_end_io = cell_endio;
	cell->error = BLK_STS_OK;
	submit_bio_noacct(bio);
}

/*
 * Sends the next run of each cell. Returns true if all came back meanwhile (or
 * there was none): the caller goes on. Else the row is not the caller's any more.
 */
static bool submit_runs(struct cascade_row *st, bool write)
{
	struct cascade *c = cascade_row_instance(st);
	blk_opf_t opf = write ? REQ_OP_WRITE | st->opf : REQ_OP_READ | REQ_SYNC;
	unsigned int nr = 0;
	slot_t s;

	st->failed = false;
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];
		u16 *todo = write ? &cell->to_write : &cell->to_read;

		cell->run = *todo ? first_run(*todo, cell->single && !write) : 0;
		*todo &= ~cell->run;
		nr += !!cell->run;
	}
	if (!nr)
		return true;
	st->did_read |= !write;
	atomic_set(&st->inflight, nr + 1);
	for (s = 0; s < c->geo.nr_members; s++) {
		if (!st->cells[s].run)
			continue;
		if (write)
			this_cpu_inc(c->stats->member_writes);
		else
			this_cpu_inc(c->stats->member_reads);
		submit_run(st, &st->cells[s], opf);
	}
	return bio_was_last(st);
}

static bool anything_left(const struct cascade_row *st, bool write)
{
	slot_t s;

	for (s = 0; s < cascade_row_instance(st)->geo.nr_members; s++)
		if (write ? st->cells[s].to_write : st->cells[s].to_read)
			return true;
	return false;
}

/*
 * Takes in what came back. Returns true if a block turned out bad: the plan has
 * to be made again. A run that failed is read again block by block first, unless
 * its member went out meanwhile.
 */
static bool absorb_reads(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	bool again = false;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (!cell->run)
			continue;
		if (likely(!cell->error)) {
			cell->valid |= cell->run;
		} else if (!cascade_member_usable(c, s)) {
			cell->bad |= cell->run | cell->to_read;
			again = true;
		} else if (cell->run & (cell->run - 1)) {
			cell->single = true;
			cell->to_read |= cell->run;
		} else {
			cell->bad |= cell->run;
			again = true;
		}
		cell->run = 0;
	}
	return again;
}

static void end_io(struct cascade *c, struct cascade_io *io)
{
	struct bio *bio;

	if (io->kind == CASCADE_IO_RESYNC) {
		io->done(io);
		return;
	}
	if (unlikely(io->rest_bytes)) {
		cascade_engine_later(c, io);
		return;
	}
	bio = cascade_io_bio(io);
	bio->bi_status = io->status;
	bio_endio(bio);
}

static bool is_read(struct cascade_io *io)
{
	return io->kind == CASCADE_IO_ROW && !op_is_write(bio_op(cascade_io_bio(io)));
}

/* Reads of a batch see the row as it was before the batch's writes. */
static void answer_reads(struct cascade_row *st)
{
	struct cascade_io *io, *next;

	list_for_each_entry_safe(io, next, &st->batch, node) {
		if (!is_read(io))
			continue;
		list_del(&io->node);
		if (unlikely(st->lost_reads) && cascade_batch_is_lost(st, io))
			io->status = BLK_STS_IOERR;
		else
			cascade_compute_copy(st, io);
		end_io(cascade_row_instance(st), io);
	}
}

/*
 * Whether a write that failed may be tried again. A durable one may have failed for
 * the flush that a device without FUA is sent for it: what that dropped does not come
 * back with a second try.
 */
static bool may_retry(const struct cascade_row *st, const struct cascade_cell *cell)
{
	struct cascade *c = cascade_row_instance(st);
	struct block_device *bdev = c->members[cell->slot].bdev;

	if (cell->retried || !cascade_member_usable(c, cell->slot))
		return false;
	return !(st->opf & REQ_FUA) || bdev_fua(bdev) || !bdev_write_cache(bdev);
}

/* A write that failed is tried again once; then its member is out. */
static void absorb_writes(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (!cell->run || !cell->error) {
			cell->retried = false;
			if (unlikely(cell->bad & cell->run))
				this_cpu_add(c->stats->read_errors_fixed,
					     hweight16(cell->bad & cell->run));
			cell->run = 0;
			continue;
		}
		if (may_retry(st, cell)) {
			cell->retried = true;
			cell->to_write |= cell->run;
		} else {
			cell->to_write = 0;
			if (!cascade_member_fail(c, s, "write error"))
				st->lost_writes = st->touched;
		}
		cell->run = 0;
	}
}

/* A durable write of a row whose other blocks are only in the members' caches. */
static bool needs_flush(const struct cascade_row *st)
{
	return st->opf & REQ_FUA && READ_ONCE(cascade_row_instance(st)->out_mask);
}

static bool submit_flushes(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	slot_t s;

	st->failed = false;
	atomic_set(&st->inflight, 1);
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (!cascade_member_usable(c, s))
			continue;
		bio_init(cell->bio, c->members[s].bdev, NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH);
		cell->bio->bi_private = cell;
		cell->bio->bi_end_io = cell_endio;
		cell->error = BLK_STS_OK;
		cell->run = 1;
		atomic_inc(&st->inflight);
		submit_bio_noacct(cell->bio);
	}
	return bio_was_last(st);
}

static void absorb_flushes(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (cell->run && cell->error && !cascade_member_fail(c, s, "flush error"))
			st->lost_writes = st->touched;
		cell->run = 0;
	}
}

static void recorded(struct cascade_waiter *waiter, int error)
{
	struct cascade_row *st = container_of(waiter, struct cascade_row, waiter);

	if (error)
		st->lost_writes = st->touched;
	cascade_stripe_ready(st);
}

/* Whether nothing but the end is left to do after the last write. */
static bool ends_here(const struct cascade_row *st)
{
	return st->step == CASCADE_STEP_WRITE && !READ_ONCE(st->failed) && !st->repairs &&
	       !anything_left(st, true) && !needs_flush(st) &&
	       cascade_meta_recorded(cascade_row_instance(st));
}

static void end_batch(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	struct cascade_io *io, *next;
	LIST_HEAD(ended);

	list_splice_init(&st->batch, &ended);
	if (unlikely(st->lost_writes | st->unsynced))
		list_for_each_entry(io, &ended, node)
			if (cascade_batch_touches(st, io, st->lost_writes) ||
			    (io->kind == CASCADE_IO_RESYNC && st->unsynced))
				io->status = BLK_STS_IOERR;
	/* What failed in part is in an unknown state: nothing of it is kept. */
	cascade_stripe_settle(st, st->keep && !st->lost_writes);
	list_for_each_entry_safe(io, next, &ended, node)
		end_io(c, io);
}

static void carry_on(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);

	for (;;) {
		switch (st->step) {
		case CASCADE_STEP_BEGIN:
			cascade_batch_begin(st);
			st->step = CASCADE_STEP_PLAN;
			fallthrough;
		case CASCADE_STEP_PLAN:
			if (!cascade_batch_plan(st))
				return;
			st->step = CASCADE_STEP_READ;
			if (!submit_runs(st, false))
				return;
			break;
		case CASCADE_STEP_READ:
			if (absorb_reads(st)) {
				st->step = CASCADE_STEP_PLAN;
				break;
			}
			if (anything_left(st, false)) {
				if (!submit_runs(st, false))
					return;
				break;
			}
			count_batch(st);
			cascade_compute_rebuild(st);
			answer_reads(st);
			cascade_compute_writes(st);
			st->step = CASCADE_STEP_WRITE;
			if (!submit_runs(st, true))
				return;
			break;
		case CASCADE_STEP_WRITE:
			absorb_writes(st);
			if (anything_left(st, true)) {
				if (!submit_runs(st, true))
					return;
				break;
			}
			st->step = CASCADE_STEP_FLUSH;
			if (needs_flush(st) && !submit_flushes(st))
				return;
			break;
		case CASCADE_STEP_FLUSH:
			absorb_flushes(st);
			st->step = CASCADE_STEP_RECORD;
			if (!cascade_meta_recorded(c)) {
				st->waiter.done = recorded;
				cascade_meta_wait(c, &st->waiter);
				return;
			}
			break;
		case CASCADE_STEP_RECORD:
			end_batch(st);
			if (!cascade_stripe_take_batch(st))
				return;
			break;
		}
	}
}

void cascade_engine_later(struct cascade *c, struct cascade_io *io)
{
	unsigned long flags;

	spin_lock_irqsave(&c->io_lock, flags);
	list_add_tail(&io->node, &c->later_ios);
	/* Under the lock: once the request has ended, the instance may go. */
	queue_work(c->workqueue, &c->later_work);
	spin_unlock_irqrestore(&c->io_lock, flags);
}

void cascade_engine_work(struct work_struct *work)
{
	struct cascade_shard *shard = container_of(work, struct cascade_shard, work);
	struct cascade_row *st;

	while ((st = cascade_stripe_next(shard))) {
		carry_on(st);
		cond_resched();
	}
}

static bool may_wait(const struct cascade_row *st)
{
	struct cascade_io *io = list_first_entry(&st->batch, struct cascade_io, node);

	return io->kind != CASCADE_IO_ROW || !(cascade_io_bio(io)->bi_opf & REQ_NOWAIT);
}

static void unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct cascade_row *st;

	while ((st = cascade_gather_unplug(cb))) {
		if (!from_schedule && may_wait(st))
			carry_on(st);
		else
			cascade_stripe_ready(st);
	}
}

void cascade_engine_submit(struct cascade *c, u64 unit, struct cascade_io *io)
{
	struct cascade_stream stream;
	struct cascade_row *st;

	cascade_gather_look(c, io, &stream);
	st = cascade_stripe_queue(c, unit, io);
	if (cascade_gather_defer(c, io, &stream, st, unplug) || !st)
		return;
	if (may_wait(st))
		carry_on(st);
	else
		cascade_stripe_ready(st);
}
