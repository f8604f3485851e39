/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a ledger allows the sectors of an array to hold after a power cut.
 *
 * A write is durable when its FUA, or a flush that was issued after the write was
 * done, was acknowledged. Of the writes of a sector, those that were acknowledged
 * before a durable one was issued must not show any more; all others may, of writes
 * that were in flight together either. What the sector held before the round may
 * show as long as no durable write covers it.
 *
 * Without a journal, and with a member missing from the start, one thing more may
 * be lost: sectors of the missing member are computed from those in the same place
 * of the other members' chunks in the row and the parity there. Where one of those
 * had a write that was not durable, data and parity may be of different times; but
 * not if it was done before a write with FUA into the row was issued, since that is
 * acknowledged when all members have flushed.
 */
#ifndef POWER_LEDGER_H
#define POWER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "sector.h"

/* A left-symmetric RAID-5 array. */
struct array_shape {
	uint32_t nr_sectors;
	uint32_t chunk_sectors;
	uint32_t nr_members;
	int missing; /* slot, or -1 */
};

struct ledger_write {
	struct record record;
	uint32_t issued_at; /* position in the ledger, from 1 */
	uint32_t done_at;   /* 0: not acknowledged */
	bool durable;
};

struct ledger {
	struct array_shape shape;
	uint32_t round;
	struct ledger_write *writes; /* by seq, from 1; flushes leave holes */
	uint32_t nr_writes;	     /* the highest seq */
	uint32_t nr_acknowledged, nr_durable, nr_flushes, nr_in_flight;
	uint32_t *limit;	     /* of a sector: where its last durable write was issued */
	uint32_t *row_fua;	     /* of a row: where its last acknowledged FUA was issued */
	bool *unsettled;	     /* of a sector: has a write that may tear its column */
};

enum ledger_verdict {
	LEDGER_NEWEST,	/* the last write that was issued, or untouched */
	LEDGER_ALLOWED,	/* another one that may show */
	LEDGER_AT_RISK,	/* wrong, but the missing member's, computed from a torn column */
	LEDGER_OLD,	/* a write that must not show any more */
	LEDGER_FOREIGN,	/* nothing that was ever written there */
	LEDGER_NR_VERDICTS,
};

/*
 * Reads records until they end; what is cut short at the end was not received.
 * Returns NULL, or what is wrong with them.
 */
const char *ledger_read(struct ledger *l, const struct array_shape *shape, uint32_t round,
			const void *records, size_t nr_bytes);

void ledger_free(struct ledger *l);

/*
 * Judges one sector: what it holds, and what it held before the round. @seq is set
 * to the write of this round that it shows, 0 for what was there before.
 */
enum ledger_verdict ledger_judge(const struct ledger *l, uint32_t sector, const void *got,
				 const void *before, uint32_t *seq);

#endif /* POWER_LEDGER_H */
