// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row's batch, from its requests to its plan: masks of blocks that are read,
 * written whole or written in part, one bit a column, one mask a member; then the
 * core's plan for each column, asked once for columns that follow each other and
 * are alike.
 */
#include "batch.h"

void cascade_batch_next_piece(struct cascade_row *st, lsect_t *sect, u32 *left,
			      struct cascade_piece *piece)
{
	struct cascade_loc loc;

	cascade_geo_map(&cascade_row_instance(st)->geo, *sect, &loc);
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
static void piece_masks(const struct cascade_piece *piece, u16 *touched, u16 *covered)
{
	u32 end = piece->first + piece->nr_sectors;
	u32 first_whole = DIV_ROUND_UP(piece->first, CASCADE_BLOCK_SECTORS);
	u32 end_whole = end / CASCADE_BLOCK_SECTORS;

	*touched = block_mask(piece->first / CASCADE_BLOCK_SECTORS,
			      DIV_ROUND_UP(end, CASCADE_BLOCK_SECTORS));
	*covered = first_whole < end_whole ? block_mask(first_whole, end_whole) : 0;
}

bool cascade_batch_touches(struct cascade_row *st, const struct cascade_io *io, u16 columns)
{
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	lsect_t sect = io->sect;
	struct cascade_piece piece;

	if (io->kind == CASCADE_IO_RESYNC)
		return columns;
	while (left) {
		u16 touched, covered;

		cascade_batch_next_piece(st, &sect, &left, &piece);
		piece_masks(&piece, &touched, &covered);
		if (touched & columns)
			return true;
	}
	return false;
}

bool cascade_batch_is_lost(struct cascade_row *st, const struct cascade_io *io)
{
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	lsect_t sect = io->sect;
	struct cascade_piece piece;

	while (left) {
		u16 touched, covered;

		cascade_batch_next_piece(st, &sect, &left, &piece);
		piece_masks(&piece, &touched, &covered);
		if (touched & piece.cell->lost)
			return true;
	}
	return false;
}

static void begin_io(struct cascade_row *st, struct cascade_io *io)
{
	struct bio *bio = cascade_io_bio(io);
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	bool write = op_is_write(bio_op(bio));
	lsect_t sect = io->sect;
	struct cascade_piece piece;

	if (write) {
		st->writes = true;
		st->opf |= bio->bi_opf & (REQ_FUA | REQ_SYNC | REQ_IDLE);
	}
	while (left) {
		u16 touched, covered;

		cascade_batch_next_piece(st, &sect, &left, &piece);
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

/* What the batch's requests ask of the row. */
static void begin(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	struct cascade_io *io;
	slot_t s;

	st->touched = 0;
	st->resync = false;
	st->writes = false;
	st->repairs = false;
	st->did_read = false;
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
	list_for_each_entry(io, &st->batch, node) {
		if (io->kind == CASCADE_IO_RESYNC) {
			st->resync = true;
			st->touched = block_mask(0, cascade_row_nr_blocks(c));
		} else {
			begin_io(st, io);
		}
	}
	for (s = 0; s < c->geo.nr_members; s++)
		st->cells[s].part &= ~st->cells[s].full;
}

void cascade_batch_begin(struct cascade_row *st)
{
	cascade_stripe_join(st);
	begin(st);
}

static bool is_write(struct cascade_io *io)
{
	return io->kind == CASCADE_IO_ROW && op_is_write(bio_op(cascade_io_bio(io)));
}

/*
 * What cannot be written together may still be, in part, one after the other: all
 * writes but the first are put back. Returns false if there is but one.
 */
static bool set_apart(struct cascade_row *st)
{
	struct cascade_io *io, *next;
	LIST_HEAD(others);
	bool first = true;

	list_for_each_entry_safe(io, next, &st->batch, node) {
		if (!is_write(io))
			continue;
		if (!first)
			list_move_tail(&io->node, &others);
		first = false;
	}
	if (list_empty(&others))
		return false;
	cascade_stripe_put_back(st, &others);
	return true;
}

static enum cascade_parity_use parity_use(const struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);

	if (st->start.s + c->unit_sectors <= READ_ONCE(c->sb.synced_sectors))
		return CASCADE_PARITY_TRUSTED;
	if (READ_ONCE(c->sb.flags) & CASCADE_SB_TORN && !READ_ONCE(c->out_mask))
		return CASCADE_PARITY_NEVER;
	return CASCADE_PARITY_LAST_RESORT;
}

static void column_of(const struct cascade_row *st, unsigned int b, u64 usable_mask,
		      struct cascade_column *col)
{
	unsigned int nr_members = cascade_row_instance(st)->geo.nr_members;
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
	unsigned int nr_members = cascade_row_instance(st)->geo.nr_members;
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
	for (rest = plan->lost_mask; rest; rest &= rest - 1)
		st->cells[__ffs64(rest)].lost |= columns;
	if (unlikely(plan->lost_mask))
		st->lost_reads = true;
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

/*
 * A write is about to leave its row's parity wrong: if the walker is at that row, it
 * has not made it right. Returns false if parity may be trusted by now.
 */
static bool may_spoil(const struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	unsigned long flags;
	bool may;

	spin_lock_irqsave(&c->state_lock, flags);
	may = parity_use(st) == CASCADE_PARITY_NEVER;
	if (may && st->start.s < c->resync.window_end)
		c->resync.spoilt = true;
	spin_unlock_irqrestore(&c->state_lock, flags);
	return may;
}

/* Columns that are alike: @b and those before @end. */
static void plan_alike(struct cascade_row *st, unsigned int b, unsigned int end, u64 usable_mask)
{
	struct cascade_column col;
	struct cascade_plan plan;

	column_of(st, b, usable_mask, &col);
	cascade_plan_column(&col, &plan);
	if (plan.method == CASCADE_METHOD_IMPOSSIBLE && col.resync) {
		/* That is the resync's trouble, not that of a write beside it. */
		st->unsynced |= block_mask(b, end);
		col.resync = false;
		cascade_plan_column(&col, &plan);
	}
	if (plan.method == CASCADE_METHOD_DATA_ONLY && col.parity_mask & usable_mask &&
	    !may_spoil(st)) {
		col.parity_use = parity_use(st);
		cascade_plan_column(&col, &plan);
	}
	apply_plan(st, &plan, block_mask(b, end));
}

static void plan_columns(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
	u64 usable_mask = ~READ_ONCE(c->out_mask) & GENMASK_ULL(c->geo.nr_members - 1, 0);
	u32 edges = column_edges(st);
	unsigned int b, end;
	slot_t s;

	for (s = 0; s < c->geo.nr_members; s++) {
		st->cells[s].rebuild = 0;
		st->cells[s].lost = 0;
		st->cells[s].to_read = 0;
		st->cells[s].to_write = 0;
		st->cells[s].run = 0;
	}
	st->lost_reads = false;
	st->lost_writes = 0;
	st->unsynced = 0;
	st->modify = 0;
	st->compute = 0;
	st->keep = false;
	for (b = 0; b < cascade_row_nr_blocks(c); b = end) {
		for (end = b + 1; end < cascade_row_nr_blocks(c) && !(edges & BIT(end)); end++)
			;
		if (st->touched & BIT(b))
			plan_alike(st, b, end, usable_mask);
	}
}

bool cascade_batch_plan(struct cascade_row *st)
{
	unsigned int nr_members = cascade_row_instance(st)->geo.nr_members;
	u16 cur[CASCADE_MEMBERS_MAX], new[CASCADE_MEMBERS_MAX];
	slot_t s;

	plan_columns(st);
	if (unlikely(st->lost_writes) && set_apart(st)) {
		begin(st);
		plan_columns(st);
	}
	for (s = 0; s < nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		cur[s] = cell->to_read | cell->rebuild;
		new[s] = cell->full | cell->part;
		if (!(st->data_mask & BIT_ULL(s)))
			cur[s] |= cell->to_write;
	}
	return cascade_stripe_alloc(st, cur, new);
}
