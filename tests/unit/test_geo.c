// SPDX-License-Identifier: GPL-2.0-only
/*
 * Geometry against a model that is built the other way round: it deals the chunks
 * of an array out to a grid of rows and slots, cell by cell, as the layouts of the
 * stock kernel are described, and knows no division. Small arrays of every level
 * are compared cell by cell; some layouts stand here as literal tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/geo.h"
#include "seed.h"

#define ROWS 131u	/* no multiple of any number of members but 1 and 131 */
#define CELL_P (-1)
#define CELL_Q (-2)
#define CELL_UNUSED (-3)

static const enum cascade_level levels[] = {
	CASCADE_RAID0, CASCADE_RAID5, CASCADE_RAID6, CASCADE_RAID10,
};

/* What each cell holds: a chunk of the array, or one of the CELL_*. */
struct grid {
	unsigned int nr_members;
	unsigned int nr_rows;
	unsigned int nr_chunks;
	int cell[ROWS][CASCADE_MEMBERS_MAX];
};

static unsigned int least_members(enum cascade_level level)
{
	return level == CASCADE_RAID0 ? 1 : level == CASCADE_RAID5 ? 3 :
	       level == CASCADE_RAID6 ? 4 : 2;
}

/*
 * One row with parity: P sits one further left in each row, Q left of P, both go
 * on at the right end; data begins right of P and goes on at the left end.
 */
static void deal_parity_row(struct grid *g, unsigned int row, unsigned int p, bool with_q)
{
	unsigned int n = g->nr_members;
	unsigned int q = p == 0 ? n - 1 : p - 1;
	unsigned int s = p;

	g->cell[row][p] = CELL_P;
	if (with_q)
		g->cell[row][q] = CELL_Q;
	for (;;) {
		s = s + 1 == n ? 0 : s + 1;
		if (s == p || (with_q && s == q))
			return;
		g->cell[row][s] = (int)g->nr_chunks++;
	}
}

static void deal(struct grid *g, enum cascade_level level, unsigned int nr_members,
		 unsigned int nr_rows)
{
	unsigned int p = nr_members - 1;
	unsigned int row, s, copies = 0;

	memset(g, 0, sizeof(*g));
	g->nr_members = nr_members;
	g->nr_rows = nr_rows;
	for (row = 0; row < nr_rows; row++) {
		if (level == CASCADE_RAID5 || level == CASCADE_RAID6) {
			deal_parity_row(g, row, p, level == CASCADE_RAID6);
			p = p == 0 ? nr_members - 1 : p - 1;
			continue;
		}
		for (s = 0; s < nr_members; s++) {
			g->cell[row][s] = (int)g->nr_chunks;
			if (level == CASCADE_RAID0 || copies)
				g->nr_chunks++;
			copies = !copies;
		}
	}
	/* The last chunk of a mirror has both copies or is none. */
	if (level == CASCADE_RAID10 && copies)
		g->cell[nr_rows - 1][nr_members - 1] = CELL_UNUSED;
}

static void init(struct cascade_geo *geo, enum cascade_level level, unsigned int nr_members,
		 u32 chunk_sectors, u64 data_sectors)
{
	const char *error = NULL;

	if (cascade_geo_init(geo, level, nr_members, chunk_sectors, data_sectors, &error))
		fail_msg("%s of %u members, chunk %u: refused: %s",
			 cascade_geo_level_name(level), nr_members, chunk_sectors, error);
}

/* An array in words, for messages. */
static const char *words(const struct cascade_geo *geo)
{
	static char text[100];

	snprintf(text, sizeof(text), "%s of %u members, chunk %u",
		 cascade_geo_level_name(geo->level), geo->nr_members, geo->chunk_sectors);
	return text;
}

static enum cascade_role role_of(int cell)
{
	switch (cell) {
	case CELL_P:
		return CASCADE_ROLE_P;
	case CELL_Q:
		return CASCADE_ROLE_Q;
	case CELL_UNUSED:
		return CASCADE_ROLE_UNUSED;
	default:
		return CASCADE_ROLE_DATA;
	}
}

/* From a member's cell to the array. */
static void compare_unmap(const struct cascade_geo *geo, const struct grid *g, unsigned int row,
			  unsigned int slot, u32 within)
{
	u64 sect = (u64)row * geo->chunk_sectors + within;
	int cell = g->cell[row][slot];
	lsect_t logical = lsect(~0ULL);
	enum cascade_role role = cascade_geo_unmap(geo, slot, msect(sect), &logical);

	if (role != role_of(cell))
		fail_msg("%s, slot %u, sector %llu: role %d, expected %d", words(geo), slot,
			 (unsigned long long)sect, role, role_of(cell));
	if (cell >= 0 && logical.s != (u64)cell * geo->chunk_sectors + within)
		fail_msg("%s, slot %u, sector %llu: logical %llu, expected %llu",
			 words(geo), slot, (unsigned long long)sect,
			 (unsigned long long)logical.s,
			 (unsigned long long)cell * geo->chunk_sectors + within);
}

/* From the array to a member's cell; the number of cells found is returned. */
static unsigned int compare_map(const struct cascade_geo *geo, const struct grid *g,
				unsigned int row, unsigned int slot, bool second, u32 within)
{
	u64 chunk = (u64)g->cell[row][slot];
	u64 sect = chunk * geo->chunk_sectors + within;
	struct cascade_loc loc, mirror;

	memset(&loc, 0xa5, sizeof(loc));
	cascade_geo_map(geo, lsect(sect), &loc);
	if (second) {
		memset(&mirror, 0xa5, sizeof(mirror));
		cascade_geo_mirror(geo, &loc, &mirror);
		loc = mirror;
	}
	if (loc.row != row || loc.slot != slot ||
	    loc.sect.s != (u64)row * geo->chunk_sectors + within ||
	    loc.left_sectors != geo->chunk_sectors - within)
		fail_msg("%s, sector %llu%s: row %llu slot %u at %llu left %u, not row %u slot %u",
			 words(geo), (unsigned long long)sect, second ? " (mirror)" : "",
			 (unsigned long long)loc.row, loc.slot, (unsigned long long)loc.sect.s,
			 loc.left_sectors, row, slot);
	if (geo->nr_copies == 1 && loc.data != chunk - (u64)row * geo->nr_data)
		fail_msg("%s, sector %llu: data chunk %u", words(geo),
			 (unsigned long long)sect, loc.data);
	return 1;
}

static void compare(enum cascade_level level, unsigned int nr_members, u32 chunk_sectors,
		    unsigned int nr_rows)
{
	static struct grid g;
	static u8 seen[ROWS * CASCADE_MEMBERS_MAX];
	const u32 withins[] = { 0, 1, chunk_sectors / 2, chunk_sectors - 1 };
	unsigned int row, slot, i, found = 0, holding = 0;
	struct cascade_geo geo;

	init(&geo, level, nr_members, chunk_sectors, (u64)nr_rows * chunk_sectors);
	deal(&g, level, nr_members, nr_rows);
	memset(seen, 0, sizeof(seen));
	if (cascade_geo_capacity_sectors(&geo) != (u64)g.nr_chunks * chunk_sectors)
		fail_msg("%s, %u rows: capacity %llu sectors, expected %u chunks",
			 words(&geo), nr_rows,
			 (unsigned long long)cascade_geo_capacity_sectors(&geo), g.nr_chunks);
	for (row = 0; row < nr_rows; row++) {
		for (slot = 0; slot < nr_members; slot++) {
			int cell = g.cell[row][slot];

			for (i = 0; i < ARRAY_SIZE(withins); i++) {
				compare_unmap(&geo, &g, row, slot, withins[i]);
				if (cell >= 0)
					compare_map(&geo, &g, row, slot, seen[cell], withins[i]);
			}
			if (cell >= 0) {
				seen[cell]++;
				holding++;
			}
		}
	}
	for (i = 0; i < g.nr_chunks; i++)
		found += seen[i];
	assert_int_equal(found, g.nr_chunks * geo.nr_copies);
	assert_int_equal(found, holding);
}

static void layouts_equal_the_model_up_to_16_members(void **state)
{
	static const u32 chunks[] = { 8, 16, 128, 1024, 32768 };
	unsigned int l, n, i;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++)
		for (n = least_members(levels[l]); n <= 16; n++)
			for (i = 0; i < ARRAY_SIZE(chunks); i++)
				compare(levels[l], n, chunks[i], ROWS);
}

static void layouts_equal_the_model_of_wide_arrays(void **state)
{
	static const unsigned int widths[] = { 17, 24, 31, 32, 33, 47, 63, 64 };
	unsigned int l, i;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++)
		for (i = 0; i < ARRAY_SIZE(widths); i++)
			compare(levels[l], widths[i], 64, ROWS);
}

static void layouts_equal_the_model_of_few_rows(void **state)
{
	unsigned int l, n, rows;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++)
		for (n = least_members(levels[l]); n <= 9; n++)
			for (rows = 1; rows <= 20; rows++)
				compare(levels[l], n, 8, rows);
}

/* Sector by sector, each is found once, and the way back leads to where it began. */
static void every_logical_sector_is_placed_once(void **state)
{
	enum { CHUNK = 8, NR_ROWS = 12, MOST = 9 };
	static u8 taken[MOST][NR_ROWS * CHUNK];
	unsigned int l, n;
	u64 sect;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (n = least_members(levels[l]); n <= MOST; n++) {
			struct cascade_geo geo;

			init(&geo, levels[l], n, CHUNK, NR_ROWS * CHUNK);
			memset(taken, 0, sizeof(taken));
			for (sect = 0; sect < cascade_geo_capacity_sectors(&geo); sect++) {
				struct cascade_loc loc;
				lsect_t back;

				cascade_geo_map(&geo, lsect(sect), &loc);
				assert_true(loc.slot < n && loc.sect.s < geo.data_sectors);
				assert_int_equal(taken[loc.slot][loc.sect.s]++, 0);
				assert_int_equal(cascade_geo_unmap(&geo, loc.slot, loc.sect, &back),
						 CASCADE_ROLE_DATA);
				assert_int_equal(back.s, sect);
				if (geo.nr_copies < 2)
					continue;
				cascade_geo_mirror(&geo, &loc, &loc);
				assert_true(loc.slot < n && loc.sect.s < geo.data_sectors);
				assert_int_equal(taken[loc.slot][loc.sect.s]++, 0);
				assert_int_equal(cascade_geo_unmap(&geo, loc.slot, loc.sect, &back),
						 CASCADE_ROLE_DATA);
				assert_int_equal(back.s, sect);
			}
		}
	}
}

/*
 * Published layouts, a row a word group: numbers are chunks, p and q parity, u is
 * unused. RAID-0 is that of dm-stripe; RAID-5 md's left-symmetric; RAID-6 md's
 * rotating-n-continue, raid6_nc; RAID-10 md's near layout of two copies.
 */
static const struct {
	enum cascade_level level;
	unsigned int nr_members;
	unsigned int nr_rows;
	const char *rows;
} published[] = {
	{ CASCADE_RAID0, 1, 3, "0  1  2" },
	{ CASCADE_RAID0, 2, 3, "0 1  2 3  4 5" },
	{ CASCADE_RAID0, 3, 2, "0 1 2  3 4 5" },
	{ CASCADE_RAID0, 4, 2, "0 1 2 3  4 5 6 7" },
	{ CASCADE_RAID5, 3, 6, "0 1 p  3 p 2  p 4 5  6 7 p  9 p 8  p 10 11" },
	{ CASCADE_RAID5, 4, 5, "0 1 2 p  4 5 p 3  8 p 6 7  p 9 10 11  12 13 14 p" },
	{ CASCADE_RAID5, 5, 6,
	  "0 1 2 3 p  5 6 7 p 4  10 11 p 8 9  15 p 12 13 14  p 16 17 18 19  20 21 22 23 p" },
	{ CASCADE_RAID6, 4, 5, "0 1 q p  3 q p 2  q p 4 5  p 6 7 q  8 9 q p" },
	{ CASCADE_RAID6, 5, 6,
	  "0 1 2 q p  4 5 q p 3  8 q p 6 7  q p 9 10 11  p 12 13 14 q  15 16 17 q p" },
	{ CASCADE_RAID6, 6, 5,
	  "0 1 2 3 q p  5 6 7 q p 4  10 11 q p 8 9  15 q p 12 13 14  q p 16 17 18 19" },
	{ CASCADE_RAID10, 2, 3, "0 0  1 1  2 2" },
	{ CASCADE_RAID10, 3, 4, "0 0 1  1 2 2  3 3 4  4 5 5" },
	{ CASCADE_RAID10, 3, 3, "0 0 1  1 2 2  3 3 u" },
	{ CASCADE_RAID10, 4, 3, "0 0 1 1  2 2 3 3  4 4 5 5" },
	{ CASCADE_RAID10, 5, 2, "0 0 1 1 2  2 3 3 4 4" },
	{ CASCADE_RAID10, 5, 1, "0 0 1 1 u" },
};

static int cell_of(const char *word)
{
	switch (*word) {
	case 'p':
		return CELL_P;
	case 'q':
		return CELL_Q;
	case 'u':
		return CELL_UNUSED;
	default:
		return atoi(word);
	}
}

static void layouts_are_the_published_ones(void **state)
{
	static struct grid g;
	unsigned int i, row, slot;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		const char *at = published[i].rows;
		bool seen[64] = { false };
		struct cascade_geo geo;

		init(&geo, published[i].level, published[i].nr_members, 16,
		     published[i].nr_rows * 16u);
		for (row = 0; row < published[i].nr_rows; row++) {
			for (slot = 0; slot < published[i].nr_members; slot++) {
				int cell = cell_of(at + strspn(at, " "));

				g.cell[row][slot] = cell;
				at += strspn(at, " ");
				at += strcspn(at, " ");
				compare_unmap(&geo, &g, row, slot, 5);
				if (cell < 0)
					continue;
				compare_map(&geo, &g, row, slot, seen[cell], 5);
				seen[cell] = true;
			}
		}
		assert_int_equal(*at, '\0');
	}
}

static void parity_slots_are_where_unmap_finds_them(void **state)
{
	unsigned int n, slot;
	u64 row;

	(void)state;
	for (n = 4; n <= CASCADE_MEMBERS_MAX; n++) {
		struct cascade_geo geo;

		init(&geo, CASCADE_RAID6, n, 8, 8 * 1000);
		for (row = 0; row < 200; row++) {
			for (slot = 0; slot < n; slot++) {
				lsect_t logical;
				enum cascade_role role = cascade_geo_unmap(&geo, slot,
									   msect(row * 8),
									   &logical);

				assert_int_equal(role == CASCADE_ROLE_P,
						 slot == cascade_geo_p_slot(&geo, row));
				assert_int_equal(role == CASCADE_ROLE_Q,
						 slot == cascade_geo_q_slot(&geo, row));
			}
		}
	}
}

/* Near the largest size nothing overflows: the way there leads back. */
static void large_arrays_map_there_and_back(void **state)
{
	unsigned int l, n, i;

	(void)state;
	seed_begin(__func__);
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (n = least_members(levels[l]); n <= CASCADE_MEMBERS_MAX; n++) {
			u32 chunk = 8u << seed_below(13);
			struct cascade_geo geo;
			u64 capacity;

			init(&geo, levels[l], n, chunk, BIT_ULL(54) / n);
			capacity = cascade_geo_capacity_sectors(&geo);
			for (i = 0; i < 50; i++) {
				u64 sect = i ? seed_below(capacity) : capacity - 1;
				struct cascade_loc loc;
				lsect_t back = lsect(0);

				cascade_geo_map(&geo, lsect(sect), &loc);
				assert_true(loc.sect.s < geo.data_sectors);
				assert_int_equal(cascade_geo_unmap(&geo, loc.slot, loc.sect, &back),
						 CASCADE_ROLE_DATA);
				if (back.s != sect)
					fail_msg("%s, sector %llu came back as %llu",
						 words(&geo), (unsigned long long)sect,
						 (unsigned long long)back.s);
			}
		}
	}
}

static void init_fills_what_the_level_implies(void **state)
{
	static const struct {
		enum cascade_level level;
		u8 nr_members, nr_parity, nr_copies, nr_data;
		unsigned int redundancy;
	} shapes[] = {
		{ CASCADE_RAID0, 1, 0, 1, 1, 0 },   { CASCADE_RAID0, 64, 0, 1, 64, 0 },
		{ CASCADE_RAID5, 3, 1, 1, 2, 1 },   { CASCADE_RAID5, 64, 1, 1, 63, 1 },
		{ CASCADE_RAID6, 4, 2, 1, 2, 2 },   { CASCADE_RAID6, 64, 2, 1, 62, 2 },
		{ CASCADE_RAID10, 2, 0, 2, 2, 1 },  { CASCADE_RAID10, 63, 0, 2, 63, 1 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct cascade_geo geo;

		init(&geo, shapes[i].level, shapes[i].nr_members, 128, 1000);
		assert_int_equal(geo.level, shapes[i].level);
		assert_int_equal(geo.nr_members, shapes[i].nr_members);
		assert_int_equal(geo.nr_parity, shapes[i].nr_parity);
		assert_int_equal(geo.nr_copies, shapes[i].nr_copies);
		assert_int_equal(geo.nr_data, shapes[i].nr_data);
		assert_int_equal(geo.chunk_shift, 7);
		assert_int_equal(geo.chunk_sectors, 128);
		assert_int_equal(geo.data_sectors, 896);
		assert_int_equal(cascade_geo_redundancy(&geo), shapes[i].redundancy);
	}
}

static void init_refuses_shapes_out_of_bounds(void **state)
{
	static const struct {
		unsigned int level, nr_members;
		u32 chunk_sectors;
		const char *names;	/* a word of the sentence */
	} wrong[] = {
		{ 1, 4, 128, "level" },		{ 4, 4, 128, "level" },
		{ 11, 4, 128, "level" },	{ ~0u, 4, 128, "level" },
		{ 0, 0, 128, "members" },	{ 0, 65, 128, "members" },
		{ 5, 2, 128, "members" },	{ 5, 0, 128, "members" },
		{ 5, 65, 128, "members" },	{ 6, 3, 128, "members" },
		{ 6, 65, 128, "members" },	{ 10, 1, 128, "members" },
		{ 10, 65, 128, "members" },	{ 5, ~0u, 128, "members" },
		{ 5, 256 + 4, 128, "members" },	{ 5, 4, 0, "chunk" },
		{ 5, 4, 1, "chunk" },		{ 5, 4, 4, "chunk" },
		{ 5, 4, 9, "chunk" },		{ 5, 4, 24, "chunk" },
		{ 5, 4, 127, "chunk" },		{ 5, 4, 65536, "chunk" },
		{ 5, 4, 1u << 31, "chunk" },	{ 5, 4, ~0u, "chunk" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *error = NULL;
		struct cascade_geo geo;
		int r = cascade_geo_init(&geo, wrong[i].level, wrong[i].nr_members,
					 wrong[i].chunk_sectors, 0, &error);

		if (r != -EINVAL || !error || !strstr(error, wrong[i].names))
			fail_msg("level %u, %u members, chunk %u: returned %d, error %s",
				 wrong[i].level, wrong[i].nr_members, wrong[i].chunk_sectors, r,
				 error ? error : "none");
	}
}

static void level_names_are_parsed_and_no_others(void **state)
{
	static const char *const wrong[] = {
		"", "raid", "raid1", "raid4", "raid50", "RAID5", "raid5 ", " raid5", "raid05",
		"raid100", "unknown", "5",
	};
	enum cascade_level level;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		assert_int_equal(cascade_geo_level_parse(cascade_geo_level_name(levels[i]), &level),
				 0);
		assert_int_equal(level, levels[i]);
	}
	assert_string_equal(cascade_geo_level_name(CASCADE_RAID0), "raid0");
	assert_string_equal(cascade_geo_level_name(CASCADE_RAID5), "raid5");
	assert_string_equal(cascade_geo_level_name(CASCADE_RAID6), "raid6");
	assert_string_equal(cascade_geo_level_name(CASCADE_RAID10), "raid10");
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(cascade_geo_level_parse(wrong[i], &level), -EINVAL);
}

/* Each size that an array can have, and no other, comes back as rows. */
static void member_sectors_invert_capacity(void **state)
{
	enum { CHUNK = 8, NR_ROWS = 40 };
	unsigned int l, n, rows;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (n = least_members(levels[l]); n <= 9; n++) {
			u64 size = 0, next, got;
			struct cascade_geo geo;

			for (rows = 1; rows <= NR_ROWS; rows++) {
				init(&geo, levels[l], n, CHUNK, rows * CHUNK);
				next = cascade_geo_capacity_sectors(&geo);
				for (; size < next; size++) {
					if (size && !(size % CHUNK) && rows > 1 &&
					    !cascade_geo_member_sectors(&geo, size, &got) &&
					    got == (rows - 1) * CHUNK)
						continue;
					if (cascade_geo_member_sectors(&geo, size, &got) != -EINVAL)
						fail_msg("%s, %llu sectors: accepted",
							 words(&geo), (unsigned long long)size);
				}
				assert_int_equal(cascade_geo_member_sectors(&geo, size, &got), 0);
				assert_int_equal(got, rows * CHUNK);
			}
		}
	}
}

/* By the grid: every chunk has a copy left, or its row has enough of the others. */
static bool model_survives(const struct grid *g, enum cascade_level level, u64 gone_mask)
{
	unsigned int nr_parity = level == CASCADE_RAID6 ? 2 : level == CASCADE_RAID5 ? 1 : 0;
	bool alive[CASCADE_MEMBERS_MAX * ROWS] = { false };
	unsigned int row, slot, i;

	for (row = 0; row < g->nr_rows; row++) {
		unsigned int gone = 0;

		for (slot = 0; slot < g->nr_members; slot++)
			gone += gone_mask >> slot & 1;
		for (slot = 0; slot < g->nr_members; slot++)
			if (g->cell[row][slot] >= 0 &&
			    (!(gone_mask >> slot & 1) || (nr_parity && gone <= nr_parity)))
				alive[g->cell[row][slot]] = true;
	}
	for (i = 0; i < g->nr_chunks; i++)
		if (!alive[i])
			return false;
	return true;
}

static void survival_equals_the_model_for_every_set_of_lost_members(void **state)
{
	static struct grid g;
	unsigned int l, n;
	u64 mask;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (n = least_members(levels[l]); n <= 9; n++) {
			struct cascade_geo geo;

			init(&geo, levels[l], n, 8, 20 * 8);
			deal(&g, levels[l], n, 20);
			for (mask = 0; mask < BIT_ULL(n); mask++)
				if (cascade_geo_survives(&geo, mask) !=
				    model_survives(&g, levels[l], mask))
					fail_msg("%s, lost mask %llx: survives %d",
						 words(&geo), (unsigned long long)mask,
						 cascade_geo_survives(&geo, mask));
		}
	}
}

static void survival_equals_the_model_for_every_pair_of_64(void **state)
{
	static struct grid g;
	unsigned int l, a, b;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		struct cascade_geo geo;

		init(&geo, levels[l], 64, 8, 3 * 8);
		deal(&g, levels[l], 64, 3);
		for (a = 0; a < 64; a++)
			for (b = a; b < 64; b++)
				assert_int_equal(cascade_geo_survives(&geo,
								      BIT_ULL(a) | BIT_ULL(b)),
						 model_survives(&g, levels[l],
								BIT_ULL(a) | BIT_ULL(b)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_the_published_ones),
		cmocka_unit_test(layouts_equal_the_model_of_few_rows),
		cmocka_unit_test(layouts_equal_the_model_up_to_16_members),
		cmocka_unit_test(layouts_equal_the_model_of_wide_arrays),
		cmocka_unit_test(every_logical_sector_is_placed_once),
		cmocka_unit_test(parity_slots_are_where_unmap_finds_them),
		cmocka_unit_test(large_arrays_map_there_and_back),
		cmocka_unit_test(init_fills_what_the_level_implies),
		cmocka_unit_test(init_refuses_shapes_out_of_bounds),
		cmocka_unit_test(level_names_are_parsed_and_no_others),
		cmocka_unit_test(member_sectors_invert_capacity),
		cmocka_unit_test(survival_equals_the_model_for_every_set_of_lost_members),
		cmocka_unit_test(survival_equals_the_model_for_every_pair_of_64),
	};

	return cmocka_run_group_tests_name("geo", tests, NULL, NULL);
}
