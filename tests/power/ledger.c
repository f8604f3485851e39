// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which writes may show after a power cut, by what was acknowledged before it.
 */
#include <stdlib.h>

#include "ledger.h"

static const char *take_write(struct ledger *l, const struct record *r, uint32_t at)
{
	struct ledger_write *w = &l->writes[r->seq];

	if (r->type == WRITE_ISSUED) {
		if (w->issued_at)
			return "a write was issued twice";
		if (!r->nr_sectors || r->sector >= l->shape.nr_sectors ||
		    r->nr_sectors > l->shape.nr_sectors - r->sector)
			return "a write is not within the array";
		w->record = *r;
		w->issued_at = at;
		if (r->seq > l->nr_writes)
			l->nr_writes = r->seq;
		l->nr_in_flight++;
		return NULL;
	}
	if (!w->issued_at || w->done_at)
		return "a write was acknowledged that was not in flight";
	w->done_at = at;
	w->durable = r->fua;
	l->nr_acknowledged++;
	l->nr_in_flight--;
	return NULL;
}

static void settle(struct ledger *l, uint32_t flush_issued_at)
{
	uint32_t seq;

	l->nr_flushes++;
	for (seq = 1; seq <= l->nr_writes; seq++)
		if (l->writes[seq].done_at && l->writes[seq].done_at < flush_issued_at)
			l->writes[seq].durable = true;
}

static uint32_t row_of(const struct array_shape *shape, uint32_t sector)
{
	return sector / (shape->chunk_sectors * (shape->nr_members - 1));
}

static void find_row_fua(struct ledger *l)
{
	uint32_t seq, row;

	for (seq = 1; seq <= l->nr_writes; seq++) {
		const struct ledger_write *w = &l->writes[seq];
		uint32_t end = w->record.sector + w->record.nr_sectors;

		if (!w->done_at || !w->record.fua)
			continue;
		row = row_of(&l->shape, w->record.sector);
		for (; row <= row_of(&l->shape, end - 1); row++)
			if (w->issued_at > l->row_fua[row])
				l->row_fua[row] = w->issued_at;
	}
}

static void spread(struct ledger *l)
{
	uint32_t seq, i;

	find_row_fua(l);
	for (seq = 1; seq <= l->nr_writes; seq++) {
		const struct ledger_write *w = &l->writes[seq];

		if (!w->issued_at)
			continue;
		l->nr_durable += w->durable;
		for (i = w->record.sector; i < w->record.sector + w->record.nr_sectors; i++) {
			if (w->durable && w->issued_at > l->limit[i])
				l->limit[i] = w->issued_at;
			if (!w->durable &&
			    (!w->done_at || w->done_at > l->row_fua[row_of(&l->shape, i)]))
				l->unsettled[i] = true;
		}
	}
}

const char *ledger_read(struct ledger *l, const struct array_shape *shape, uint32_t round,
			const void *records, size_t nr_bytes)
{
	uint32_t nr_records = nr_bytes / sizeof(struct record);
	uint32_t *flushes, at;
	const char *wrong = NULL;

	memset(l, 0, sizeof(*l));
	l->shape = *shape;
	l->round = round;
	l->writes = calloc(nr_records + 1, sizeof(*l->writes));
	l->limit = calloc(shape->nr_sectors, sizeof(*l->limit));
	l->row_fua = calloc(shape->nr_sectors, sizeof(*l->row_fua));
	l->unsettled = calloc(shape->nr_sectors, sizeof(*l->unsettled));
	flushes = calloc(nr_records + 1, sizeof(*flushes));
	if (!l->writes || !l->limit || !l->row_fua || !l->unsettled || !flushes)
		abort();

	for (at = 1; at <= nr_records && !wrong; at++) {
		struct record r;

		memcpy(&r, (const uint8_t *)records + (at - 1) * sizeof(r), sizeof(r));
		if (r.sum != record_sum(&r))
			wrong = "a record's sum is wrong";
		else if (r.type == NOTE)
			continue;
		else if (!r.seq || r.seq > nr_records)
			wrong = "a record's number is wrong";
		else if (r.type == WRITE_ISSUED || r.type == WRITE_DONE)
			wrong = take_write(l, &r, at);
		else if (r.type == FLUSH_ISSUED)
			flushes[r.seq] = at;
		else if (r.type != FLUSH_DONE || !flushes[r.seq])
			wrong = "a record is of no known type, or a flush that was not in flight";
		else
			settle(l, flushes[r.seq]);
	}
	free(flushes);
	if (!wrong)
		spread(l);
	return wrong;
}

void ledger_free(struct ledger *l)
{
	free(l->writes);
	free(l->limit);
	free(l->row_fua);
	free(l->unsettled);
}

/* Whether it is the missing member's, computed from others of which one had a write in flight. */
static bool at_risk(const struct ledger *l, uint32_t sector)
{
	uint32_t n = l->shape.nr_members, chunk_sectors = l->shape.chunk_sectors;
	uint32_t chunk = sector / chunk_sectors;
	uint32_t row = chunk / (n - 1), column = chunk % (n - 1), i;
	uint32_t parity = n - 1 - row % n;

	if ((int)((parity + 1 + column) % n) != l->shape.missing)
		return false;
	for (i = 0; i < n - 1; i++)
		if (i != column &&
		    l->unsettled[(row * (n - 1) + i) * chunk_sectors + sector % chunk_sectors])
			return true;
	return false;
}

static bool covers(const struct ledger_write *w, uint32_t sector)
{
	return w->issued_at && sector - w->record.sector < w->record.nr_sectors;
}

/* Whether it shows a write of this round, which is then the one it names. */
static bool shows(const struct ledger *l, uint32_t sector, const void *got, uint32_t *seq)
{
	struct sector_head head;
	uint8_t expected[SECTOR_BYTES];

	memcpy(&head, got, sizeof(head));
	if (head.magic != SECTOR_MAGIC || head.sector != sector || head.round != l->round ||
	    !head.seq || head.seq > l->nr_writes || !covers(&l->writes[head.seq], sector))
		return false;
	sector_fill(expected, sector, l->round, head.seq);
	*seq = head.seq;
	return !memcmp(got, expected, SECTOR_BYTES);
}

enum ledger_verdict ledger_judge(const struct ledger *l, uint32_t sector, const void *got,
				 const void *before, uint32_t *seq)
{
	enum ledger_verdict verdict;
	uint32_t newer;

	*seq = 0;
	if (shows(l, sector, got, seq)) {
		const struct ledger_write *w = &l->writes[*seq];

		verdict = LEDGER_ALLOWED;
		if (w->done_at && w->done_at < l->limit[sector])
			verdict = LEDGER_OLD;
	} else if (!memcmp(got, before, SECTOR_BYTES)) {
		verdict = l->limit[sector] ? LEDGER_OLD : LEDGER_ALLOWED;
	} else {
		verdict = LEDGER_FOREIGN;
	}
	if (verdict == LEDGER_ALLOWED) {
		for (newer = l->nr_writes; newer > *seq; newer--)
			if (covers(&l->writes[newer], sector))
				return LEDGER_ALLOWED;
		return LEDGER_NEWEST;
	}
	return at_risk(l, sector) ? LEDGER_AT_RISK : verdict;
}
