// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows in memory: shards, hash, block memory, waiting requests. Who waits for
 * what, and what ends each wait:
 *
 *	request for a busy row		the row's batch ends: it takes the next one
 *	request without a row		a row becomes idle
 *	row without block memory	another row's batch ends and frees blocks
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "stripe.h"

#define SHARDS_MAX 16u

static unsigned int row_memory_mib = 16;
module_param(row_memory_mib, uint, 0444);
MODULE_PARM_DESC(row_memory_mib, "Memory of an array for rows, in MiB (1 to 4096, default 16)");

static unsigned int row_blocks_max(const struct cascade *c)
{
	/* Present and new blocks of each member. */
	return 2 * c->geo.nr_members * (c->unit_sectors / CASCADE_BLOCK_SECTORS);
}

static struct cascade_shard *shard_of(struct cascade *c, u64 unit)
{
	return &c->shards[unit & (c->nr_shards - 1)];
}

static struct hlist_head *bucket_of(struct cascade_shard *shard, u64 unit)
{
	return &shard->buckets[hash_64(unit, shard->nr_bucket_bits)];
}

static void push_block_locked(struct cascade_shard *shard, void *block)
{
	*(void **)block = shard->blocks;
	shard->blocks = block;
	shard->nr_blocks++;
}

static void *pop_block_locked(struct cascade_shard *shard)
{
	void *block = shard->blocks;

	shard->blocks = *(void **)block;
	shard->nr_blocks--;
	return block;
}

static void drop_blocks_locked(struct cascade_shard *shard, void **blocks, u16 *has)
{
	unsigned int rest;

	for (rest = *has; rest; rest &= rest - 1)
		push_block_locked(shard, blocks[__ffs(rest)]);
	*has = 0;
}

/* Returns whether there were any. */
static bool drop_row_blocks_locked(struct cascade_row *st)
{
	struct cascade_shard *shard = st->shard;
	unsigned int nr_before = shard->nr_blocks;
	slot_t s;

	lockdep_assert_held(&shard->lock);
	for (s = 0; s < shard->c->geo.nr_members; s++) {
		struct cascade_cell *cell = &st->cells[s];

		drop_blocks_locked(shard, cell->cur, &cell->has_cur);
		drop_blocks_locked(shard, cell->new, &cell->has_new);
		cell->valid = 0;
	}
	return shard->nr_blocks != nr_before;
}

static void evict_locked(struct cascade_row *st)
{
	drop_row_blocks_locked(st);
	hlist_del_init(&st->hash);
	list_move(&st->node, &st->shard->free);
}

static struct cascade_row *find_locked(struct cascade_shard *shard, u64 unit)
{
	struct cascade_row *st;

	hlist_for_each_entry(st, bucket_of(shard, unit), hash)
		if (st->unit == unit)
			return st;
	return NULL;
}

static void place(struct cascade_row *st, u64 unit)
{
	struct cascade *c = st->shard->c;
	u64 row;

	st->unit = unit;
	st->start = msect(unit << c->unit_shift);
	row = st->start.s >> c->geo.chunk_shift;
	st->p_slot = cascade_geo_p_slot(&c->geo, row);
	st->data_mask = GENMASK_ULL(c->geo.nr_members - 1, 0) & ~BIT_ULL(st->p_slot);
	if (c->geo.nr_parity == 2)
		st->data_mask &= ~BIT_ULL(cascade_geo_q_slot(&c->geo, row));
}

/* A row for a unit that has none: a free one, or the longest idle one. */
static struct cascade_row *take_row_locked(struct cascade_shard *shard, u64 unit)
{
	struct cascade_row *st;

	if (list_empty(&shard->free)) {
		if (list_empty(&shard->idle))
			return NULL;
		evict_locked(list_first_entry(&shard->idle, struct cascade_row, node));
	}
	st = list_first_entry(&shard->free, struct cascade_row, node);
	place(st, unit);
	hlist_add_head(&st->hash, bucket_of(shard, unit));
	return st;
}

static bool is_plain_write(struct cascade_io *io)
{
	struct bio *bio;

	if (io->kind != CASCADE_IO_ROW)
		return false;
	bio = cascade_io_bio(io);
	return op_is_write(bio_op(bio)) && !(bio->bi_opf & REQ_FUA);
}

/* A request came for a held row. Returns true if it is one that does not wait. */
static bool ends_hold_locked(struct cascade_row *st, struct cascade_io *io)
{
	if (is_plain_write(io))
		return false;
	st->held = false;
	return true;
}

/* Returns the row if it is the caller's now: it was idle, or held until now. */
static struct cascade_row *queue_locked(struct cascade_shard *shard, u64 unit,
					struct cascade_io *io, bool *queued)
{
	struct cascade_row *st = find_locked(shard, unit);

	lockdep_assert_held(&shard->lock);
	if (!st)
		st = take_row_locked(shard, unit);
	*queued = st;
	if (!st)
		return NULL;
	if (st->busy) {
		list_add_tail(&io->node, &st->waiting);
		st->gathered_sectors += io->iter.bi_size >> SECTOR_SHIFT;
		return unlikely(st->held) && ends_hold_locked(st, io) ? st : NULL;
	}
	list_add_tail(&io->node, &st->batch);
	st->gathered_sectors = io->iter.bi_size >> SECTOR_SHIFT;
	st->busy = true;
	shard->nr_busy++;
	st->step = CASCADE_STEP_BEGIN;
	list_del_init(&st->node);
	return st;
}

struct cascade_row *cascade_stripe_queue(struct cascade *c, u64 unit, struct cascade_io *io)
{
	struct cascade_shard *shard = shard_of(c, unit);
	struct cascade_row *st;
	unsigned long flags;
	bool queued;

	io->unit = unit;
	spin_lock_irqsave(&shard->lock, flags);
	st = queue_locked(shard, unit, io, &queued);
	if (!queued)
		list_add_tail(&io->node, &shard->waiting);
	spin_unlock_irqrestore(&shard->lock, flags);
	return st;
}

static void ready_locked(struct cascade_row *st)
{
	list_add_tail(&st->node, &st->shard->ready);
	queue_work(st->shard->c->workqueue, &st->shard->work);
}

/* A row became idle: the requests that waited for one may have it. */
static void admit_waiting_locked(struct cascade_shard *shard)
{
	while (!list_empty(&shard->waiting)) {
		struct cascade_io *io = list_first_entry(&shard->waiting, struct cascade_io, node);
		struct cascade_row *st;
		bool queued;

		if (list_empty(&shard->free) && list_empty(&shard->idle) &&
		    !find_locked(shard, io->unit))
			return;
		list_del(&io->node);
		st = queue_locked(shard, io->unit, io, &queued);
		if (st)
			ready_locked(st);
	}
}

/* Blocks came free, or a row that may be evicted: one that waits may try again. */
static void wake_starved_locked(struct cascade_shard *shard)
{
	if (likely(list_empty(&shard->starved)))
		return;
	list_first_entry(&shard->starved, struct cascade_row, node)->its_turn = true;
	list_move_tail(shard->starved.next, &shard->ready);
	queue_work(shard->c->workqueue, &shard->work);
}

void cascade_stripe_join(struct cascade_row *st)
{
	unsigned long flags;

	if (list_empty_careful(&st->waiting))
		return;
	spin_lock_irqsave(&st->shard->lock, flags);
	list_splice_tail_init(&st->waiting, &st->batch);
	spin_unlock_irqrestore(&st->shard->lock, flags);
}

void cascade_stripe_put_back(struct cascade_row *st, struct list_head *ios)
{
	unsigned long flags;

	spin_lock_irqsave(&st->shard->lock, flags);
	list_splice_init(ios, &st->waiting);
	spin_unlock_irqrestore(&st->shard->lock, flags);
}

bool cascade_stripe_take_batch(struct cascade_row *st)
{
	struct cascade_shard *shard = st->shard;
	struct cascade *c = shard->c;
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&shard->lock, flags);
	/* While the row is busy: until then nobody may take the instance away. */
	while (unlikely(st->next_held)) {
		st->next_held = false;
		spin_unlock_irqrestore(&shard->lock, flags);
		cascade_stripe_release(c, st->unit + 1, false);
		spin_lock_irqsave(&shard->lock, flags);
	}
	any = !list_empty(&st->waiting);
	if (any) {
		list_splice_tail_init(&st->waiting, &st->batch);
		st->step = CASCADE_STEP_BEGIN;
	} else {
		st->busy = false;
		list_add_tail(&st->node, &shard->idle);
		if (unlikely(!list_empty(&shard->waiting)))
			admit_waiting_locked(shard);
		wake_starved_locked(shard);
		/* Under the lock: who waits takes it before the shard may go. */
		if (!--shard->nr_busy && unlikely(waitqueue_active(&c->rows_idle)))
			wake_up(&c->rows_idle);
	}
	spin_unlock_irqrestore(&shard->lock, flags);
	return any;
}

static void fill_lacking_locked(struct cascade_shard *shard, void **blocks, u16 *has, u16 mask)
{
	unsigned int rest;

	for (rest = mask & ~*has; rest; rest &= rest - 1)
		blocks[__ffs(rest)] = pop_block_locked(shard);
	*has |= mask;
}

static bool reserve_locked(struct cascade_shard *shard, unsigned int nr)
{
	while (shard->nr_blocks < nr) {
		if (list_empty(&shard->idle))
			return false;
		evict_locked(list_first_entry(&shard->idle, struct cascade_row, node));
	}
	return true;
}

bool cascade_stripe_alloc(struct cascade_row *st, const u16 *cur, const u16 *new)
{
	struct cascade_shard *shard = st->shard;
	unsigned int nr_members = shard->c->geo.nr_members;
	unsigned int nr = 0;
	unsigned long flags;
	bool enough;
	slot_t s;

	for (s = 0; s < nr_members; s++)
		nr += hweight16(cur[s] & ~st->cells[s].has_cur) +
		      hweight16(new[s] & ~st->cells[s].has_new);
	if (!nr) {
		st->its_turn = false;
		return true;
	}
	spin_lock_irqsave(&shard->lock, flags);
	enough = (st->its_turn || list_empty(&shard->starved)) && reserve_locked(shard, nr);
	if (enough) {
		for (s = 0; s < nr_members; s++) {
			struct cascade_cell *cell = &st->cells[s];

			fill_lacking_locked(shard, cell->cur, &cell->has_cur, cur[s]);
			fill_lacking_locked(shard, cell->new, &cell->has_new, new[s]);
		}
	} else {
		st->step = CASCADE_STEP_PLAN;
		/* What it gives up may be what another one lacks. */
		if (drop_row_blocks_locked(st))
			wake_starved_locked(shard);
		if (st->its_turn)
			list_add(&st->node, &shard->starved);
		else
			list_add_tail(&st->node, &shard->starved);
	}
	st->its_turn = false;
	spin_unlock_irqrestore(&shard->lock, flags);
	return enough;
}

static void settle_cell_locked(struct cascade_shard *shard, struct cascade_cell *cell)
{
	u16 written = cell->full | cell->part;
	unsigned int rest;

	for (rest = written; rest; rest &= rest - 1) {
		unsigned int b = __ffs(rest);

		if (cell->has_cur & BIT(b))
			push_block_locked(shard, cell->cur[b]);
		cell->cur[b] = cell->new[b];
	}
	cell->has_cur |= written;
	cell->has_new &= ~written;
	cell->valid |= written;
}

void cascade_stripe_settle(struct cascade_row *st, bool keep)
{
	struct cascade_shard *shard = st->shard;
	unsigned long flags;
	slot_t s;

	spin_lock_irqsave(&shard->lock, flags);
	if (keep) {
		for (s = 0; s < shard->c->geo.nr_members; s++)
			if (st->cells[s].full | st->cells[s].part)
				settle_cell_locked(shard, &st->cells[s]);
	} else {
		drop_row_blocks_locked(st);
	}
	wake_starved_locked(shard);
	spin_unlock_irqrestore(&shard->lock, flags);
}

bool cascade_stripe_is_busy(struct cascade *c, u64 unit, bool next_held)
{
	struct cascade_shard *shard = shard_of(c, unit);
	struct cascade_row *st;
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&shard->lock, flags);
	st = find_locked(shard, unit);
	busy = st && st->busy;
	if (busy && next_held)
		st->next_held = true;
	spin_unlock_irqrestore(&shard->lock, flags);
	return busy;
}

bool cascade_stripe_is_whole(const struct cascade_row *st)
{
	const struct cascade *c = st->shard->c;

	return READ_ONCE(st->gathered_sectors) >= c->unit_sectors * c->geo.nr_data;
}

void cascade_stripe_hold(struct cascade_row *st)
{
	unsigned long flags;

	spin_lock_irqsave(&st->shard->lock, flags);
	st->held = true;
	if (drop_row_blocks_locked(st))
		wake_starved_locked(st->shard);
	spin_unlock_irqrestore(&st->shard->lock, flags);
}

void cascade_stripe_release(struct cascade *c, u64 unit, bool if_whole)
{
	struct cascade_shard *shard = shard_of(c, unit);
	struct cascade_row *st;
	unsigned long flags;

	spin_lock_irqsave(&shard->lock, flags);
	st = find_locked(shard, unit);
	if (st && st->held && (!if_whole || cascade_stripe_is_whole(st))) {
		st->held = false;
		ready_locked(st);
	}
	spin_unlock_irqrestore(&shard->lock, flags);
}

void cascade_stripe_ready(struct cascade_row *st)
{
	unsigned long flags;

	spin_lock_irqsave(&st->shard->lock, flags);
	ready_locked(st);
	spin_unlock_irqrestore(&st->shard->lock, flags);
}

struct cascade_row *cascade_stripe_next(struct cascade_shard *shard)
{
	struct cascade_row *st;
	unsigned long flags;

	spin_lock_irqsave(&shard->lock, flags);
	st = list_first_entry_or_null(&shard->ready, struct cascade_row, node);
	if (st)
		list_del_init(&st->node);
	spin_unlock_irqrestore(&shard->lock, flags);
	return st;
}

static bool all_idle(struct cascade_shard *shard)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&shard->lock, flags);
	idle = !shard->nr_busy;
	spin_unlock_irqrestore(&shard->lock, flags);
	return idle;
}

void cascade_stripe_forget(struct cascade *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_shards; i++) {
		struct cascade_shard *shard = &c->shards[i];
		unsigned long flags;

		wait_event(c->rows_idle, all_idle(shard));
		spin_lock_irqsave(&shard->lock, flags);
		while (!list_empty(&shard->idle))
			evict_locked(list_first_entry(&shard->idle, struct cascade_row, node));
		spin_unlock_irqrestore(&shard->lock, flags);
	}
}

static int init_blocks(struct cascade_shard *shard, unsigned int nr_blocks)
{
	unsigned int per_alloc = PAGE_SIZE / CASCADE_BLOCK_BYTES;
	unsigned int nr_allocs = DIV_ROUND_UP(nr_blocks, per_alloc);

	shard->pages = kvcalloc(nr_allocs, sizeof(*shard->pages), GFP_KERNEL);
	if (!shard->pages)
		return -ENOMEM;
	for (; shard->nr_pages < nr_allocs; shard->nr_pages++) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
		unsigned int b;

		if (!page)
			return -ENOMEM;
		shard->pages[shard->nr_pages] = page;
		for (b = per_alloc; b-- > 0;)
			push_block_locked(shard, page_address(page) + b * CASCADE_BLOCK_BYTES);
	}
	return 0;
}

static int init_rows(struct cascade_shard *shard, unsigned int nr_rows)
{
	struct cascade *c = shard->c;

	shard->rows = kvcalloc(nr_rows, sizeof(*shard->rows), GFP_KERNEL);
	if (!shard->rows)
		return -ENOMEM;
	for (; shard->nr_rows < nr_rows; shard->nr_rows++) {
		struct cascade_row *st;
		slot_t s;

		st = kvzalloc(struct_size(st, cells, c->geo.nr_members), GFP_KERNEL);
		if (!st)
			return -ENOMEM;
		st->shard = shard;
		INIT_HLIST_NODE(&st->hash);
		INIT_LIST_HEAD(&st->waiting);
		INIT_LIST_HEAD(&st->batch);
		shard->rows[shard->nr_rows] = st;
		list_add_tail(&st->node, &shard->free);
		for (s = 0; s < c->geo.nr_members; s++) {
			st->cells[s].st = st;
			st->cells[s].slot = s;
			st->cells[s].bio = bio_kmalloc(CASCADE_UNIT_BLOCKS, GFP_KERNEL);
			if (!st->cells[s].bio) {
				shard->nr_rows++;
				return -ENOMEM;
			}
		}
	}
	return 0;
}

static int init_shard(struct cascade_shard *shard, unsigned int nr_blocks, unsigned int nr_rows)
{
	int r;

	shard->nr_bucket_bits = ilog2(roundup_pow_of_two(nr_rows));
	shard->buckets = kvcalloc(1u << shard->nr_bucket_bits, sizeof(*shard->buckets), GFP_KERNEL);
	if (!shard->buckets)
		return -ENOMEM;
	r = init_blocks(shard, nr_blocks);
	return r ? r : init_rows(shard, nr_rows);
}

int cascade_stripe_init(struct cascade *c, void (*work)(struct work_struct *work))
{
	unsigned int nr_blocks = clamp(row_memory_mib, 1u, 4096u) * (SZ_1M / CASCADE_BLOCK_BYTES);
	unsigned int nr_shards = SHARDS_MAX;
	unsigned int nr_rows, i;
	int r = 0;

	if (!c->geo.nr_parity)
		return 0;
	/* A shard must hold the largest batch of one row, and better four. */
	while (nr_shards > 1 && nr_blocks / nr_shards < 4 * row_blocks_max(c))
		nr_shards /= 2;
	nr_blocks = max(nr_blocks / nr_shards, row_blocks_max(c));
	nr_rows = max_t(unsigned int, 8, nr_blocks / (c->geo.nr_members + 2));

	c->shards = kvcalloc(nr_shards, sizeof(*c->shards), GFP_KERNEL);
	if (!c->shards)
		return -ENOMEM;
	c->nr_shards = nr_shards;
	for (i = 0; i < nr_shards; i++) {
		struct cascade_shard *shard = &c->shards[i];

		shard->c = c;
		spin_lock_init(&shard->lock);
		INIT_LIST_HEAD(&shard->free);
		INIT_LIST_HEAD(&shard->idle);
		INIT_LIST_HEAD(&shard->ready);
		INIT_LIST_HEAD(&shard->starved);
		INIT_LIST_HEAD(&shard->waiting);
		INIT_WORK(&shard->work, work);
		if (!r)
			r = init_shard(shard, nr_blocks, nr_rows);
	}
	return r;
}

static void free_row(struct cascade_row *st)
{
	slot_t s;

	for (s = 0; s < st->shard->c->geo.nr_members; s++)
		kfree(st->cells[s].bio);
	kvfree(st);
}

static void exit_shard(struct cascade_shard *shard)
{
	while (shard->nr_rows)
		free_row(shard->rows[--shard->nr_rows]);
	while (shard->nr_pages)
		__free_page(shard->pages[--shard->nr_pages]);
	kvfree(shard->rows);
	kvfree(shard->pages);
	kvfree(shard->buckets);
}

void cascade_stripe_exit(struct cascade *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_shards; i++) {
		cancel_work_sync(&c->shards[i].work);
		exit_shard(&c->shards[i]);
	}
	kvfree(c->shards);
	c->shards = NULL;
	c->nr_shards = 0;
}
