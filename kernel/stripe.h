/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows in memory.
 *
 * A row (of up to 64 KiB a member) that is written, rebuilt or synced is
 * represented by a struct cascade_row; requests for it queue there, and one batch
 * of them at a time is carried out by the engine. Rows are hashed over shards;
 * each shard has its lock, its rows and its block memory, all allocated when the
 * table is made: nothing on the I/O path allocates.
 *
 * Block memory is taken all or nothing for a batch. A row that does not get what
 * it needs gives up all that it holds and queues at its shard, and so does one that
 * comes while others queue; a held row holds none. A shard's memory is enough for any
 * one row. So rows that hold memory wait for nothing but the members, and the queue
 * moves.
 *
 * When a batch is through, a row keeps the present blocks that it happens to
 * have; old data and parity found there need no read. An idle row may be evicted
 * at any time: it holds nothing that is not on the members.
 *
 *	idle ----> busy ----> idle		a request came; the batch is through
 *		    | ^
 *		    v |				not enough block memory; or waiting for
 *	    starved, held, plugged		more of a sequential write (gather.h)
 */
#ifndef CASCADE_STRIPE_H
#define CASCADE_STRIPE_H

#include "cascade.h"

/**
 * struct cascade_cell - One member's part of a row.
 * @bio: For one run of blocks at a time; with room for all of them.
 * @st: The row.
 * @cur: Present blocks.
 * @new: What the batch makes of them.
 * @has_cur: Blocks of @cur that there is memory for.
 * @has_new: Blocks of @new that there is memory for.
 * @valid: Blocks of @cur that hold what the member holds.
 * @full: Blocks that the batch overwrites whole.
 * @part: Blocks that it overwrites in part.
 * @want: Blocks that it reads.
 * @bad: Blocks that the member failed to read in this batch.
 * @rebuild: Blocks to compute from the others.
 * @lost: Blocks that are read and cannot be had.
 * @to_read: Blocks still to read.
 * @to_write: Blocks still to write.
 * @run: Blocks that @bio carries.
 * @slot: The member's place.
 * @single: A run failed: go on block by block to find out which.
 * @retried: A write failed once.
 * @error: Status of the run.
 */
struct cascade_cell {
	struct bio *bio;
	struct cascade_row *st;
	void *cur[CASCADE_UNIT_BLOCKS];
	void *new[CASCADE_UNIT_BLOCKS];
	u16 has_cur;
	u16 has_new;
	u16 valid;
	u16 full;
	u16 part;
	u16 want;
	u16 bad;
	u16 rebuild;
	u16 lost;
	u16 to_read;
	u16 to_write;
	u16 run;
	u8 slot;
	bool single;
	bool retried;
	blk_status_t error;
};

/** enum cascade_step - What a busy row does when it is carried on. */
enum cascade_step {
	CASCADE_STEP_BEGIN,	/* there is a batch to begin */
	CASCADE_STEP_PLAN,
	CASCADE_STEP_READ,	/* reads are on their way, or back */
	CASCADE_STEP_WRITE,
	CASCADE_STEP_FLUSH,
	CASCADE_STEP_RECORD,	/* a member's absence is being recorded */
};

/**
 * struct cascade_row - A row in memory.
 * @hash: In its shard's hash, unless it is free.
 * @node: In one of its shard's lists: free, idle, ready, starved; in a plug; in none
 *	if held.
 * @shard: Its shard.
 * @unit: Which row: sector of the members' data area in units.
 * @start: First sector of it.
 * @waiting: Requests for the next batch; under the shard's lock.
 * @batch: Requests that are carried out.
 * @inflight: Bios on their way, and one for whoever submits.
 * @step: What to do next.
 * @busy: Not idle; under the shard's lock.
 * @held: Its batch waits for more; under the shard's lock.
 * @follows: Its batch goes on with a stream of writes that is on its way.
 * @gathered_sectors: What came for it since it became busy; under the shard's lock.
 * @its_turn: It queued for block memory, and is to have it before those that come.
 * @next_held: The next row is held until this one's batch ends; under the shard's
 *	lock.
 * @resync: The batch makes parity right.
 * @failed: A bio of this step ended with an error.
 * @writes: The batch writes.
 * @did_read: The batch read from members.
 * @repairs: The batch writes blocks that could not be read.
 * @keep: What the batch leaves in memory may be of use.
 * @p_slot: Member with P.
 * @opf: Flags that the batch's writes carry on to the members.
 * @data_mask: Slots with data.
 * @touched: Columns of the batch.
 * @lost_reads: A block that is read is lost.
 * @lost_writes: Columns whose writes cannot be carried out.
 * @unsynced: Columns whose parity a resync could not make right.
 * @modify: Columns that are written by read-modify-write.
 * @compute: Columns whose parity is computed from all data.
 * @waiter: For the record of a member's absence.
 * @cells: One a member.
 */
struct cascade_row {
	struct hlist_node hash;
	struct list_head node;
	struct cascade_shard *shard;
	u64 unit;
	msect_t start;
	struct list_head waiting;
	struct list_head batch;
	atomic_t inflight;
	u8 step;
	bool busy;
	bool held;
	bool follows;
	u32 gathered_sectors;
	bool its_turn;
	bool next_held;
	bool resync;
	bool failed;
	bool writes;
	bool repairs;
	bool did_read;
	bool keep;
	u8 p_slot;
	blk_opf_t opf;
	u64 data_mask;
	bool lost_reads;
	u16 touched;
	u16 lost_writes;
	u16 unsynced;
	u16 modify;
	u16 compute;
	struct cascade_waiter waiter;
	struct cascade_cell cells[];
};

/**
 * struct cascade_shard - A share of the rows and of the block memory.
 * @lock: Protects all of it; taken with interrupts off.
 * @c: Instance.
 * @buckets: Hash by unit.
 * @nr_bucket_bits: log2 of their number.
 * @free: Rows without a unit.
 * @idle: Rows that nothing waits for, the longest unused first.
 * @ready: Busy rows to be carried on by @work.
 * @starved: Busy rows that wait for block memory.
 * @waiting: Requests that wait for a row.
 * @blocks: Free blocks, linked through their first word.
 * @nr_blocks: How many.
 * @work: Carries on @ready.
 * @nr_busy: Rows that are not idle.
 * @rows: All rows.
 * @nr_rows: How many.
 * @pages: Memory of the blocks.
 * @nr_pages: How many.
 */
struct cascade_shard {
	spinlock_t lock;	/* all fields */
	struct cascade *c;
	struct hlist_head *buckets;
	u8 nr_bucket_bits;
	struct list_head free;
	struct list_head idle;
	struct list_head ready;
	struct list_head starved;
	struct list_head waiting;
	void *blocks;
	unsigned int nr_blocks;
	struct work_struct work;
	unsigned int nr_busy;
	struct cascade_row **rows;
	unsigned int nr_rows;
	struct page **pages;
	unsigned int nr_pages;
} ____cacheline_aligned_in_smp;

/**
 * cascade_row_instance() - The instance that a row belongs to.
 * @st: Row.
 *
 * Return: Instance.
 */
static inline struct cascade *cascade_row_instance(const struct cascade_row *st)
{
	return st->shard->c;
}

/**
 * cascade_row_nr_blocks() - Columns of a row.
 * @c: Instance.
 *
 * Return: Blocks of each member that a row covers, 1 to CASCADE_UNIT_BLOCKS.
 */
static inline unsigned int cascade_row_nr_blocks(const struct cascade *c)
{
	return c->unit_sectors / CASCADE_BLOCK_SECTORS;
}

/**
 * cascade_cell_block() - A block as the batch leaves it.
 * @cell: Cell of a busy row.
 * @b: Block.
 *
 * Return: The new block if the batch overwrites it, else the present one.
 */
static inline void *cascade_cell_block(const struct cascade_cell *cell, unsigned int b)
{
	return (cell->full | cell->part) & BIT(b) ? cell->new[b] : cell->cur[b];
}

/**
 * cascade_stripe_init() - Allocate the rows of an instance.
 * @c: Instance with geometry; levels without parity have no rows.
 * @work: What carries on a shard's ready rows.
 *
 * Context: Process; allocates.
 * Return: 0 or -ENOMEM; cascade_stripe_exit() is called either way.
 */
int cascade_stripe_init(struct cascade *c, void (*work)(struct work_struct *work));

/**
 * cascade_stripe_exit() - Free the rows; all are idle.
 * @c: Instance.
 *
 * Context: Process.
 */
void cascade_stripe_exit(struct cascade *c);

/**
 * cascade_stripe_forget() - Wait until all rows are idle and drop what they hold.
 * @c: Instance that gets no requests any more.
 *
 * The requests of the last batches may have ended already. The members may change
 * behind the instance's back from here on.
 *
 * Context: Process.
 */
void cascade_stripe_forget(struct cascade *c);

/**
 * cascade_stripe_queue() - Queue a request at its row.
 * @c: Instance.
 * @unit: Row.
 * @io: Request; belongs to the row until the engine ends it.
 *
 * Context: Any context.
 * Return: The row if it is the caller's to carry out: it was idle, and the request
 *	is its batch; or it was held, and the request ends that. NULL if somebody else
 *	will.
 */
struct cascade_row *cascade_stripe_queue(struct cascade *c, u64 unit, struct cascade_io *io);

/**
 * cascade_stripe_join() - Add the requests that came meanwhile to a row's batch.
 * @st: Busy row whose batch has not begun.
 *
 * Context: Any context.
 */
void cascade_stripe_join(struct cascade_row *st);

/**
 * cascade_stripe_put_back() - Leave requests to a row's next batch.
 * @st: Busy row.
 * @ios: Requests that were in its batch, in their order; empty afterwards.
 *
 * Context: Any context.
 */
void cascade_stripe_put_back(struct cascade_row *st, struct list_head *ios);

/**
 * cascade_stripe_take_batch() - Move a row's waiting requests to its batch.
 * @st: Busy row whose batch has ended.
 *
 * Context: Any context.
 * Return: True; or false if none waits: the row is idle then, and not the
 *	caller's any more.
 */
bool cascade_stripe_take_batch(struct cascade_row *st);

/**
 * cascade_stripe_alloc() - Get block memory for a batch.
 * @st: Busy row; a present block it needs has a bit in @cur, a new one in @new,
 *	both one mask a cell; memory that it has already is not taken twice.
 * @cur: Masks of present blocks.
 * @new: Masks of new blocks.
 *
 * On failure the row has given up all its memory and is starved: it is carried
 * on, from its plan, when there is memory.
 *
 * Context: Any context.
 * Return: True if the row has what it needs.
 */
bool cascade_stripe_alloc(struct cascade_row *st, const u16 *cur, const u16 *new);

/**
 * cascade_stripe_settle() - New blocks become the present ones.
 * @st: Busy row whose batch has been written.
 * @keep: Whether the row keeps its present blocks.
 *
 * Context: Any context.
 */
void cascade_stripe_settle(struct cascade_row *st, bool keep);

/**
 * cascade_stripe_ready() - Have a busy row carried on by a worker.
 * @st: Row.
 *
 * Context: Any context.
 */
void cascade_stripe_ready(struct cascade_row *st);

/**
 * cascade_stripe_is_busy() - Whether a row is being carried out.
 * @c: Instance.
 * @unit: Row.
 * @next_held: If it is: end the hold of the next row when its batch ends.
 *
 * Context: Any context.
 * Return: True if it is.
 */
bool cascade_stripe_is_busy(struct cascade *c, u64 unit, bool next_held);

/**
 * cascade_stripe_hold() - Let a row's batch wait for more requests.
 * @st: Busy row whose batch has not begun.
 *
 * It waits until a request comes that does not wait, or cascade_stripe_release(). It
 * gives up its block memory, which others may need before any of these comes.
 *
 * Context: Any context.
 */
void cascade_stripe_hold(struct cascade_row *st);

/**
 * cascade_stripe_is_whole() - Whether all of a row seems to be written.
 * @st: Busy row whose batch has not begun.
 *
 * Context: Any context.
 * Return: True if requests for as much came. What is written twice counts twice.
 */
bool cascade_stripe_is_whole(const struct cascade_row *st);

/**
 * cascade_stripe_release() - Have a held row carried on by a worker.
 * @c: Instance.
 * @unit: Row; nothing happens if it is not held.
 * @if_whole: Nor if part of it is not written.
 *
 * Context: Any context.
 */
void cascade_stripe_release(struct cascade *c, u64 unit, bool if_whole);

/**
 * cascade_stripe_next() - Take a row that a worker is to carry on.
 * @shard: Shard.
 *
 * Context: Process.
 * Return: Row, or NULL.
 */
struct cascade_row *cascade_stripe_next(struct cascade_shard *shard);

#endif /* CASCADE_STRIPE_H */
