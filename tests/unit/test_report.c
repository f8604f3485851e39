// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line: its order, which users' scripts rely on, stands here as text;
 * what is written is read back, and broken lines are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/report.h"
#include "seed.h"

/* Every field has a value of its own, so that none can stand in another's place. */
static void numbered(struct cascade_report *rep)
{
	memset(rep, 0, sizeof(*rep));
	rep->level = CASCADE_RAID6;
	rep->nr_members = 5;
	strcpy(rep->health, "AaD-A");
	rep->done_sectors = 900;
	rep->total_sectors = 1000;
	rep->sync_action = CASCADE_SYNC_RECOVER;
	rep->mismatch_blocks = 7;
	rep->journal = CASCADE_JOURNAL_OK;
	rep->cache_state = CASCADE_CACHE_WARMING;
	rep->reads = 1;
	rep->writes = 2;
	rep->full_rows = 3;
	rep->rmw = 4;
	rep->rcw = 5;
	rep->stripe_hits = 6;
	rep->member_reads = 7;
	rep->member_writes = 8;
	rep->intent_writes = 9;
	rep->dirty_regions = 10;
	rep->unwritten_regions = 11;
	rep->read_errors_fixed = 12;
	rep->lost_blocks = 13;
	rep->spares_idle = 14;
	rep->spares_total = 15;
	rep->cache_used = 16;
	rep->cache_total = 17;
	rep->cache_hits = 18;
	rep->cache_misses = 19;
	rep->cache_bypassed = 20;
	rep->cache_fills = 21;
	rep->cache_evictions = 22;
	rep->cache_errors = 23;
	rep->cache_old_data = 24;
	rep->cache_old_parity = 25;
	rep->cache_rescues = 18446744073709551615ULL;
}

#define NUMBERED \
	"raid6 5 AaD-A 900/1000 recover 7 28 reads 1 writes 2 full_rows 3 rmw 4 rcw 5 " \
	"stripe_hits 6 member_reads 7 member_writes 8 intent_writes 9 dirty_regions 10 " \
	"unwritten_regions 11 journal ok read_errors_fixed 12 lost_blocks 13 spares_idle 14 " \
	"spares_total 15 cache_state warming cache_used 16 cache_total 17 cache_hits 18 " \
	"cache_misses 19 cache_bypassed 20 cache_fills 21 cache_evictions 22 cache_errors 23 " \
	"cache_old_data 24 cache_old_parity 25 cache_rescues 18446744073709551615"

static const char numbered_text[] = NUMBERED;

static void line_is_written_in_the_published_order(void **state)
{
	struct cascade_report rep;
	char text[2048];

	(void)state;
	numbered(&rep);
	memset(text, 'x', sizeof(text));
	assert_int_equal(cascade_report_format(&rep, text, sizeof(text)), strlen(numbered_text));
	assert_string_equal(text, numbered_text);
}

static void line_is_read_into_the_same_fields(void **state)
{
	struct cascade_report rep, back;

	(void)state;
	numbered(&rep);
	memset(&back, 0xa5, sizeof(back));
	assert_int_equal(cascade_report_parse(&back, numbered_text), 0);
	assert_memory_equal(&rep, &back, sizeof(rep));
}

static void random_report(struct cascade_report *rep)
{
	static const enum cascade_level levels[] = {
		CASCADE_RAID0, CASCADE_RAID5, CASCADE_RAID6, CASCADE_RAID10,
	};
	u64 *counter;
	unsigned int i;

	memset(rep, 0, sizeof(*rep));
	rep->level = levels[seed_below(4)];
	rep->nr_members = 1 + seed_below(64);
	for (i = 0; i < rep->nr_members; i++)
		rep->health[i] = "AaD-"[seed_below(4)];
	rep->total_sectors = seed_next() >> seed_below(64);
	rep->done_sectors = rep->total_sectors ? seed_below(rep->total_sectors) : 0;
	rep->sync_action = seed_below(6);
	rep->mismatch_blocks = seed_next() >> seed_below(64);
	rep->journal = seed_below(4);
	rep->cache_state = seed_below(5);
	for (counter = &rep->reads; counter <= &rep->cache_rescues; counter++)
		*counter = seed_next() >> seed_below(64);
}

static void random_reports_survive_the_round_trip(void **state)
{
	struct cascade_report rep, back;
	unsigned int i;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < 5000; i++) {
		char text[2048];

		random_report(&rep);
		assert_true(cascade_report_format(&rep, text, sizeof(text)) < 1500);
		if (cascade_report_parse(&back, text))
			fail_msg("\"%s\": refused", text);
		assert_memory_equal(&rep, &back, sizeof(rep));
	}
}

static void text_that_does_not_fit_is_cut_off(void **state)
{
	struct cascade_report rep;
	size_t size;

	(void)state;
	numbered(&rep);
	for (size = 1; size <= sizeof(numbered_text) + 1; size++) {
		char *text = malloc(size);
		size_t whole = sizeof(numbered_text) - 1;

		assert_non_null(text);
		assert_int_equal(cascade_report_format(&rep, text, size),
				 size - 1 < whole ? size - 1 : whole);
		assert_int_equal(strncmp(text, numbered_text, size - 1), 0);
		free(text);
	}
	assert_int_equal(cascade_report_format(&rep, NULL, 0), 0);
}

#define NEWER "raid5 3 AAA 5/5 idle 0 4 later some-word writes 3 cache_old_dat 5 zz 1.5"

/* A newer module's pairs are skipped, an older one's absence is zero. */
static void unknown_keys_are_skipped_and_absent_ones_zero(void **state)
{
	struct cascade_report rep;

	(void)state;
	assert_int_equal(cascade_report_parse(&rep, NEWER), 0);
	assert_int_equal(rep.level, CASCADE_RAID5);
	assert_int_equal(rep.writes, 3);
	assert_int_equal(rep.reads, 0);
	assert_int_equal(rep.cache_old_data, 0);
	assert_int_equal(rep.journal, CASCADE_JOURNAL_NONE);
	assert_int_equal(rep.cache_state, CASCADE_CACHE_NONE);
	assert_int_equal(cascade_report_parse(&rep, "raid0 1 - 0/0 frozen 0 0"), 0);
	assert_int_equal(rep.sync_action, CASCADE_SYNC_FROZEN);
	assert_int_equal(cascade_report_parse(&rep, "  raid0  1 A 0/0  idle 0 1 reads  4\n  "), 0);
	assert_int_equal(rep.reads, 4);
}

static void broken_lines_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		" ",
		"raid5",
		"raid7 3 AAA 5/5 idle 0 0",
		"raid5raid5 3 AAA 5/5 idle 0 0",
		"raid5 0  5/5 idle 0 0",
		"raid5 3 AA 5/5 idle 0 0",
		"raid5 3 AAAA 5/5 idle 0 0",
		"raid5 3 AAB 5/5 idle 0 0",
		"raid5 x AAA 5/5 idle 0 0",
		"raid5 -3 AAA 5/5 idle 0 0",
		"raid0 65 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA 5/5 idle 0 0",
		"raid5 4294967299 AAA 5/5 idle 0 0",
		"raid5 3 AAA 5 idle 0 0",
		"raid5 3 AAA 5/ idle 0 0",
		"raid5 3 AAA /5 idle 0 0",
		"raid5 3 AAA / idle 0 0",
		"raid5 3 AAA 5/5/5 idle 0 0",
		"raid5 3 AAA 6/5 idle 0 0",
		"raid5 3 AAA 5/+5 idle 0 0",
		"raid5 3 AAA 5/18446744073709551616 idle 0 0",
		"raid5 3 AAA 5/5 lazy 0 0",
		"raid5 3 AAA 5/5 idl 0 0",
		"raid5 3 AAA 5/5 idler 0 0",
		"raid5 3 AAA 5/5 idle x 0",
		"raid5 3 AAA 5/5 idle 0",
		"raid5 3 AAA 5/5 idle 0 x",
		"raid5 3 AAA 5/5 idle 0 1",
		"raid5 3 AAA 5/5 idle 0 1 reads",
		"raid5 3 AAA 5/5 idle 0 2 reads 1",
		"raid5 3 AAA 5/5 idle 0 18446744073709551615 reads 1",
		"raid5 3 AAA 5/5 idle 0 18446744073709551616 reads 1",
		"raid5 3 AAA 5/5 idle 0 1 reads 1 writes 1",
		"raid5 3 AAA 5/5 idle 0 0 reads",
		"raid5 3 AAA 5/5 idle 0 1 reads one",
		"raid5 3 AAA 5/5 idle 0 1 reads 0x1",
		"raid5 3 AAA 5/5 idle 0 1 reads -1",
		"raid5 3 AAA 5/5 idle 0 1 reads 18446744073709551616",
		"raid5 3 AAA 5/5 idle 0 1 reads 99999999999999999999999",
		"raid5 3 AAA 5/5 idle 0 2 reads 1 reads 1",
		"raid5 3 AAA 5/5 idle 0 1 journal 1",
		"raid5 3 AAA 5/5 idle 0 1 journal okay",
		"raid5 3 AAA 5/5 idle 0 1 cache_state cold",
	};
	struct cascade_report rep;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (cascade_report_parse(&rep, wrong[i]) != -EINVAL)
			fail_msg("\"%s\": accepted", wrong[i]);
}

/* Cut off anywhere, a line is refused or, at a number's digits, still in its form. */
static void cut_lines_do_no_harm(void **state)
{
	struct cascade_report rep;
	size_t nr;

	(void)state;
	for (nr = 0; nr < sizeof(numbered_text) - 21; nr++) {
		char *text = malloc(nr + 1);

		assert_non_null(text);
		memcpy(text, numbered_text, nr);
		text[nr] = '\0';
		assert_int_equal(cascade_report_parse(&rep, text), -EINVAL);
		free(text);
	}
}

static void names_are_the_published_ones(void **state)
{
	static const char *const sync[] = { "idle", "resync", "recover", "check", "repair",
					    "frozen" };
	static const char *const journal[] = { "none", "ok", "replaying", "failed" };
	static const char *const cache[] = { "none", "warming", "ok", "degraded", "failed" };
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sync); i++)
		assert_string_equal(cascade_report_sync_name(i), sync[i]);
	for (i = 0; i < ARRAY_SIZE(journal); i++)
		assert_string_equal(cascade_report_journal_name(i), journal[i]);
	for (i = 0; i < ARRAY_SIZE(cache); i++)
		assert_string_equal(cascade_report_cache_name(i), cache[i]);
	assert_string_equal(cascade_report_sync_name(ARRAY_SIZE(sync)), "unknown");
	assert_string_equal(cascade_report_journal_name(~0u), "unknown");
	assert_string_equal(cascade_report_cache_name(ARRAY_SIZE(cache)), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_is_written_in_the_published_order),
		cmocka_unit_test(line_is_read_into_the_same_fields),
		cmocka_unit_test(random_reports_survive_the_round_trip),
		cmocka_unit_test(text_that_does_not_fit_is_cut_off),
		cmocka_unit_test(unknown_keys_are_skipped_and_absent_ones_zero),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(cut_lines_do_no_harm),
		cmocka_unit_test(names_are_the_published_ones),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
