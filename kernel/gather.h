/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gathers sequential small writes into whole rows before anything is read.
 *
 * A submitter that has a plug has more to say: rows that it opens wait until it
 * takes the plug out. So all that comes in one turn of writeback, or in a system
 * call of several bios, is seen at once, at any chunk.
 *
 * A write that goes on where another one ended, and that opens a row while the
 * row before is still being carried out, is held: its row begins when the batch of
 * the row before ends, or when it is whole and the stream opens the next. So rows go
 * out side by side, but the last, which gathers for as long as the members are busy
 * with the stream anyway.
 *
 * A writer that waits for each of its writes is never held. One write of several
 * rows is not a stream: the parts in which it comes are held only if its first part
 * found others of the stream on their way. Where chunks are larger than a row in
 * memory, rows of a stream do not become whole one after the other, and none is held.
 */
#ifndef CASCADE_GATHER_H
#define CASCADE_GATHER_H

#include "stripe.h"

/**
 * struct cascade_stream - What a request is to a stream of sequential writes.
 * @end: Logical sector after it.
 * @writes: It is a write.
 * @whole: It writes a whole row.
 * @more: The rest of its bio follows.
 * @follows: It goes on where another one ended, and may be held.
 */
struct cascade_stream {
	lsect_t end;
	bool writes;
	bool whole;
	bool more;
	bool follows;
};

/**
 * cascade_gather_look() - Find out whether a request goes on with a stream.
 * @c: Instance.
 * @io: Request that comes in.
 * @stream: Filled.
 *
 * Context: Any context.
 */
void cascade_gather_look(struct cascade *c, struct cascade_io *io, struct cascade_stream *stream);

/**
 * cascade_gather_defer() - Let a row wait for the rest of a stream, where that pays.
 * @c: Instance.
 * @io: Request; may have ended if @st is NULL.
 * @stream: What it is to a stream.
 * @st: The row that the request made busy, or ended the hold of; NULL if it was
 *	queued at one that is busy.
 * @unplug: What carries on the rows of a plug; gets them from cascade_gather_unplug().
 *
 * Notes where the request ends.
 *
 * Context: Any context; takes locks of shards, one after the other.
 * Return: True if the row waits, or was meanwhile carried on: it is not the caller's
 *	any more.
 */
bool cascade_gather_defer(struct cascade *c, struct cascade_io *io,
			  const struct cascade_stream *stream, struct cascade_row *st,
			  blk_plug_cb_fn unplug);

/**
 * cascade_gather_unplug() - Take a row out of a plug.
 * @cb: The plug; freed once it is empty.
 *
 * Context: Any context; takes locks of shards, one after the other.
 * Return: A row that the caller carries on, or NULL: none is left.
 */
struct cascade_row *cascade_gather_unplug(struct blk_plug_cb *cb);

#endif /* CASCADE_GATHER_H */
