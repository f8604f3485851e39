// SPDX-License-Identifier: GPL-2.0-only
/*
 * The judge of power cuts: what each order of issued and acknowledged writes and
 * flushes allows a sector to show, and how narrow the excuse for a missing member is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../power/ledger.h"
#include "core/env.h"

#define ROUND 7u

/* Row 0: chunks of 8 sectors on members 0, 1, 2 and parity on 3; row 1: on 3, 0, 1. */
static const struct array_shape shape = {
	.nr_sectors = 96, .chunk_sectors = 8, .nr_members = 4, .missing = -1,
};

static uint8_t before[SECTOR_BYTES];

/*
 * Words: W<seq>,<sector>+<count> issued, with "!" at its end for FUA; w<seq> done;
 * F<seq> and f<seq> likewise.
 */
static size_t write_ledger(const char *text, struct record *records)
{
	static struct record issued[64];
	size_t nr = 0;
	int used;

	for (; *text; text += used) {
		struct record r = { 0 };
		unsigned int seq, sector = 0, count = 0;
		char type;

		assert_true(sscanf(text, " %c%u%n", &type, &seq, &used) == 2);
		r.type = type;
		r.seq = seq;
		if (type == 'W') {
			text += used;
			assert_true(sscanf(text, ",%u+%u%n", &sector, &count, &used) == 2);
			r.sector = sector;
			r.nr_sectors = count;
			r.fua = text[used] == '!';
			used += r.fua;
			issued[seq] = r;
		} else if (type == 'w') {
			r = issued[seq];
			r.type = type;
		}
		while (text[used] == ' ')
			used++;
		r.sum = record_sum(&r);
		records[nr++] = r;
	}
	return nr * sizeof(*records);
}

static void read_text(struct ledger *l, const struct array_shape *s, const char *text)
{
	struct record records[64];
	size_t nr_bytes = write_ledger(text, records);

	assert_null(ledger_read(l, s, ROUND, records, nr_bytes));
}

/* What a sector that shows a write, or 0 for what was before, is called. */
static enum ledger_verdict judged(const struct ledger *l, uint32_t sector, uint32_t shown)
{
	uint8_t got[SECTOR_BYTES];
	uint32_t seq;

	memcpy(got, before, sizeof(got));
	if (shown)
		sector_fill(got, sector, ROUND, shown);
	return ledger_judge(l, sector, got, before, &seq);
}

static void each_order_allows_what_it_must(void **state)
{
	/* Sector 5 is looked at; verdicts for what was before, write 1, write 2. */
	static const struct {
		const char *text;
		const char *verdicts;
	} rows[] = {
		{ "", "nff" },
		{ "W1,5+1", "anf" },
		{ "W1,5+1 w1", "anf" },
		{ "W1,5+1 F3 w1 f3", "anf" },
		{ "W1,5+1 w1 F3", "anf" },
		{ "W1,5+1 w1 F3 f3", "onf" },
		{ "W1,5+1! w1", "onf" },
		{ "W1,5+1!", "anf" },
		{ "W1,4+3 w1 F3 f3 W2,0+8", "oan" },
		{ "W1,4+3 w1 F3 f3 W2,0+8 w2", "oan" },
		{ "W1,4+3 w1 W2,0+8 w2 F3 f3", "oon" },
		{ "W1,4+3 W2,0+8 w1 w2 F3 f3", "oan" },
		{ "W1,4+3 W2,0+8 w2 w1 F3 f3", "oan" },
		{ "W1,4+3 w1 W2,0+8 F3 f3 w2", "oan" },
		{ "W1,4+3 W2,0+8! w2", "oan" },
		{ "W1,4+3 w1 W2,0+8! w2", "oon" },
		{ "W1,4+3 w1 W2,6+1 w2 F3 f3", "onf" },
	};
	size_t i;
	uint32_t shown;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ledger l;
		char got[4] = "";

		read_text(&l, &shape, rows[i].text);
		for (shown = 0; shown < 3; shown++)
			got[shown] = "narof"[judged(&l, 5, shown)];
		if (strcmp(got, rows[i].verdicts))
			fail_msg("%s: expected %s, got %s", rows[i].text, rows[i].verdicts, got);
		ledger_free(&l);
	}
}

static void what_was_never_written_there_is_foreign(void **state)
{
	uint8_t got[SECTOR_BYTES];
	struct ledger l;
	uint32_t seq;

	(void)state;
	read_text(&l, &shape, "W1,0+8 w1");
	sector_fill(got, 4, ROUND, 1);
	assert_int_equal(ledger_judge(&l, 5, got, before, &seq), LEDGER_FOREIGN);
	sector_fill(got, 5, ROUND - 1, 1);
	assert_int_equal(ledger_judge(&l, 5, got, before, &seq), LEDGER_FOREIGN);
	sector_fill(got, 5, ROUND, 1);
	got[SECTOR_BYTES - 1] ^= 1;
	assert_int_equal(ledger_judge(&l, 5, got, before, &seq), LEDGER_FOREIGN);
	memset(got, 0xff, sizeof(got));
	assert_int_equal(ledger_judge(&l, 5, got, before, &seq), LEDGER_FOREIGN);
	ledger_free(&l);
}

/* Of the whole array: in the missing chunk, the places beside the write in flight. */
static void only_the_torn_column_of_a_missing_member_is_excused(void **state)
{
	static const struct {
		const char *text;
		int missing, from, nr;
	} rows[] = {
		{ "W1,2+3", 1, 10, 3 },
		{ "W1,2+3 w1", 1, 10, 3 },
		{ "W1,2+3 w1 F3 f3", 1, 0, 0 },
		{ "W1,2+3! w1", 1, 0, 0 },
		{ "W1,2+3 w1 W2,20+1! w2", 1, 0, 0 },
		{ "W1,2+3 w1 W2,20+1!", 1, 10, 3 },
		{ "W1,2+3 W2,20+1! w1 w2", 1, 10, 3 },
		{ "W1,2+3 w1 W2,40+1! w2", 1, 10, 3 },
		{ "W1,2+3", 0, 0, 0 },
		{ "W1,2+3", 2, 18, 3 },
		{ "W1,2+3", 3, 0, 0 },
		{ "W1,2+3", -1, 0, 0 },
		{ "W1,24+1", 0, 32, 1 },
		{ "W1,24+1", 2, 0, 0 },
		{ "W1,6+4", 2, 16, 2 },
	};
	uint8_t got[SECTOR_BYTES];
	size_t i;

	(void)state;
	memset(got, 0xff, sizeof(got));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct array_shape s = shape;
		struct ledger l;
		uint32_t sector, seq;

		s.missing = rows[i].missing;
		read_text(&l, &s, rows[i].text);
		for (sector = 0; sector < s.nr_sectors; sector++) {
			/* Written across two chunks: their places follow each other round. */
			uint32_t place = (sector - rows[i].from + 8) % 8;
			bool there = sector / 8 == (uint32_t)rows[i].from / 8;
			bool excused = there && place < (uint32_t)rows[i].nr;

			if (rows[i].text[2] == ',' && rows[i].text[3] == '6')
				excused = there && (sector % 8 < 2 || sector % 8 > 5);
			if ((ledger_judge(&l, sector, got, before, &seq) == LEDGER_AT_RISK) !=
			    excused)
				fail_msg("%s, missing %d: sector %u: expected %s", rows[i].text,
					 rows[i].missing, sector, excused ? "excused" : "foreign");
		}
		ledger_free(&l);
	}
}

static void ledger_is_read_up_to_where_it_was_cut(void **state)
{
	struct record records[64];
	size_t nr_bytes = write_ledger("W1,0+8 w1 F3 f3", records);
	struct ledger l;

	(void)state;
	assert_null(ledger_read(&l, &shape, ROUND, records, nr_bytes - 1));
	assert_int_equal(l.nr_acknowledged, 1);
	assert_int_equal(l.nr_durable, 0);
	ledger_free(&l);
	records[1].sector++;
	assert_non_null(ledger_read(&l, &shape, ROUND, records, nr_bytes));
	ledger_free(&l);
}

static void ledger_that_cannot_be_is_refused(void **state)
{
	static const char * const texts[] = { "w1", "W1,0+1 w1 w1", "W1,0+1 W1,0+1", "f1",
					      "W1,95+2", "W1,96+1", "W1,0+0", "W0,0+1", "x1" };
	struct record records[64];
	struct ledger l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!ledger_read(&l, &shape, ROUND, records, write_ledger(texts[i], records)))
			fail_msg("%s: expected to be refused", texts[i]);
		ledger_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_order_allows_what_it_must),
		cmocka_unit_test(what_was_never_written_there_is_foreign),
		cmocka_unit_test(only_the_torn_column_of_a_missing_member_is_excused),
		cmocka_unit_test(ledger_is_read_up_to_where_it_was_cut),
		cmocka_unit_test(ledger_that_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
