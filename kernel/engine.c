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
 * that answers while it is asked, by the shard's worker if it is an interrupt. The end alone is done wherever the last
 * write ends.
 */
#include <linux/highmem.h>

#include "engine.h"
#include "member.h"
#include "meta.h"
#include "stripe.h"
#include "xorops.h"

/* A part of a request that lies in one chunk. */
struct piece {
	struct cascade_cell *cell;
	u32 first;	/* sector of the unit */
	u32 nr_sectors;
};

static inline struct cascade *row_instance(const struct cascade_row *st)
{
	return st->shard->c;
}

static inline unsigned int nr_blocks(const struct cascade *c)
{
	return c->unit_sectors / CASCADE_BLOCK_SECTORS;
}

/* Cuts the next piece off a request at sector *sect with *left sectors. */
static void next_piece(struct cascade_row *st, lsect_t *sect, u32 *left, struct piece *piece)
{
	struct cascade_loc loc;

	cascade_geo_map(&row_instance(st)->geo, *sect, &loc);
	piece->cell = &st->cells[loc.slot];
	piece->first = loc.sect.s - st->start.s;
	piece->nr_sectors = min(*left, loc.left_sectors);
	sect->s += piece->nr_sectors;
	*left -= piece->nr_sectors;
}

static inline u16 block_mask(u32 first_block, u32 end_block)
{
	return (u16)((1u << end_block) - (1u << first_block));
}

/* Blocks that a piece touches, and those that it covers. */
static void piece_masks(const struct piece *piece, u16 *touched, u16 *covered)
{
	u32 end = piece->first + piece->nr_sectors;
	u32 first_whole = DIV_ROUND_UP(piece->first, CASCADE_BLOCK_SECTORS);
	u32 end_whole = end / CASCADE_BLOCK_SECTORS;

	*touched = block_mask(piece->first / CASCADE_BLOCK_SECTORS,
			      DIV_ROUND_UP(end, CASCADE_BLOCK_SECTORS));
	*covered = first_whole < end_whole ? block_mask(first_whole, end_whole) : 0;
}

static void begin_io(struct cascade_row *st, struct cascade_io *io)
{
	struct bio *bio = cascade_io_bio(io);
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	bool write = op_is_write(bio_op(bio));
	lsect_t sect = io->sect;
	struct piece piece;

	if (write) {
		st->writes = true;
		st->opf |= bio->bi_opf & (REQ_FUA | REQ_SYNC | REQ_IDLE);
	}
	while (left) {
		u16 touched, covered;

		next_piece(st, &sect, &left, &piece);
		piece_masks(&piece, &touched, &covered);
		st->touched |= touched;
		if (write) {
			piece.cell->full |= covered;
			piece.cell->part |= touched & ~covered;
		} else {
			piece.cell->want |= touched;
		}
	}
}

static void begin_batch(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	struct cascade_io *io;
	slot_t s;

	st->touched = 0;
	st->resync = false;
	st->writes = false;
	st->repairs = false;
	st->opf = 0;
	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		cell->full = 0;
		cell->part = 0;
		cell->want = 0;
		cell->bad = 0;
		cell->single = false;
		cell->retried = false;
	}
	cascade_stripe_join(st);
	list_for_each_entry(io, &st->batch, node) {
		if (io->kind == CASCADE_IO_RESYNC) {
			st->resync = true;
			st->touched = block_mask(0, nr_blocks(c));
		} else {
			begin_io(st, io);
		}
	}
	for (s = 0; s < c->geo.nr_members; s++)
		st->cells[s].part &= ~st->cells[s].full;
}

static enum cascade_parity_use parity_use(const struct cascade_row *st)
{
	struct cascade *c = row_instance(st);

	if (st->start.s + c->unit_sectors <= READ_ONCE(c->sb.synced_sectors))
		return CASCADE_PARITY_TRUSTED;
	if (READ_ONCE(c->sb.flags) & CASCADE_SB_TORN && !READ_ONCE(c->out_mask))
		return CASCADE_PARITY_NEVER;
	return CASCADE_PARITY_LAST_RESORT;
}

static void column_of(const struct cascade_row *st, unsigned int b, u64 usable_mask,
		      struct cascade_column *col)
{
	unsigned int nr_members = row_instance(st)->geo.nr_members;
	u64 bad_mask = 0;
	slot_t s;

	memset(col, 0, sizeof(*col));
	for (s = 0; s < nr_members; s++) {
		const struct cascade_cell *cell = &st->cells[s];
		u64 bit = BIT_ULL(s);

		if (cell->full & BIT(b))
			col->full_mask |= bit;
		if (cell->part & BIT(b))
			col->part_mask |= bit;
		if (cell->want & BIT(b))
			col->want_mask |= bit;
		if (cell->valid & BIT(b))
			col->memory_mask |= bit;
		if (cell->bad & BIT(b))
			bad_mask |= bit;
	}
	col->data_mask = st->data_mask;
	col->parity_mask = GENMASK_ULL(nr_members - 1, 0) & ~st->data_mask;
	col->readable_mask = usable_mask & ~bad_mask;
	col->writable_mask = usable_mask;
	col->resync = st->resync;
	col->parity_use = parity_use(st);
}

/* Columns that differ from the one before them in what the plan asks. */
static u16 column_edges(const struct cascade_row *st)
{
	unsigned int nr_members = row_instance(st)->geo.nr_members;
	u32 edges = 1;
	slot_t s;

	if (is_power_of_2(st->touched))
		return st->touched | st->touched << 1;
	for (s = 0; s < nr_members; s++) {
		const struct cascade_cell *cell = &st->cells[s];

		edges |= (cell->full ^ (cell->full << 1)) | (cell->part ^ (cell->part << 1)) |
			 (cell->want ^ (cell->want << 1)) | (cell->valid ^ (cell->valid << 1)) |
			 (cell->bad ^ (cell->bad << 1));
	}
	return edges | (st->touched ^ (st->touched << 1));
}

static void apply_plan(struct cascade_row *st, const struct cascade_plan *plan, u16 columns)
{
	u64 rest;

	for (rest = plan->member_read_mask; rest; rest &= rest - 1)
		st->cells[__ffs64(rest)].to_read |= columns;
	for (rest = plan->rebuild_mask; rest; rest &= rest - 1)
		st->cells[__ffs64(rest)].rebuild |= columns;
	for (rest = plan->write_mask; rest; rest &= rest - 1)
		st->cells[__ffs64(rest)].to_write |= columns;
	if (plan->lost_mask)
		st->lost_reads |= columns;
	switch (plan->method) {
	case CASCADE_METHOD_FULL_ROW:
	case CASCADE_METHOD_RECONSTRUCT_WRITE:
		st->compute |= columns;
		break;
	case CASCADE_METHOD_READ_MODIFY_WRITE:
		st->modify |= columns;
		break;
	case CASCADE_METHOD_IMPOSSIBLE:
		st->lost_writes |= columns;
		break;
	case CASCADE_METHOD_NONE:
	case CASCADE_METHOD_DATA_ONLY:
		break;
	}
	if (plan->method != CASCADE_METHOD_FULL_ROW)
		st->keep = true;
}

static void plan_columns(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	u64 usable_mask = ~READ_ONCE(c->out_mask) & GENMASK_ULL(c->geo.nr_members - 1, 0);
	u32 edges = column_edges(st);
	unsigned int b, end;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		st->cells[s].rebuild = 0;
		st->cells[s].to_read = 0;
		st->cells[s].to_write = 0;
		st->cells[s].run = 0;
	}
	st->lost_reads = 0;
	st->lost_writes = 0;
	st->modify = 0;
	st->compute = 0;
	st->keep = false;
	for (b = 0; b < nr_blocks(c); b = end) {
		struct cascade_column col;
		struct cascade_plan plan;

		for (end = b + 1; end < nr_blocks(c) && !(edges & BIT(end)); end++)
			;
		if (!(st->touched & BIT(b)))
			continue;
		column_of(st, b, usable_mask, &col);
		cascade_plan_column(&col, &plan);
		apply_plan(st, &plan, block_mask(b, end));
	}
}

/* Returns false if the row has to wait for block memory. */
static bool plan_batch(struct cascade_row *st)
{
	unsigned int nr_members = row_instance(st)->geo.nr_members;
	u16 cur[CASCADE_MEMBERS_MAX], new[CASCADE_MEMBERS_MAX];
	slot_t s;

	plan_columns(st);
	for (s = 0; s < nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		cur[s] = cell->to_read | cell->rebuild;
		new[s] = cell->full | cell->part;
		if (!(st->data_mask & BIT_ULL(s)))
			cur[s] |= cell->to_write;
	}
	return cascade_stripe_alloc(st, cur, new);
}

static void count_batch(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	bool reads = false;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++)
		reads |= st->cells[s].to_read;
	if (!st->writes)
		return;
	if (st->modify)
		cascade_count(c, rmw);
	else if (st->compute && st->keep)
		cascade_count(c, rcw);
	else if (st->compute)
		cascade_count(c, full_rows);
	if (st->keep && !reads)
		cascade_count(c, stripe_hits);
}

/* One bio fewer on its way; true for whoever ended the last one. */
static inline bool bio_was_last(struct cascade_row *st)
{
	return atomic_dec_and_test(&st->inflight);
}

/*
 * Whether this is the submission of a bio that ended at once, as of a RAM disk:
 * what is submitted from here waits in the task's list until that is over, so the
 * row may be carried on in place, whatever the device below holds.
 */
static inline bool in_submission(void)
{
	return in_task() && current->bio_list && !irqs_disabled();
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

static void *block_to_write(const struct cascade_cell *cell, unsigned int b)
{
	return (cell->full | cell->part) & BIT(b) ? cell->new[b] : cell->cur[b];
}

static void submit_run(struct cascade_row *st, struct cascade_cell *cell, blk_opf_t opf)
{
	struct cascade *c = row_instance(st);
	struct bio *bio = cell->bio;
	u32 rest;

	bio_init(bio, c->members[cell->slot].bdev, bio->bi_inline_vecs, CASCADE_UNIT_BLOCKS, opf);
	cascade_member_remap(&c->members[cell->slot], bio,
			     msect(st->start.s + __ffs(cell->run) * CASCADE_BLOCK_SECTORS));
	for (rest = cell->run; rest; rest &= rest - 1) {
		unsigned int b = __ffs(rest);
		void *block = op_is_write(opf) ? block_to_write(cell, b) : cell->cur[b];

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
	struct cascade *c = row_instance(st);
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
	atomic_set(&st->inflight, nr + 1);
	for (s = 0; s < c->geo.nr_members; s++) {
		if (!st->cells[s].run)
			continue;
		if (write)
			cascade_count(c, member_writes);
		else
			cascade_count(c, member_reads);
		submit_run(st, &st->cells[s], opf);
	}
	return bio_was_last(st);
}

static bool anything_left(const struct cascade_row *st, bool write)
{
	slot_t s;

	for (s = 0; s < row_instance(st)->geo.nr_members; s++)
		if (write ? st->cells[s].to_write : st->cells[s].to_read)
			return true;
	return false;
}

/*
 * Takes in what came back. Returns true if a block turned out bad: the plan has
 * to be made again. A run that failed is read again block by block first.
 */
static bool absorb_reads(struct cascade_row *st)
{
	bool again = false;
	slot_t s;

	for (s = 0; s < row_instance(st)->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (!cell->run)
			continue;
		if (likely(!cell->error)) {
			cell->valid |= cell->run;
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

/* The sum of all other blocks of a column. */
static void rebuild_block(struct cascade_row *st, slot_t slot, unsigned int b)
{
	void *src[CASCADE_MEMBERS_MAX];
	unsigned int nr = 0;
	slot_t s;

	for (s = 0; s < row_instance(st)->geo.nr_members; s++)
		if (s != slot)
			src[nr++] = st->cells[s].cur[b];
	cascade_xorops_sum(st->cells[slot].cur[b], src, nr);
	st->cells[slot].valid |= BIT(b);
}

static void rebuild_blocks(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];
		u32 rest;

		for (rest = cell->rebuild & ~cell->valid; rest; rest &= rest - 1)
			rebuild_block(st, s, __ffs(rest));
		/* A bad sector is repaired by writing what belongs there. */
		if (unlikely(cell->bad) && cascade_member_usable(c, s) &&
		    !(c->args & CASCADE_ARG_READ_ONLY)) {
			cell->to_write |= cell->bad & cell->valid;
			st->repairs = true;
		}
	}
}

static void copy_segment(struct bio *bio, struct bvec_iter *iter, void *block, u32 nr_bytes,
			 bool to_bio)
{
	struct bio_vec bv = bio_iter_iovec(bio, *iter);
	void *mem = bvec_kmap_local(&bv);

	if (to_bio) {
		memcpy(mem, block, nr_bytes);
		flush_dcache_page(bv.bv_page);
	} else {
		memcpy(block, mem, nr_bytes);
	}
	kunmap_local(mem);
}

static void copy_piece(struct bio *bio, struct bvec_iter *iter, const struct piece *piece)
{
	bool to_bio = !op_is_write(bio_op(bio));
	u32 at = piece->first << SECTOR_SHIFT;
	u32 left = piece->nr_sectors << SECTOR_SHIFT;

	while (left) {
		u32 within = at & (CASCADE_BLOCK_BYTES - 1);
		u32 nr = min(left, CASCADE_BLOCK_BYTES - within);
		void **blocks = to_bio ? piece->cell->cur : piece->cell->new;
		void *block = blocks[at / CASCADE_BLOCK_BYTES] + within;

		if (unlikely(bio_op(bio) == REQ_OP_WRITE_ZEROES)) {
			memset(block, 0, nr);
		} else {
			nr = min(nr, bio_iter_len(bio, *iter));
			copy_segment(bio, iter, block, nr, to_bio);
			bio_advance_iter_single(bio, iter, nr);
		}
		at += nr;
		left -= nr;
	}
}

static void copy_request(struct cascade_row *st, struct cascade_io *io)
{
	struct bio *bio = cascade_io_bio(io);
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	struct bvec_iter iter = io->iter;
	lsect_t sect = io->sect;
	struct piece piece;

	while (left) {
		next_piece(st, &sect, &left, &piece);
		copy_piece(bio, &iter, &piece);
	}
}

static bool io_touches(struct cascade_row *st, const struct cascade_io *io, u16 columns)
{
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	lsect_t sect = io->sect;
	struct piece piece;

	if (io->kind == CASCADE_IO_RESYNC)
		return columns;
	while (left) {
		u16 touched, covered;

		next_piece(st, &sect, &left, &piece);
		piece_masks(&piece, &touched, &covered);
		if (touched & columns)
			return true;
	}
	return false;
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
		if (unlikely(st->lost_reads) && io_touches(st, io, st->lost_reads))
			io->status = BLK_STS_IOERR;
		else
			copy_request(st, io);
		end_io(row_instance(st), io);
	}
}

static void copy_new_data(struct cascade_row *st)
{
	struct cascade_io *io;
	slot_t s;

	for (s = 0; s < row_instance(st)->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];
		u32 rest;

		for (rest = cell->part & ~st->lost_writes; rest; rest &= rest - 1) {
			unsigned int b = __ffs(rest);

			memcpy(cell->new[b], cell->cur[b], CASCADE_BLOCK_BYTES);
		}
	}
	list_for_each_entry(io, &st->batch, node)
		if (io->kind == CASCADE_IO_ROW)
			copy_request(st, io);
}

/* Old parity, and the difference of what is written. */
static void modify_parity(struct cascade_row *st, unsigned int b)
{
	void *src[2 * CASCADE_MEMBERS_MAX];
	unsigned int nr = 0;
	slot_t s;

	for (s = 0; s < row_instance(st)->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if ((cell->full | cell->part) & BIT(b)) {
			src[nr++] = cell->cur[b];
			src[nr++] = cell->new[b];
		}
	}
	cascade_xorops_add(st->cells[st->p_slot].cur[b], src, nr);
}

static void compute_parity(struct cascade_row *st, unsigned int b)
{
	void *src[CASCADE_MEMBERS_MAX];
	unsigned int nr = 0;
	u64 rest;

	for (rest = st->data_mask; rest; rest &= rest - 1)
		src[nr++] = block_to_write(&st->cells[__ffs64(rest)], b);
	cascade_xorops_sum(st->cells[st->p_slot].cur[b], src, nr);
	st->cells[st->p_slot].valid |= BIT(b);
}

static void compute(struct cascade_row *st)
{
	u32 rest;

	rebuild_blocks(st);
	answer_reads(st);
	if (st->writes)
		copy_new_data(st);
	for (rest = st->modify; rest; rest &= rest - 1)
		modify_parity(st, __ffs(rest));
	for (rest = st->compute; rest; rest &= rest - 1)
		compute_parity(st, __ffs(rest));
}

/* A write that failed is tried again once; then its member is out. */
static void absorb_writes(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		if (!cell->run || !cell->error) {
			if (unlikely(cell->bad & cell->run))
				this_cpu_add(c->stats->read_errors_fixed,
					     hweight16(cell->bad & cell->run));
			cell->run = 0;
			continue;
		}
		if (!cell->retried && cascade_member_usable(c, s)) {
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
	return st->opf & REQ_FUA && READ_ONCE(row_instance(st)->out_mask);
}

static bool submit_flushes(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
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
	struct cascade *c = row_instance(st);
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
	       cascade_meta_recorded(row_instance(st));
}

static void end_batch(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);
	struct cascade_io *io, *next;
	LIST_HEAD(ended);

	list_splice_init(&st->batch, &ended);
	if (unlikely(st->lost_writes))
		list_for_each_entry(io, &ended, node)
			if (io_touches(st, io, st->lost_writes))
				io->status = BLK_STS_IOERR;
	/* What failed in part is in an unknown state: nothing of it is kept. */
	cascade_stripe_settle(st, st->keep && !st->lost_writes);
	list_for_each_entry_safe(io, next, &ended, node)
		end_io(c, io);
}

static void carry_on(struct cascade_row *st)
{
	struct cascade *c = row_instance(st);

	for (;;) {
		switch (st->step) {
		case CASCADE_STEP_BEGIN:
			begin_batch(st);
			st->step = CASCADE_STEP_PLAN;
			fallthrough;
		case CASCADE_STEP_PLAN:
			if (!plan_batch(st))
				return;
			count_batch(st);
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
			compute(st);
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
	list_add_tail(&io->node, &c->failed_ios);
	spin_unlock_irqrestore(&c->io_lock, flags);
	queue_work(c->workqueue, &c->failed_work);
}

void cascade_engine_work(struct work_struct *work)
{
	struct cascade_shard *shard = container_of(work, struct cascade_shard, work);
	struct cascade_row *st;

	while ((st = cascade_stripe_next(shard)))
		carry_on(st);
}

void cascade_engine_submit(struct cascade *c, u64 unit, struct cascade_io *io)
{
	struct cascade_row *st = cascade_stripe_queue(c, unit, io);

	if (st)
		carry_on(st);
}
