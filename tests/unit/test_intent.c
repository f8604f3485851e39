// SPDX-License-Identifier: GPL-2.0-only
/*
 * The region map: a plain array of bytes is the model of its memory, and each
 * damage to a block on disk must be seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/intent.h"
#include "image.h"
#include "seed.h"

#define PER_BLOCK CASCADE_INTENT_REGIONS_PER_BLOCK
#define REGIONS_MAX (3 * PER_BLOCK)

static const u8 array_uuid[CASCADE_UUID_BYTES] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
};

static u64 block[CASCADE_INTENT_BLOCK_BYTES / 8];
static u8 map[REGIONS_MAX / 2 + 1], back[REGIONS_MAX / 2 + 1];

static void trust_follows_from_every_combination_of_bits(void **state)
{
	/* Index: written 1, synced 2, dirty 4; missed plays no part. */
	static const enum cascade_trust expected[] = {
		CASCADE_UNWRITTEN, CASCADE_FRESH, CASCADE_UNWRITTEN, CASCADE_CLEAN,
		CASCADE_FRESH, CASCADE_FRESH, CASCADE_ACTIVE, CASCADE_ACTIVE,
	};
	u8 bits;

	(void)state;
	for (bits = 0; bits < 16; bits++)
		if (cascade_intent_trust(bits) != expected[bits & 7])
			fail_msg("bits %x: trust %d, expected %d", bits, cascade_intent_trust(bits),
				 expected[bits & 7]);
}

static void regions_are_counted(void **state)
{
	static const struct {
		u64 data_sectors;
		u32 region_sectors;
		u64 nr_regions;
	} rows[] = {
		{ 0, 2048, 0 }, { 1, 2048, 1 }, { 2047, 2048, 1 }, { 2048, 2048, 1 },
		{ 2049, 2048, 2 }, { 8192, 8192, 1 }, { 8193, 8192, 2 },
		{ BIT_ULL(54), 2048, BIT_ULL(43) }, { ~0ULL, 2048, BIT_ULL(53) },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(cascade_intent_nr_regions(rows[i].data_sectors,
							   rows[i].region_sectors),
				 rows[i].nr_regions);
}

static void blocks_are_counted(void **state)
{
	static const struct {
		u64 nr_regions;
		u32 nr_blocks;
	} rows[] = {
		{ 0, 0 }, { 1, 1 }, { 8063, 1 }, { 8064, 1 }, { 8065, 2 }, { 16128, 2 },
		{ 16129, 3 }, { 8064ULL * 0xffffffff, 0xffffffff },
		{ 8064ULL * 0xfffffffe + 1, 0xffffffff }, { 8064ULL * 0xffffffff + 1, 0xffffffff },
		{ ~0ULL, 0xffffffff },
	};
	unsigned int i;

	(void)state;
	assert_int_equal(PER_BLOCK, 8064);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(cascade_intent_nr_blocks(rows[i].nr_regions), rows[i].nr_blocks);
}

static void changed_bits_are_those_and_no_others(void **state)
{
	static u8 model[64];
	unsigned int i, r;

	(void)state;
	seed_begin(__func__);
	memset(map, 0, sizeof(map));
	memset(model, 0, sizeof(model));
	for (i = 0; i < 100000; i++) {
		unsigned int region = seed_below(ARRAY_SIZE(model));
		u8 set = seed_below(16), clear = seed_below(16);

		model[region] = (model[region] & ~clear) | set;
		cascade_intent_set(map, region, set, clear);
		for (r = region & ~3u; r < (region | 3u) + 1 && r < ARRAY_SIZE(model); r++)
			if (cascade_intent_get(map, r) != model[r])
				fail_msg("region %u: %x after set %x clear %x of %u, not %x", r,
					 cascade_intent_get(map, r), set, clear, region, model[r]);
	}
	for (r = 0; r < ARRAY_SIZE(model); r++)
		assert_int_equal(cascade_intent_get(map, r), model[r]);
	assert_int_equal(map[ARRAY_SIZE(model) / 2], 0);
}

static void low_half_of_a_byte_comes_first(void **state)
{
	(void)state;
	memset(map, 0, sizeof(map));
	cascade_intent_set(map, 0, CASCADE_REGION_WRITTEN, 0);
	cascade_intent_set(map, 1, CASCADE_REGION_DIRTY | CASCADE_REGION_MISSED, 0);
	cascade_intent_set(map, 2, CASCADE_REGION_SYNCED, 0);
	assert_int_equal(map[0], 0xc1);
	assert_int_equal(map[1], 0x02);
}

/* Bits beyond the four that there are change nothing next to them. */
static void more_than_four_bits_are_not_taken(void **state)
{
	(void)state;
	memset(map, 0, sizeof(map));
	cascade_intent_set(map, 0, 0xff, 0);
	assert_int_equal(map[0], 0x0f);
	cascade_intent_set(map, 1, 0xff, 0);
	cascade_intent_set(map, 0, 0, 0xff);
	assert_int_equal(map[0], 0xf0);
	assert_int_equal(map[1], 0);
}

static void random_map(u64 nr_regions)
{
	memset(map, 0xee, sizeof(map));
	seed_fill(map, (nr_regions + 1) / 2);
}

/* Maps of every length near a block's end; neighbours of a block are not touched. */
static void blocks_survive_the_round_trip(void **state)
{
	static const u64 lengths[] = {
		1, 2, 3, 4, 5, 63, 64, PER_BLOCK - 1, PER_BLOCK, PER_BLOCK + 1, PER_BLOCK + 2,
		2 * PER_BLOCK - 1, 2 * PER_BLOCK, 2 * PER_BLOCK + 1, 3 * PER_BLOCK - 1,
		3 * PER_BLOCK,
	};
	unsigned int i;

	(void)state;
	seed_begin(__func__);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u64 nr = lengths[i], region;
		u32 b;

		random_map(nr);
		for (b = 0; b < cascade_intent_nr_blocks(nr); b++) {
			u64 generation = 0, wanted = seed_next();
			size_t first = b * PER_BLOCK / 2, last;

			cascade_intent_encode(block, array_uuid, wanted, b, map, nr);
			memset(back, 0x55, sizeof(back));
			assert_int_equal(cascade_intent_decode(block, array_uuid, b, back, nr,
							       &generation), 0);
			assert_int_equal(generation, wanted);
			for (region = b * PER_BLOCK; region < (b + 1) * PER_BLOCK && region < nr;
			     region++)
				assert_int_equal(cascade_intent_get(back, region),
						 cascade_intent_get(map, region));
			last = (region + 1) / 2;
			for (region = 0; region < sizeof(back); region++)
				if (region < first || region >= last)
					assert_int_equal(back[region], 0x55);
		}
	}
}

static void bits_behind_the_last_region_are_not_written(void **state)
{
	(void)state;
	memset(map, 0xff, sizeof(map));
	cascade_intent_encode(block, array_uuid, 1, 0, map, 3);
	assert_int_equal(((u8 *)block)[CASCADE_INTENT_HEAD_BYTES], 0xff);
	assert_int_equal(((u8 *)block)[CASCADE_INTENT_HEAD_BYTES + 1], 0x0f);
	assert_int_equal(((u8 *)block)[CASCADE_INTENT_HEAD_BYTES + 2], 0);
}

static void every_flipped_bit_is_refused(void **state)
{
	u64 generation;
	unsigned int bit;

	(void)state;
	seed_begin(__func__);
	random_map(REGIONS_MAX);
	cascade_intent_encode(block, array_uuid, 77, 1, map, REGIONS_MAX);
	memset(back, 0x55, sizeof(back));
	for (bit = 0; bit < CASCADE_INTENT_BLOCK_BYTES * 8; bit++) {
		((u8 *)block)[bit / 8] ^= 1u << (bit % 8);
		if (cascade_intent_decode(block, array_uuid, 1, back, REGIONS_MAX, &generation) !=
		    -EBADMSG)
			fail_msg("bit %u of byte %u: accepted", bit % 8, bit / 8);
		((u8 *)block)[bit / 8] ^= 1u << (bit % 8);
	}
	for (bit = 0; bit < sizeof(back); bit++)
		assert_int_equal(back[bit], 0x55);
	assert_int_equal(cascade_intent_decode(block, array_uuid, 1, back, REGIONS_MAX,
					       &generation), 0);
}

static void blocks_of_another_array_place_or_size_are_refused(void **state)
{
	u8 other[CASCADE_UUID_BYTES];
	u64 generation;

	(void)state;
	memcpy(other, array_uuid, sizeof(other));
	other[15] ^= 1;
	memset(map, 0, sizeof(map));
	cascade_intent_encode(block, array_uuid, 1, 1, map, 2 * PER_BLOCK);
	assert_int_equal(cascade_intent_decode(block, array_uuid, 1, back, 2 * PER_BLOCK,
					       &generation), 0);
	assert_int_equal(cascade_intent_decode(block, other, 1, back, 2 * PER_BLOCK, &generation),
			 -EBADMSG);
	assert_int_equal(cascade_intent_decode(block, array_uuid, 0, back, 2 * PER_BLOCK,
					       &generation), -EBADMSG);
	assert_int_equal(cascade_intent_decode(block, array_uuid, 2, back, 3 * PER_BLOCK,
					       &generation), -EBADMSG);
	assert_int_equal(cascade_intent_decode(block, array_uuid, 1, back, 2 * PER_BLOCK - 1,
					       &generation), -EBADMSG);
	/* In the middle of a longer map the block is just the same. */
	assert_int_equal(cascade_intent_decode(block, array_uuid, 1, back, 3 * PER_BLOCK,
					       &generation), 0);
}

static void blocks_beyond_the_map_are_empty_and_refused(void **state)
{
	static const u32 beyond[] = { 1, 2, 1000, 0x80000000u, 0xffffffffu };
	u64 generation;
	unsigned int i;

	(void)state;
	memset(map, 0xff, sizeof(map));
	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		cascade_intent_encode(block, array_uuid, 1, beyond[i], map, PER_BLOCK);
		assert_int_equal(((u8 *)block)[CASCADE_INTENT_HEAD_BYTES], 0);
		assert_int_equal(cascade_intent_decode(block, array_uuid, beyond[i], back,
						       PER_BLOCK, &generation), -EBADMSG);
	}
	assert_int_equal(cascade_intent_decode(block, array_uuid, 0, back, 0, &generation),
			 -EBADMSG);
}

static void blank_blocks_are_refused(void **state)
{
	u64 generation;

	(void)state;
	memset(block, 0, sizeof(block));
	assert_int_equal(cascade_intent_decode(block, array_uuid, 0, back, 5, &generation),
			 -EBADMSG);
	memset(block, 0xff, sizeof(block));
	assert_int_equal(cascade_intent_decode(block, array_uuid, 0, back, 5, &generation),
			 -EBADMSG);
}

/* What lies in data/region-map-v1.img: the last block of a map, all states in turn. */
static void golden(void *buf, u64 nr_regions)
{
	u64 region;

	memset(map, 0, sizeof(map));
	for (region = 0; region < nr_regions; region++)
		cascade_intent_set(map, region, (region + region / 16) & 15, 0);
	cascade_intent_encode(buf, array_uuid, 0x1122334455667788, 2, map, nr_regions);
}

static void image_of_version_1_is_read(void **state)
{
	const u64 nr_regions = 2 * PER_BLOCK + 1001;
	static u64 image[CASCADE_INTENT_BLOCK_BYTES / 8];
	u64 generation, region;

	(void)state;
	image_read("region-map-v1.img", image, sizeof(image));
	golden(block, nr_regions);
	assert_memory_equal(block, image, sizeof(image));
	assert_int_equal(cascade_intent_decode(image, array_uuid, 2, back, nr_regions, &generation),
			 0);
	assert_int_equal(generation, 0x1122334455667788);
	for (region = 2 * PER_BLOCK; region < nr_regions; region++)
		assert_int_equal(cascade_intent_get(back, region), (region + region / 16) & 15);
}

/* "--write-image FILE" was how the image in data/ came to be; it is never made anew. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trust_follows_from_every_combination_of_bits),
		cmocka_unit_test(regions_are_counted),
		cmocka_unit_test(blocks_are_counted),
		cmocka_unit_test(changed_bits_are_those_and_no_others),
		cmocka_unit_test(low_half_of_a_byte_comes_first),
		cmocka_unit_test(more_than_four_bits_are_not_taken),
		cmocka_unit_test(blocks_survive_the_round_trip),
		cmocka_unit_test(bits_behind_the_last_region_are_not_written),
		cmocka_unit_test(every_flipped_bit_is_refused),
		cmocka_unit_test(blocks_of_another_array_place_or_size_are_refused),
		cmocka_unit_test(blocks_beyond_the_map_are_empty_and_refused),
		cmocka_unit_test(blank_blocks_are_refused),
		cmocka_unit_test(image_of_version_1_is_read),
	};

	if (argc == 3 && !strcmp(argv[1], "--write-image")) {
		golden(block, 2 * PER_BLOCK + 1001);
		return image_write(argv[2], block, sizeof(block));
	}
	return cmocka_run_group_tests_name("intent", tests, NULL, NULL);
}
