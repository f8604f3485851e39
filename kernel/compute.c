// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a row computes. Data of requests is copied once, into the row's new blocks;
 * parity is made from that copy and it is the copy that is written: whoever owns
 * a request's pages may change them meanwhile.
 */
#include <linux/highmem.h>

#include "compute.h"
#include "member.h"
#include "xorops.h"

/* The sum of all other blocks of a column. */
static void rebuild_block(struct cascade_row *st, slot_t slot, unsigned int b)
{
	void *src[CASCADE_MEMBERS_MAX];
	unsigned int nr = 0;
	slot_t s;

	for (s = 0; s < cascade_row_instance(st)->geo.nr_members; s++)
		if (s != slot)
			src[nr++] = st->cells[s].cur[b];
	cascade_xorops_sum(st->cells[slot].cur[b], src, nr);
	st->cells[slot].valid |= BIT(b);
}

void cascade_compute_rebuild(struct cascade_row *st)
{
	struct cascade *c = cascade_row_instance(st);
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

static void copy_piece(struct bio *bio, struct bvec_iter *iter, const struct cascade_piece *piece)
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

void cascade_compute_copy(struct cascade_row *st, struct cascade_io *io)
{
	struct bio *bio = cascade_io_bio(io);
	u32 left = io->iter.bi_size >> SECTOR_SHIFT;
	struct bvec_iter iter = io->iter;
	lsect_t sect = io->sect;
	struct cascade_piece piece;

	while (left) {
		cascade_batch_next_piece(st, &sect, &left, &piece);
		copy_piece(bio, &iter, &piece);
	}
}

static void copy_new_data(struct cascade_row *st)
{
	struct cascade_io *io;
	slot_t s;

	for (s = 0; s < cascade_row_instance(st)->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];
		u32 rest;

		for (rest = cell->part & ~st->lost_writes; rest; rest &= rest - 1) {
			unsigned int b = __ffs(rest);

			memcpy(cell->new[b], cell->cur[b], CASCADE_BLOCK_BYTES);
		}
	}
	list_for_each_entry(io, &st->batch, node)
		if (io->kind == CASCADE_IO_ROW)
			cascade_compute_copy(st, io);
}

/* Old parity, and the difference of what is written. */
static void modify_parity(struct cascade_row *st, unsigned int b)
{
	void *src[2 * CASCADE_MEMBERS_MAX];
	unsigned int nr = 0;
	slot_t s;

	for (s = 0; s < cascade_row_instance(st)->geo.nr_members; s++) {
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
		src[nr++] = cascade_cell_block(&st->cells[__ffs64(rest)], b);
	cascade_xorops_sum(st->cells[st->p_slot].cur[b], src, nr);
	st->cells[st->p_slot].valid |= BIT(b);
}

void cascade_compute_writes(struct cascade_row *st)
{
	u16 written = 0;
	u32 rest;
	slot_t s;

	if (st->writes)
		copy_new_data(st);
	for (rest = st->modify; rest; rest &= rest - 1)
		modify_parity(st, __ffs(rest));
	for (rest = st->compute; rest; rest &= rest - 1)
		compute_parity(st, __ffs(rest));
	/* Parity that this batch does not bring up to date is stale from here on. */
	for (s = 0; s < cascade_row_instance(st)->geo.nr_members; s++)
		written |= st->cells[s].full | st->cells[s].part;
	st->cells[st->p_slot].valid &= ~written | st->modify | st->compute;
}
