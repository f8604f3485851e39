// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of one bio. Most go on to one member as they came; the rest, writes of
 * levels with parity and reads of members that are out, are carried out by rows.
 *
 * A remapped read that fails changes nothing by itself: it goes to its row, where
 * the engine reads again, block by block, without flags that let a read fail for
 * less than a bad sector; what that read shows, counts. One that a member cannot
 * take without waiting waits in a worker: its submitter need not, and is not told to
 * try again, which parts of a bio that was split cannot be.
 */
#include <linux/slab.h>

#include "engine.h"
#include "io.h"
#include "member.h"
#include "meta.h"

static inline bool has_rows(const struct cascade *c)
{
	return c->geo.nr_parity;
}

/*
 * Device-mapper sends the part of a bio that is too much in the next one. Returns
 * whether there is such a part.
 */
static inline bool accept(struct bio *bio, u32 room_sectors)
{
	if (likely(bio_sectors(bio) <= room_sectors))
		return false;
	dm_accept_partial_bio(bio, room_sectors);
	return true;
}

/* Sectors from a location to the end of its row in memory. */
static inline u32 unit_room(const struct cascade *c, const struct cascade_loc *loc)
{
	if (c->unit_sectors < c->geo.chunk_sectors)
		return c->unit_sectors - ((u32)loc->sect.s & (c->unit_sectors - 1));
	return loc->left_sectors + (c->geo.nr_data - 1 - loc->data) * c->geo.chunk_sectors;
}

static int map_to_row(struct cascade *c, struct bio *bio, const struct cascade_loc *loc)
{
	struct cascade_io *io = cascade_bio_io(bio);

	io->kind = CASCADE_IO_ROW;
	io->more = accept(bio, unit_room(c, loc));
	io->status = BLK_STS_OK;
	io->rest_bytes = 0;
	io->iter = bio->bi_iter;
	cascade_engine_submit(c, loc->sect.s >> c->unit_shift, io);
	return DM_MAPIO_SUBMITTED;
}

static int map_to_member(struct cascade *c, struct bio *bio, const struct cascade_loc *loc)
{
	struct cascade_io *io = cascade_bio_io(bio);

	io->kind = CASCADE_IO_REMAPPED;
	io->slot = loc->slot;
	cascade_member_remap(&c->members[loc->slot], bio, loc->sect);
	io->iter = bio->bi_iter;
	return DM_MAPIO_REMAPPED;
}

static int map_read(struct cascade *c, struct bio *bio)
{
	struct cascade_io *io = cascade_bio_io(bio);
	struct cascade_loc loc;

	io->sect = lsect(dm_target_offset(c->ti, bio->bi_iter.bi_sector));
	cascade_geo_map(&c->geo, io->sect, &loc);
	this_cpu_inc(c->stats->reads);
	accept(bio, loc.left_sectors);
	if (likely(cascade_member_usable(c, loc.slot))) {
		this_cpu_inc(c->stats->member_reads);
		return map_to_member(c, bio, &loc);
	}
	if (!has_rows(c) || READ_ONCE(c->broken))
		return DM_MAPIO_KILL;
	return map_to_row(c, bio, &loc);
}

static int map_write(struct cascade *c, struct bio *bio)
{
	struct cascade_io *io = cascade_bio_io(bio);
	struct cascade_loc loc;

	io->sect = lsect(dm_target_offset(c->ti, bio->bi_iter.bi_sector));
	cascade_geo_map(&c->geo, io->sect, &loc);
	this_cpu_inc(c->stats->writes);
	if (!has_rows(c)) {
		this_cpu_inc(c->stats->member_writes);
		accept(bio, loc.left_sectors);
		return map_to_member(c, bio, &loc);
	}
	if (READ_ONCE(c->broken))
		return DM_MAPIO_KILL;
	return map_to_row(c, bio, &loc);
}

static void end_here(struct cascade_io *io, blk_status_t status)
{
	struct bio *bio = cascade_io_bio(io);

	io->kind = CASCADE_IO_ENDED;
	bio->bi_status = status;
	bio_endio(bio);
}

static void flush_recorded(struct cascade_waiter *waiter, int error)
{
	struct cascade_io *io = container_of(waiter, struct cascade_io, waiter);

	end_here(io, error ? BLK_STS_IOERR : BLK_STS_OK);
}

/*
 * The others hold what a member held that is out. A start after a power cut goes by
 * them once its absence is durable, and not before: the flush waits for that.
 */
static void flush_absent(struct cascade *c, struct cascade_io *io)
{
	if (cascade_meta_recorded(c)) {
		end_here(io, BLK_STS_OK);
		return;
	}
	io->waiter.done = flush_recorded;
	cascade_meta_wait(c, &io->waiter);
}

/* One empty bio a member; all must end well for the array's flush to do so. */
static int map_flush(struct cascade *c, struct bio *bio)
{
	slot_t slot = dm_bio_get_target_bio_nr(bio);
	struct cascade_io *io = cascade_bio_io(bio);

	io->kind = CASCADE_IO_FLUSH;
	io->slot = slot;
	if (!cascade_member_usable(c, slot)) {
		flush_absent(c, io);
		return DM_MAPIO_SUBMITTED;
	}
	bio_set_dev(bio, c->members[slot].bdev);
	return DM_MAPIO_REMAPPED;
}

/* RAID-0 only: one bio a member, each with the range of the whole request. */
static int map_discard(struct cascade *c, struct bio *bio)
{
	lsect_t begin = lsect(dm_target_offset(c->ti, bio->bi_iter.bi_sector));
	lsect_t end = lsect(begin.s + bio_sectors(bio));
	slot_t slot = dm_bio_get_target_bio_nr(bio);
	msect_t from = cascade_geo_slot_sector(&c->geo, begin, slot);
	msect_t to = cascade_geo_slot_sector(&c->geo, end, slot);
	struct cascade_io *io = cascade_bio_io(bio);

	if (from.s == to.s) {
		io->kind = CASCADE_IO_ENDED;
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	io->kind = CASCADE_IO_REMAPPED;
	io->slot = slot;
	cascade_member_remap(&c->members[slot], bio, from);
	bio->bi_iter.bi_size = (to.s - from.s) << SECTOR_SHIFT;
	io->iter = bio->bi_iter;
	return DM_MAPIO_REMAPPED;
}

int cascade_map(struct dm_target *ti, struct bio *bio)
{
	struct cascade *c = ti->private;

	/* The block layer only warns of a write to a read-only device. */
	if (unlikely(c->args & CASCADE_ARG_READ_ONLY) && op_is_write(bio_op(bio)) &&
	    bio_sectors(bio))
		return DM_MAPIO_KILL;
	if (unlikely(bio->bi_opf & REQ_PREFLUSH))
		return map_flush(c, bio);
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return map_read(c, bio);
	case REQ_OP_WRITE:
		return map_write(c, bio);
	case REQ_OP_WRITE_ZEROES:
		return has_rows(c) ? map_write(c, bio) : map_discard(c, bio);
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return map_discard(c, bio);
	default:
		return DM_MAPIO_KILL;
	}
}

/* Statuses that say nothing about the medium. */
static bool says_nothing(blk_status_t status)
{
	return status == BLK_STS_OK || status == BLK_STS_NOTSUPP;
}

/* To the same member again, whatever that has to wait for. */
static void wait_for_member(struct work_struct *work)
{
	struct cascade_io *io = container_of(work, struct cascade_io, work);
	struct bio *bio = cascade_io_bio(io);

	bio->bi_opf &= ~(REQ_NOWAIT | REQ_POLLED);
	bio->bi_status = BLK_STS_OK;
	/* A member that split it has counted down all of it. */
	atomic_set(&bio->__bi_remaining, 1);
	bio->bi_iter = io->iter;
	bio_set_dev(bio, io->c->members[io->slot].bdev);
	submit_bio_noacct(bio);
}

int cascade_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct cascade *c = ti->private;
	struct cascade_io *io;

	if (likely(says_nothing(*error)))
		return DM_ENDIO_DONE;
	io = cascade_bio_io(bio);
	if (io->kind == CASCADE_IO_ROW || io->kind == CASCADE_IO_ENDED)
		return DM_ENDIO_DONE;
	if (*error == BLK_STS_AGAIN && bio->bi_opf & REQ_NOWAIT) {
		io->c = c;
		INIT_WORK(&io->work, wait_for_member);
		queue_work(c->workqueue, &io->work);
		return DM_ENDIO_INCOMPLETE;
	}
	if (!has_rows(c) && READ_ONCE(c->dead_mask) & BIT_ULL(io->slot))
		return DM_ENDIO_DONE;
	io->status = *error;
	cascade_engine_later(c, io);
	return DM_ENDIO_INCOMPLETE;
}

/*
 * A member that cannot flush has lost writes that were acknowledged: it is out,
 * and once that is durable the others hold all that the flush is asked for.
 */
static void failed_flush(struct cascade *c, struct cascade_io *io)
{
	if (!cascade_member_fail(c, io->slot, "flush error")) {
		end_here(io, io->status);
		return;
	}
	flush_absent(c, io);
}

/* Dead, and not just bad in places: its superblocks cannot be read either. */
static bool is_dead(struct cascade *c, slot_t slot)
{
	struct cascade_sb *sb = kmalloc(sizeof(*sb), GFP_NOIO);
	enum cascade_sb_fault fault;
	int r = -ENOMEM;

	if (sb)
		r = cascade_meta_read(c, slot, sb, &fault);
	kfree(sb);
	return r && r != -ENOMEM && r != -EBADMSG;
}

/* The user learns of a dead member even if all he does is read. */
static void judge_read(struct cascade *c, slot_t slot)
{
	if (READ_ONCE(c->dead_mask) & BIT_ULL(slot) || !cascade_member_usable(c, slot))
		return;
	if (is_dead(c, slot))
		cascade_member_fail(c, slot, "read error");
	else
		cascade_warn_limited(c, "member %u (%s): read error", slot, c->members[slot].name);
}

/* Without parity: the array's health tells, and the error is handed on. */
static void hand_on(struct cascade *c, struct cascade_io *io)
{
	enum req_op op = bio_op(cascade_io_bio(io));

	if (io->kind == CASCADE_IO_FLUSH)
		cascade_member_fail(c, io->slot, "flush error");
	else if (op == REQ_OP_WRITE || op == REQ_OP_WRITE_ZEROES)
		cascade_member_fail(c, io->slot, "write error");
	else
		judge_read(c, io->slot);
	end_here(io, io->status);
}

/* Reads by the row, one row after the other where a chunk is more than one. */
static void read_by_row(struct cascade *c, struct cascade_io *io)
{
	struct bio *bio = cascade_io_bio(io);
	struct cascade_loc loc;
	u32 nr_bytes;

	if (io->kind == CASCADE_IO_REMAPPED) {
		io->kind = CASCADE_IO_ROW;
		io->status = BLK_STS_OK;
		io->rest_bytes = io->iter.bi_size;
		io->iter.bi_size = 0;
	} else {
		io->sect.s += io->iter.bi_size >> SECTOR_SHIFT;
	}
	nr_bytes = io->iter.bi_size;
	io->iter.bi_size += io->rest_bytes;
	bio_advance_iter(bio, &io->iter, nr_bytes);

	cascade_geo_map(&c->geo, io->sect, &loc);
	nr_bytes = min(io->rest_bytes, unit_room(c, &loc) << SECTOR_SHIFT);
	io->rest_bytes -= nr_bytes;
	io->iter.bi_size = nr_bytes;
	cascade_engine_submit(c, loc.sect.s >> c->unit_shift, io);
}

void cascade_io_later_work(struct work_struct *work)
{
	struct cascade *c = container_of(work, struct cascade, later_work);
	struct cascade_io *io, *next;
	LIST_HEAD(ios);
	unsigned long flags;

	spin_lock_irqsave(&c->io_lock, flags);
	list_splice_init(&c->later_ios, &ios);
	spin_unlock_irqrestore(&c->io_lock, flags);
	list_for_each_entry_safe(io, next, &ios, node) {
		if (!has_rows(c)) {
			hand_on(c, io);
		} else if (io->kind == CASCADE_IO_FLUSH) {
			failed_flush(c, io);
		} else {
			if (io->kind == CASCADE_IO_REMAPPED)
				judge_read(c, io->slot);
			read_by_row(c, io);
		}
	}
}
