// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gathers sequential small writes into whole rows.
 *
 * c->stream_ends holds sectors where writes ended lately, hashed by that sector. One
 * where a bio was split has STREAM_ALONE set if its first part had none of a stream
 * before it. Entries are written without a lock: one that is lost or stale costs a
 * little speed.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "gather.h"

/* Rows that wait for their submitter to finish what it has begun. */
struct cascade_plug {
	struct blk_plug_cb cb;
	struct list_head rows;
};

/* Far above any sector. */
#define STREAM_ALONE BIT_ULL(63)

static u64 *entry_of(struct cascade *c, lsect_t sect)
{
	return &c->stream_ends[hash_64(sect.s, CASCADE_STREAM_BITS)];
}

void cascade_gather_look(struct cascade *c, struct cascade_io *io, struct cascade_stream *stream)
{
	u32 nr_sectors = io->iter.bi_size >> SECTOR_SHIFT;
	struct bio *bio;

	stream->writes = false;
	stream->follows = false;
	if (io->kind != CASCADE_IO_ROW)
		return;
	bio = cascade_io_bio(io);
	if (!op_is_write(bio_op(bio)))
		return;
	stream->writes = true;
	stream->end = lsect(io->sect.s + nr_sectors);
	stream->whole = nr_sectors >= c->unit_sectors * c->geo.nr_data;
	stream->more = io->more;
	stream->follows = READ_ONCE(*entry_of(c, io->sect)) == io->sect.s &&
			  !(bio->bi_opf & REQ_FUA);
}

/* Whether the row before is on its way. What the stream left whole there may go. */
static bool row_before_is_busy(const struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);

	if (!st->unit || c->unit_sectors < c->geo.chunk_sectors)
		return false;
	cascade_stripe_release(c, st->unit - 1, true);
	return cascade_stripe_is_busy(c, st->unit - 1, false);
}

/*
 * The order decides that no hold is forgotten: first held, then noted at the row
 * before. If that one ended in between, nobody will end the hold: so it ends here.
 */
static void hold(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	u64 unit = st->unit;

	cascade_stripe_hold(st);
	if (!cascade_stripe_is_busy(c, unit - 1, true))
		cascade_stripe_release(c, unit, false);
}

static bool plug(struct cascade_row *st, blk_plug_cb_fn unplug)
{
	struct cascade_plug *plug;
	struct blk_plug_cb *cb;

	cb = blk_check_plugged(unplug, cascade_row_instance(st), sizeof(*plug));
	if (!cb)
		return false;
	plug = container_of(cb, struct cascade_plug, cb);
	if (!plug->rows.next)
		INIT_LIST_HEAD(&plug->rows);
	list_add_tail(&st->node, &plug->rows);
	return true;
}

/* Else the request ended the hold of a row, whose batch others began. */
static bool begins_batch(const struct cascade_row *st, const struct cascade_io *io)
{
	return list_first_entry(&st->batch, struct cascade_io, node) == io;
}

bool cascade_gather_defer(struct cascade *c, struct cascade_io *io,
			  const struct cascade_stream *stream, struct cascade_row *st,
			  blk_plug_cb_fn unplug)
{
	bool waits = false, joins = !st || stream->whole;

	if (!stream->writes)
		return false;
	if (st && !stream->whole && begins_batch(st, io)) {
		joins = stream->follows && row_before_is_busy(st);
		st->follows = joins;
		waits = plug(st, unplug);
		if (!waits && joins) {
			hold(st);
			waits = true;
		}
	}
	WRITE_ONCE(*entry_of(c, stream->end),
		   stream->end.s |
		   (stream->more && !(stream->follows && joins) ? STREAM_ALONE : 0));
	return waits;
}

struct cascade_row *cascade_gather_unplug(struct blk_plug_cb *cb)
{
	struct cascade_plug *plug = container_of(cb, struct cascade_plug, cb);
	struct cascade_row *st;

	while (!list_empty(&plug->rows)) {
		st = list_first_entry(&plug->rows, struct cascade_row, node);
		list_del_init(&st->node);
		if (!st->follows || cascade_stripe_is_whole(st) || !row_before_is_busy(st))
			return st;
		/*
		 * Whoever ends the hold may end the last request of a table that is being
		 * replaced; it is not destroyed before this, which may come after map.
		 */
		rcu_read_lock();
		hold(st);
		rcu_read_unlock();
	}
	kfree(plug);
	return NULL;
}
