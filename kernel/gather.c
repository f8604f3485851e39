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

#include "gather.h"

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
	stream->nr_sectors = nr_sectors;
	stream->end = lsect(io->sect.s + nr_sectors);
	stream->whole = nr_sectors >= c->unit_sectors * c->geo.nr_data;
	stream->more = io->more;
	stream->follows = READ_ONCE(*entry_of(c, io->sect)) == io->sect.s &&
			  !(bio->bi_opf & REQ_FUA);
}

/*
 * The order decides that no hold is forgotten: first held, then noted at the row
 * before. If that one ended in between, nobody will end the hold: so it ends here.
 */
static bool hold(struct cascade_row *st, u32 nr_sectors)
{
	struct cascade *c = cascade_row_instance(st);
	u64 unit = st->unit;

	if (!unit || c->unit_sectors < c->geo.chunk_sectors)
		return false;
	cascade_stripe_release(c, unit - 1, true);
	if (!cascade_stripe_is_busy(c, unit - 1, false))
		return false;
	cascade_stripe_hold(st, nr_sectors);
	if (!cascade_stripe_is_busy(c, unit - 1, true))
		cascade_stripe_release(c, unit, false);
	return true;
}

/* Else the request ended the hold of a row, whose batch others began. */
static bool begins_batch(const struct cascade_row *st, const struct cascade_io *io)
{
	return list_first_entry(&st->batch, struct cascade_io, node) == io;
}

bool cascade_gather_hold(struct cascade *c, struct cascade_io *io,
			 const struct cascade_stream *stream, struct cascade_row *st)
{
	bool held, alone;

	if (!stream->writes)
		return false;
	held = st && stream->follows && !stream->whole && begins_batch(st, io) &&
	       hold(st, stream->nr_sectors);
	alone = stream->more && !(stream->follows && (stream->whole || !st || held));
	WRITE_ONCE(*entry_of(c, stream->end), stream->end.s | (alone ? STREAM_ALONE : 0));
	return held;
}
