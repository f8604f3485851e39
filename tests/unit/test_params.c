// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table lines: each rule has a line that breaks it, and its own sentence; right
 * lines are understood, and what is written is read back as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/params.h"
#include "seed.h"

#define WORDS_MAX 400u
#define UUID "00112233-4455-6677-8899-aabbccddeeff"
#define NAME63 "n23456789-123456789-123456789-123456789-123456789-123456789-123"
#define MEMBERS64 \
	"m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15 m16 m17 m18 m19 m20 m21 m22 " \
	"m23 m24 m25 m26 m27 m28 m29 m30 m31 m32 m33 m34 m35 m36 m37 m38 m39 m40 m41 m42 m43 " \
	"m44 m45 m46 m47 m48 m49 m50 m51 m52 m53 m54 m55 m56 m57 m58 m59 m60 m61 m62 m63"
#define SPARES16 \
	"spare s0 spare s1 spare s2 spare s3 spare s4 spare s5 spare s6 spare s7 spare s8 " \
	"spare s9 spare s10 spare s11 spare s12 spare s13 spare s14 spare s15"
#define FILLED \
	"spare f cache g cache h cache_block 64 journal i force uuid " UUID " rebuild 4"
#define MUCH \
	"create name n assume_clean force spare d spare e cache f cache g cache_block 64 " \
	"cache_write update journal h"
#define MIXED \
	"cache_write invalidate no_journal cache x name n cache_block 0016 spare y create " \
	"force cache z assume_clean spare q"
#define ORDERED \
	"create name n assume_clean force spare y spare q cache x cache z cache_block 16 " \
	"cache_write invalidate no_journal"
#define CACHES8 "cache c0 cache c1 cache c2 cache c3 cache c4 cache c5 cache c6 cache c7"

struct words {
	unsigned int nr;
	char *list[WORDS_MAX];
	char text[8192];
};

/* Words are what blanks divide; an empty word is typed as "". */
static void split(struct words *w, const char *line)
{
	char *at = w->text;

	assert_true(strlen(line) < sizeof(w->text));
	strcpy(w->text, line);
	w->nr = 0;
	for (;;) {
		at += strspn(at, " ");
		if (!*at)
			return;
		assert_true(w->nr < WORDS_MAX);
		w->list[w->nr++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
		if (!strcmp(w->list[w->nr - 1], "\"\""))
			w->list[w->nr - 1][0] = '\0';
	}
}

/*
 * Lines that break one rule each. @rule is the sentence's first words, enough to
 * tell it from the others; lines with the same @rule break the same rule. @found
 * is the word that is handed back, NULL where one is missing.
 */
static const struct {
	const char *line;
	const char *rule;
	const char *found;
} wrong[] = {
	{ "", "level is missing", NULL },
	{ "raid1 128 2 a b 0", "level must be", "raid1" },
	{ "raid4 128 3 a b c 0", "level must be", "raid4" },
	{ "RAID5 128 3 a b c 0", "level must be", "RAID5" },
	{ "\"\" 128 3 a b c 0", "level must be", "" },
	{ "raid5", "chunk_sectors is missing", NULL },
	{ "raid5 64k 3 a b c 0", "chunk_sectors must be a decimal", "64k" },
	{ "raid5 +128 3 a b c 0", "chunk_sectors must be a decimal", "+128" },
	{ "raid5 -128 3 a b c 0", "chunk_sectors must be a decimal", "-128" },
	{ "raid5 0x80 3 a b c 0", "chunk_sectors must be a decimal", "0x80" },
	{ "raid5 128\n 3 a b c 0", "chunk_sectors must be a decimal", "128\n" },
	{ "raid5 \t128 3 a b c 0", "chunk_sectors must be a decimal", "\t128" },
	{ "raid5 \"\" 3 a b c 0", "chunk_sectors must be a decimal", "" },
	{ "raid5 4294967424 3 a b c 0", "chunk_sectors must be a decimal", "4294967424" },
	{ "raid5 18446744073709551744 3 a b c 0", "chunk_sectors must be a decimal",
	  "18446744073709551744" },
	{ "raid5 0 3 a b c 0", "chunk_sectors must be from", "0" },
	{ "raid5 4 3 a b c 0", "chunk_sectors must be from", "4" },
	{ "raid5 65536 3 a b c 0", "chunk_sectors must be from", "65536" },
	{ "raid5 4294967295 3 a b c 0", "chunk_sectors must be from", "4294967295" },
	{ "raid5 96 3 a b c 0", "chunk_sectors must be a power", "96" },
	{ "raid5 129 3 a b c 0", "chunk_sectors must be a power", "129" },
	{ "raid5 128", "#members is missing", NULL },
	{ "raid5 128 x a b c 0", "#members must be a decimal", "x" },
	{ "raid5 128 3.0 a b c 0", "#members must be a decimal", "3.0" },
	{ "raid5 128 65 a b c 0", "#members must be at most 64", "65" },
	{ "raid5 128 4294967295 a b c 0", "#members must be at most 64", "4294967295" },
	{ "raid0 128 0 0", "#members must be at least 1", "0" },
	{ "raid5 128 0 0", "#members must be at least 3", "0" },
	{ "raid5 128 2 a b 0", "#members must be at least 3", "2" },
	{ "raid6 128 3 a b c 0", "#members must be at least 4", "3" },
	{ "raid10 128 1 a 0", "#members must be at least 2", "1" },
	{ "raid5 128 3", "members are fewer", NULL },
	{ "raid5 128 3 a b", "members are fewer", NULL },
	{ "raid5 128 3 a \"\" c 0", "a member must be a device or -", "" },
	{ "raid5 128 3 a b a 0", "a member must be a device that is not named in another", "a" },
	{ "raid5 128 3 - a a 0", "a member must be a device that is not named in another", "a" },
	{ "raid5 128 3 - - - 0", "members must not all be missing", "-" },
	{ "raid0 128 1 - 0", "members must not all be missing", "-" },
	{ "raid5 128 3 a b c", "#optional_args is missing", NULL },
	{ "raid5 128 3 a b c d", "#optional_args must be a decimal", "d" },
	{ "raid5 128 3 a b c create", "#optional_args must be a decimal", "create" },
	{ "raid5 128 3 a b c -1", "#optional_args must be a decimal", "-1" },
	{ "raid5 128 3 a b c 1", "#optional_args is more", "1" },
	{ "raid5 128 3 a b c 4294967295 force", "#optional_args is more", "4294967295" },
	{ "raid5 128 3 a b c 3 cache d", "#optional_args is more", "3" },
	{ "raid5 128 3 a b c 0 force", "#optional_args is less", "0" },
	{ "raid5 128 3 a b c 1 cache d", "#optional_args is less", "1" },
	{ "raid5 128 3 a b c 1 fast", "optional arguments are", "fast" },
	{ "raid5 128 3 a b c 1 \"\"", "optional arguments are", "" },
	{ "raid5 128 3 a b c 1 Create", "optional arguments are", "Create" },
	{ "raid5 128 3 a b c 2 create 1", "optional arguments are", "1" },
	{ "raid5 128 3 a b c 2 create create", "create may", "create" },
	{ "raid5 128 3 a b c 2 create name", "name must be followed", NULL },
	{ "raid5 128 3 a b c 5 create name n name n", "name may", "name" },
	{ "raid5 128 3 a b c 3 create name -n", "name must be 1 to 63", "-n" },
	{ "raid5 128 3 a b c 3 create name a/b", "name must be 1 to 63", "a/b" },
	{ "raid5 128 3 a b c 3 create name \"\"", "name must be 1 to 63", "" },
	{ "raid5 128 3 a b c 3 create name " NAME63 "4", "name must be 1 to 63", NAME63 "4" },
	{ "raid5 128 3 a b c 2 name n", "name is accepted only", "name" },
	{ "raid5 128 3 a b c 3 create assume_clean assume_clean", "assume_clean may",
	  "assume_clean" },
	{ "raid5 128 3 a b c 1 assume_clean", "assume_clean is accepted only", "assume_clean" },
	{ "raid5 128 3 a b c 2 force force", "force may", "force" },
	{ "raid5 128 3 a b c 1 uuid", "uuid must be followed", NULL },
	{ "raid5 128 3 a b c 2 uuid 1234", "uuid must be hexadecimal", "1234" },
	{ "raid5 128 3 a b c 2 uuid " UUID "0", "uuid must be hexadecimal", UUID "0" },
	{ "raid5 128 3 a b c 4 uuid " UUID " uuid " UUID, "uuid may", "uuid" },
	{ "raid5 128 3 a b c 3 create uuid " UUID, "uuid is not accepted with create", "uuid" },
	{ "raid5 128 3 a b c 3 uuid " UUID " create", "uuid is not accepted with create", "uuid" },
	{ "raid5 128 3 a b c 1 rebuild", "rebuild must be followed by a slot", NULL },
	{ "raid5 128 3 a b c 2 rebuild a", "rebuild must be followed by a decimal", "a" },
	{ "raid5 128 3 a b c 2 rebuild -1", "rebuild must be followed by a decimal", "-1" },
	{ "raid5 128 3 a b c 2 rebuild 4294967296", "rebuild must be followed by a decimal",
	  "4294967296" },
	{ "raid5 128 3 a b c 2 rebuild 3", "rebuild must name a slot below", "3" },
	{ "raid5 128 3 a b c 2 rebuild 64", "rebuild must name a slot below", "64" },
	{ "raid5 128 3 a - c 2 rebuild 1", "rebuild must name a slot that holds", "1" },
	{ "raid6 128 4 a b c d 4 rebuild 1 rebuild 1", "rebuild must name a slot only once", "1" },
	{ "raid6 128 4 a b c d 4 rebuild 1 rebuild 01", "rebuild must name a slot only once",
	  "01" },
	{ "raid5 128 3 a b c 3 create rebuild 1", "rebuild is not accepted with create",
	  "rebuild" },
	{ "raid5 128 3 a b c 3 read_only rebuild 1", "rebuild is not accepted with read_only",
	  "rebuild" },
	{ "raid0 128 3 a b c 2 rebuild 1", "rebuild is not accepted at raid0", "rebuild" },
	{ "raid5 128 3 a b c 1 spare", "spare must be followed by a device", NULL },
	{ "raid5 128 3 a b c 2 spare -", "spare must be followed by a device, -", "-" },
	{ "raid5 128 3 a b c 2 spare \"\"", "spare must be followed by a device, -", "" },
	{ "raid5 128 3 a b c 2 spare b", "spare must be a device that", "b" },
	{ "raid5 128 3 a b c 4 spare d spare d", "spare must be a device that", "d" },
	{ "raid5 128 3 a b c 4 cache d spare d", "spare must be a device that", "d" },
	{ "raid5 128 3 a b c 4 journal d spare d", "spare must be a device that", "d" },
	{ "raid5 128 3 a b c 34 " SPARES16 " spare s16", "spare may", "s16" },
	{ "raid0 128 3 a b c 2 spare d", "spare is not accepted at raid0", "spare" },
	{ "raid5 128 3 a b c 1 cache", "cache must be followed by a device", NULL },
	{ "raid5 128 3 a b c 2 cache -", "cache must be followed by a device, -", "-" },
	{ "raid5 128 3 a b c 2 cache a", "cache must be a device that", "a" },
	{ "raid5 128 3 a b c 4 cache d cache d", "cache must be a device that", "d" },
	{ "raid5 128 3 a b c 4 spare d cache d", "cache must be a device that", "d" },
	{ "raid5 128 3 a b c 18 " CACHES8 " cache c8", "cache may", "c8" },
	{ "raid5 128 3 a b c 1 cache_block", "cache_block must be followed", NULL },
	{ "raid5 128 3 a b c 2 cache_block 64k", "cache_block must be a decimal", "64k" },
	{ "raid5 128 3 a b c 2 cache_block 0", "cache_block must be from", "0" },
	{ "raid5 128 3 a b c 2 cache_block 4", "cache_block must be from", "4" },
	{ "raid5 128 3 a b c 2 cache_block 4096", "cache_block must be from", "4096" },
	{ "raid5 128 3 a b c 2 cache_block 100", "cache_block must be a power", "100" },
	{ "raid5 128 3 a b c 6 cache d cache_block 8 cache_block 8", "cache_block may",
	  "cache_block" },
	{ "raid5 128 3 a b c 2 cache_block 8", "cache_block is accepted only", "cache_block" },
	{ "raid5 128 3 a b c 1 cache_write", "cache_write must be followed", NULL },
	{ "raid5 128 3 a b c 2 cache_write back", "cache_write must be update", "back" },
	{ "raid5 128 3 a b c 2 cache_write Update", "cache_write must be update", "Update" },
	{ "raid5 128 3 a b c 6 cache d cache_write update cache_write update", "cache_write may",
	  "cache_write" },
	{ "raid5 128 3 a b c 2 cache_write update", "cache_write is accepted only",
	  "cache_write" },
	{ "raid5 128 3 a b c 1 journal", "journal must be followed by a device", NULL },
	{ "raid5 128 3 a b c 2 journal -", "journal must be followed by a device, no_journal",
	  "-" },
	{ "raid5 128 3 a b c 2 journal c", "journal must be a device that", "c" },
	{ "raid5 128 3 a b c 4 cache d journal d", "journal must be a device that", "d" },
	{ "raid5 128 3 a b c 4 journal d journal e", "journal may", "journal" },
	{ "raid5 128 3 a b c 3 journal d no_journal", "journal and no_journal", "no_journal" },
	{ "raid5 128 3 a b c 3 no_journal journal d", "journal and no_journal", "no_journal" },
	{ "raid5 128 3 a b c 2 no_journal no_journal", "no_journal may", "no_journal" },
	{ "raid5 128 3 a b c 2 read_only read_only", "read_only may", "read_only" },
	{ "raid5 128 3 a b c 2 create read_only", "read_only is not accepted with create",
	  "read_only" },
	{ "raid0 128 3 a - c 1 create", "create accepts only as many", "-" },
	{ "raid5 128 3 a - - 1 create", "create accepts only as many", "-" },
	{ "raid6 128 5 a - - - b 1 create", "create accepts only as many", "-" },
	{ "raid10 128 4 a b - - 1 create", "create accepts only as many", "-" },
	{ "raid10 128 3 - b - 1 create", "create accepts only as many", "-" },
};

static bool same_word(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *error_of(const char *line, const char **found)
{
	static struct words w;
	struct cascade_params p;
	const char *error = NULL;
	int r;

	*found = "nothing";
	split(&w, line);
	r = cascade_params_parse(&p, w.nr, w.list, &error, found);
	if (!r)
		return NULL;
	assert_int_equal(r, -EINVAL);
	assert_non_null(error);
	return error;
}

static void wrong_lines_name_the_rule_and_the_word(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *found;
		const char *error = error_of(wrong[i].line, &found);

		if (!error)
			fail_msg("\"%s\": accepted, expected \"%s ...\"", wrong[i].line,
				 wrong[i].rule);
		if (strncmp(error, wrong[i].rule, strlen(wrong[i].rule)) ||
		    !same_word(found, wrong[i].found))
			fail_msg("\"%s\": \"%s\" (%s), expected \"%s ...\" (%s)", wrong[i].line,
				 error, found ? found : "none", wrong[i].rule,
				 wrong[i].found ? wrong[i].found : "none");
	}
}

/* Lines of one rule have one sentence, lines of two rules have two. */
static void rules_have_a_sentence_each(void **state)
{
	unsigned int i, j, rules = 0;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *found;
		const char *a = error_of(wrong[i].line, &found);
		bool first = true;

		for (j = 0; j < i; j++) {
			const char *b = error_of(wrong[j].line, &found);
			bool same = !strcmp(wrong[i].rule, wrong[j].rule);

			if (!strcmp(a, b) != same)
				fail_msg("\"%s\" and \"%s\": \"%s\" and \"%s\"", wrong[i].line,
					 wrong[j].line, a, b);
			first &= !same;
		}
		rules += first;
	}
	assert_true(rules >= 60);
}

static void sentences_are_written_as_others_are(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *found;
		const char *error = error_of(wrong[i].line, &found);
		size_t nr_chars = strlen(error);

		if (error[nr_chars - 1] == '.' || strchr(error, '\n') || strchr(error, '%') ||
		    (error[0] >= 'A' && error[0] <= 'Z'))
			fail_msg("\"%s\"", error);
	}
}

/* Right lines that come back as they are. */
static const char *const canonical[] = {
	"raid0 8 1 /dev/sda 0",
	"raid0 32768 2 8:0 8:16 0",
	"raid5 128 3 8:0 8:16 8:32 0",
	"raid5 128 3 - 8:16 8:32 0",
	"raid5 128 3 - - 8:32 0",
	"raid6 128 4 a b c d 0",
	"raid10 128 2 a b 0",
	"raid10 1024 5 a b c d e 0",
	"raid5 128 3 a b c 1 create",
	"raid5 128 3 a b - 1 create",
	"raid6 128 4 a - c - 1 create",
	"raid10 128 4 - b c - 1 create",
	"raid10 128 3 a - c 1 create",
	"raid5 128 3 a b c 3 create name n",
	"raid5 128 3 a b c 3 create name create",
	"raid5 128 3 a b c 3 create name " NAME63,
	"raid5 128 3 a b c 5 create name my-array_1.0 assume_clean force",
	"raid5 128 3 a b c 1 force",
	"raid5 128 3 a b c 2 uuid " UUID,
	"raid5 128 3 a b c 2 rebuild 0",
	"raid6 128 4 a b c d 4 rebuild 0 rebuild 3",
	"raid5 128 3 a b c 3 force rebuild 2",
	"raid5 128 3 a b c 2 spare d",
	"raid5 128 3 a b c 32 " SPARES16,
	"raid5 128 3 a b c 16 " CACHES8,
	"raid5 128 3 a b c 2 cache d",
	"raid5 128 3 a b c 4 cache d cache_block 8",
	"raid5 128 3 a b c 4 cache d cache_block 2048",
	"raid5 128 3 a b c 4 cache d cache_write invalidate",
	"raid5 128 3 a b c 4 cache d cache_write update",
	"raid5 128 3 a b c 2 journal d",
	"raid5 128 3 a b c 1 no_journal",
	"raid5 128 3 a b c 1 read_only",
	"raid5 128 3 a b c 3 uuid " UUID " read_only",
	"raid5 128 3 a b c 3 cache d no_journal",
	"raid5 128 3 spare cache journal 2 cache create",
	"raid0 128 2 a b 2 cache c",
	"raid5 128 3 a b c 19 " MUCH,
	"raid6 4096 64 " MEMBERS64 " 2 uuid " UUID,
};

static void right_lines_come_back_as_they_are(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(canonical); i++) {
		static struct words w;
		struct cascade_params p;
		const char *error, *found;
		char text[4096];
		int nr;

		split(&w, canonical[i]);
		if (cascade_params_parse(&p, w.nr, w.list, &error, &found))
			fail_msg("\"%s\": %s (%s)", canonical[i], error, found ? found : "none");
		memset(text, 'x', sizeof(text));
		nr = cascade_params_format(&p, text, sizeof(text));
		assert_int_equal(nr, strlen(canonical[i]));
		assert_string_equal(text, canonical[i]);
	}
}

static void arguments_may_stand_in_any_order(void **state)
{
	static struct words w;
	struct cascade_params p;
	const char *error, *found;
	char text[512];

	(void)state;
	split(&w, "raid5 0128 3 a - c 0018 " MIXED);
	assert_int_equal(cascade_params_parse(&p, w.nr, w.list, &error, &found), 0);
	assert_true(cascade_params_format(&p, text, sizeof(text)) > 0);
	assert_string_equal(text, "raid5 128 3 a - c 18 " ORDERED);
}

static void fields_hold_what_was_typed(void **state)
{
	static struct words w;
	struct cascade_params p;
	const char *error, *found;

	(void)state;
	split(&w, "raid6 256 5 a b - d e 15 " FILLED);
	assert_int_equal(cascade_params_parse(&p, w.nr, w.list, &error, &found), 0);
	assert_int_equal(p.level, CASCADE_RAID6);
	assert_int_equal(p.chunk_sectors, 256);
	assert_int_equal(p.nr_members, 5);
	assert_ptr_equal(p.members[0], w.list[3]);
	assert_null(p.members[2]);
	assert_ptr_equal(p.members[4], w.list[7]);
	assert_null(p.members[5]);
	assert_int_equal(p.flags, CASCADE_ARG_FORCE | CASCADE_ARG_UUID | CASCADE_ARG_CACHE_BLOCK);
	assert_null(p.name);
	assert_int_equal(p.uuid[15], 0xff);
	assert_int_equal(p.rebuild_mask, BIT_ULL(4));
	assert_int_equal(p.nr_spares, 1);
	assert_string_equal(p.spares[0], "f");
	assert_int_equal(p.nr_caches, 2);
	assert_string_equal(p.caches[1], "h");
	assert_int_equal(p.cache_block_sectors, 64);
	assert_int_equal(p.cache_write, CASCADE_CACHE_UPDATE);
	assert_string_equal(p.journal, "i");
}

static void defaults_hold_where_nothing_is_typed(void **state)
{
	static struct words w;
	struct cascade_params p;
	const char *error, *found;

	(void)state;
	split(&w, "raid10 64 2 a b 0");
	memset(&p, 0xa5, sizeof(p));
	assert_int_equal(cascade_params_parse(&p, w.nr, w.list, &error, &found), 0);
	assert_int_equal(p.flags, 0);
	assert_null(p.name);
	assert_int_equal(p.rebuild_mask, 0);
	assert_int_equal(p.nr_spares, 0);
	assert_int_equal(p.nr_caches, 0);
	assert_int_equal(p.cache_block_sectors, CASCADE_CACHE_BLOCK_DEFAULT);
	assert_int_equal(p.cache_write, CASCADE_CACHE_UPDATE);
	assert_null(p.journal);
}

/* Longest possible device numbers, everything that "table" can say. */
static void widest_line_fits_into_4096_bytes(void **state)
{
	static char names[88][24];
	struct cascade_params p, back;
	static struct words w;
	const char *error, *found;
	char text[4096], again[4096];
	unsigned int i, n = 0;

	(void)state;
	memset(&p, 0, sizeof(p));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		snprintf(names[i], sizeof(names[i]), "4095:10485%02u", i);
	p.level = CASCADE_RAID10;
	p.chunk_sectors = 32768;
	p.nr_members = 64;
	for (i = 0; i < 64; i++)
		p.members[i] = names[n++];
	p.nr_spares = 15;
	for (i = 0; i < p.nr_spares; i++)
		p.spares[i] = names[n++];
	p.nr_caches = 8;
	for (i = 0; i < p.nr_caches; i++)
		p.caches[i] = names[n++];
	p.flags = CASCADE_ARG_UUID | CASCADE_ARG_CACHE_BLOCK | CASCADE_ARG_CACHE_WRITE;
	memset(p.uuid, 0xee, sizeof(p.uuid));
	p.cache_block_sectors = 2048;
	p.cache_write = CASCADE_CACHE_INVALIDATE;
	p.journal = names[n++];
	assert_true(cascade_params_format(&p, text, sizeof(text)) > 64 * 13);
	split(&w, text);
	if (cascade_params_parse(&back, w.nr, w.list, &error, &found))
		fail_msg("%s (%s)", error, found ? found : "none");
	assert_true(cascade_params_format(&back, again, sizeof(again)) > 0);
	assert_string_equal(text, again);
}

/* Each size up to the one that fits: refused, and not a byte beyond it is touched. */
static void short_buffers_are_refused(void **state)
{
	const char *line = "raid5 128 3 8:0 - 8:32 6 uuid " UUID " cache 8:48 cache_block 64";
	static struct words w;
	struct cascade_params p;
	const char *error, *found;
	size_t size;

	(void)state;
	split(&w, line);
	assert_int_equal(cascade_params_parse(&p, w.nr, w.list, &error, &found), 0);
	for (size = 0; size <= strlen(line) + 1; size++) {
		char *text = malloc(size ? size : 1);
		int r;

		assert_non_null(text);
		r = cascade_params_format(&p, text, size);
		if (size <= strlen(line))
			assert_int_equal(r, -ENOSPC);
		else
			assert_int_equal(r, strlen(line));
		if (size)
			assert_true(strnlen(text, size) < size);
		free(text);
	}
}

/* Any flags, lists and numbers: what is written is what was meant. */
static void random_lines_survive_the_round_trip(void **state)
{
	static char names[100][8];
	unsigned int i, j;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		snprintf(names[i], sizeof(names[i]), "d%u", i);
	for (i = 0; i < 3000; i++) {
		static struct words w;
		struct cascade_params p, back;
		const char *error, *found;
		char text[4096], again[4096];
		unsigned int n = 0;

		memset(&p, 0, sizeof(p));
		p.level = seed_below(2) ? CASCADE_RAID6 : CASCADE_RAID10;
		p.chunk_sectors = 8u << seed_below(13);
		p.nr_members = 4 + seed_below(61);
		for (j = 0; j < p.nr_members; j++)
			if (j == 1 || j == 2 || seed_below(8))
				p.members[j] = names[n++];
		p.nr_spares = seed_below(17);
		for (j = 0; j < p.nr_spares; j++)
			p.spares[j] = names[n++];
		p.nr_caches = seed_below(9);
		for (j = 0; j < p.nr_caches; j++)
			p.caches[j] = names[n++];
		p.cache_block_sectors = CASCADE_CACHE_BLOCK_DEFAULT;
		if (p.nr_caches && seed_below(2)) {
			p.flags |= CASCADE_ARG_CACHE_BLOCK | CASCADE_ARG_CACHE_WRITE;
			p.cache_block_sectors = 8u << seed_below(9);
			p.cache_write = seed_below(2) ? CASCADE_CACHE_INVALIDATE :
							CASCADE_CACHE_UPDATE;
		}
		if (seed_below(2))
			p.journal = names[n++];
		else if (seed_below(2))
			p.flags |= CASCADE_ARG_NO_JOURNAL;
		if (seed_below(2)) {
			p.flags |= CASCADE_ARG_UUID;
			seed_fill(p.uuid, sizeof(p.uuid));
		}
		if (seed_below(2))
			p.flags |= CASCADE_ARG_FORCE;
		for (j = 0; j < p.nr_members; j++)
			if (p.members[j] && !seed_below(10))
				p.rebuild_mask |= BIT_ULL(j);
		assert_true(cascade_params_format(&p, text, sizeof(text)) > 0);
		split(&w, text);
		if (cascade_params_parse(&back, w.nr, w.list, &error, &found))
			fail_msg("\"%s\": %s (%s)", text, error, found ? found : "none");
		assert_true(cascade_params_format(&back, again, sizeof(again)) > 0);
		assert_string_equal(text, again);
		assert_int_equal(back.flags, p.flags);
		assert_int_equal(back.rebuild_mask, p.rebuild_mask);
		assert_int_equal(back.cache_block_sectors, p.cache_block_sectors);
		assert_memory_equal(back.uuid, p.uuid, sizeof(p.uuid));
	}
}

/* A line that is cut off anywhere is refused, not read beyond its end. */
static void cut_lines_are_refused(void **state)
{
	static struct words w;
	struct cascade_params p;
	const char *error, *found;
	unsigned int nr;

	(void)state;
	split(&w, "raid5 128 3 a b c 11 create name n spare d cache e cache_block 64 journal f");
	for (nr = 0; nr < w.nr; nr++) {
		char **list = malloc((nr ? nr : 1) * sizeof(*list));

		assert_non_null(list);
		memcpy(list, w.list, nr * sizeof(*list));
		assert_int_equal(cascade_params_parse(&p, nr, list, &error, &found), -EINVAL);
		free(list);
	}
	assert_int_equal(cascade_params_parse(&p, nr, w.list, &error, &found), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_lines_name_the_rule_and_the_word),
		cmocka_unit_test(rules_have_a_sentence_each),
		cmocka_unit_test(sentences_are_written_as_others_are),
		cmocka_unit_test(right_lines_come_back_as_they_are),
		cmocka_unit_test(arguments_may_stand_in_any_order),
		cmocka_unit_test(fields_hold_what_was_typed),
		cmocka_unit_test(defaults_hold_where_nothing_is_typed),
		cmocka_unit_test(widest_line_fits_into_4096_bytes),
		cmocka_unit_test(short_buffers_are_refused),
		cmocka_unit_test(random_lines_survive_the_round_trip),
		cmocka_unit_test(cut_lines_are_refused),
	};

	return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
