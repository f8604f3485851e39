// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gathers sequential small writes into whole rows.
 */
#include <linux/hash.h>

#include "gather.h"

bool cascade_gather_follows(struct cascade *c, struct cascade_io *io)
{
	u64 *ends = c->stream_ends;
	u64 end = io->sect.s + (io->iter.bi_size >> SECTOR_SHIFT);
	struct bio *bio;
	bool follows;

	if (io->kind != CASCADE_IO_ROW)
		return false;
	bio = cascade_io_bio(io);
	if (!op_is_write(bio_op(bio)))
		return false;
	follows = READ_ONCE(ends[hash_64(io->sect.s, CASCADE_STREAM_BITS)]) == io->sect.s;
	WRITE_ONCE(ends[hash_64(end, CASCADE_STREAM_BITS)], end);
	return follows && !(bio->bi_opf & REQ_FUA);
}

/*
 * The order decides that no hold is forgotten: first held, then noted at the row
 * before. If that one ended in between, nobody will end the hold: so it ends here.
 */
bool cascade_gather_hold(struct cascade_row *st, struct cascade_io *io)
{
	u32 nr_sectors = io->iter.bi_size >> SECTOR_SHIFT;
	struct cascade *c = cascade_row_instance(st);
	u64 unit = st->unit;

	if (!unit || nr_sectors >= c->unit_sectors * c->geo.nr_data)
		return false;
	if (!cascade_stripe_is_busy(c, unit - 1, false))
		return false;
	cascade_stripe_hold(st, nr_sectors);
	if (!cascade_stripe_is_busy(c, unit - 1, true))
		cascade_stripe_release(c, unit);
	return true;
}
