// SPDX-License-Identifier: GPL-2.0-only
/*
 * P and Q against a model of the field that is built the other way round: products
 * are polynomials multiplied out bit by bit and divided by 0x11d, and tables of powers
 * and logarithms come from there. What is lost is brought back by the equations of
 * H. P. Anvin, "The mathematics of RAID-6", for every pair of lost blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/parity.h"
#include "seed.h"

#define POLYNOMIAL 0x11du
#define FIELD 256u
#define ORDER 255u	/* of the generator */
#define BLOCK_BYTES 97u	/* no multiple of a machine word */

static u8 power_of[2 * ORDER];	/* 2 to the power of the index */
static u8 log_of[FIELD];

/* Multiplies out, then takes the polynomial away from the top bit down. */
static u8 product(unsigned int a, unsigned int b)
{
	unsigned int sum = 0;
	int bit;

	for (bit = 0; bit < 8; bit++)
		if (b & 1u << bit)
			sum ^= a << bit;
	for (bit = 14; bit >= 8; bit--)
		if (sum & 1u << bit)
			sum ^= POLYNOMIAL << (bit - 8);
	return (u8)sum;
}

static int fill_tables(void **state)
{
	unsigned int i;
	u8 x = 1;

	(void)state;
	for (i = 0; i < 2 * ORDER; i++) {
		power_of[i] = x;
		if (i < ORDER)
			log_of[x] = (u8)i;
		x = product(x, 2);
	}
	return 0;
}

static u8 quotient(u8 a, u8 b)
{
	return a ? power_of[log_of[a] + ORDER - log_of[b]] : 0;
}

static u8 q_of(u8 x, slot_t slot)
{
	u8 q = 0;

	cascade_parity_q_add(&q, &x, slot, 1);
	return q;
}

static void the_generator_runs_through_the_field(void **state)
{
	bool seen[FIELD] = { false };
	unsigned int i;

	(void)state;
	for (i = 0; i < ORDER; i++) {
		assert_false(seen[power_of[i]]);
		seen[power_of[i]] = true;
	}
	assert_false(seen[0]);
	assert_int_equal(power_of[ORDER], 1);
}

static void products_of_the_literature(void **state)
{
	static const struct {
		u8 x;
		slot_t slot;
		u8 q;
	} vectors[] = {
		{ 0x01, 0, 0x01 }, { 0xff, 0, 0xff }, { 0x01, 1, 0x02 }, { 0x80, 1, 0x1d },
		{ 0x01, 7, 0x80 }, { 0x01, 8, 0x1d }, { 0x01, 9, 0x3a }, { 0x01, 12, 0xcd },
		{ 0x8e, 1, 0x01 }, { 0x01, 25, 0x03 }, { 0x01, 50, 0x05 }, { 0x00, 63, 0x00 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		u8 q = q_of(vectors[i].x, vectors[i].slot);

		if (q != vectors[i].q)
			fail_msg("%02x in slot %u: expected %02x, got %02x", vectors[i].x,
				 vectors[i].slot, vectors[i].q, q);
	}
}

static void q_of_every_byte_in_every_slot(void **state)
{
	unsigned int x;
	slot_t slot;

	(void)state;
	for (slot = 0; slot < CASCADE_MEMBERS_MAX; slot++) {
		for (x = 0; x < FIELD; x++) {
			u8 expected = product(x, power_of[slot]);
			u8 got = q_of((u8)x, slot);

			if (got != expected)
				fail_msg("%02x in slot %u: expected %02x, got %02x", x, slot,
					 expected, got);
		}
	}
}

/* Two equal coefficients, and two lost blocks could not be told apart. */
static void slots_differ_in_their_coefficients(void **state)
{
	slot_t a, b;

	(void)state;
	for (a = 0; a < CASCADE_MEMBERS_MAX; a++) {
		assert_int_not_equal(q_of(1, a), 0);
		for (b = 0; b < a; b++)
			assert_int_not_equal(q_of(1, a), q_of(1, b));
	}
}

/* Buffers of just this length: a byte too far is seen by the sanitizer. */
static u8 *new_buffer(size_t nr_bytes)
{
	u8 *buf = malloc(nr_bytes ? nr_bytes : 1);

	assert_non_null(buf);
	seed_fill(buf, nr_bytes);
	return buf;
}

static void sums_of_any_length(void **state)
{
	size_t nr_bytes, i;

	(void)state;
	seed_begin("sums_of_any_length");
	for (nr_bytes = 0; nr_bytes <= 130; nr_bytes++) {
		u8 *src = new_buffer(nr_bytes), *same = new_buffer(nr_bytes);
		u8 *p = new_buffer(nr_bytes), *q = new_buffer(nr_bytes);
		u8 *old_p = new_buffer(nr_bytes), *old_q = new_buffer(nr_bytes);
		slot_t slot = (slot_t)seed_below(CASCADE_MEMBERS_MAX);

		memcpy(same, src, nr_bytes);
		memcpy(old_p, p, nr_bytes);
		memcpy(old_q, q, nr_bytes);
		cascade_parity_xor(p, src, nr_bytes);
		cascade_parity_q_add(q, src, slot, nr_bytes);
		for (i = 0; i < nr_bytes; i++) {
			assert_int_equal(p[i], old_p[i] ^ src[i]);
			assert_int_equal(q[i], old_q[i] ^ product(src[i], power_of[slot]));
		}
		assert_memory_equal(src, same, nr_bytes);
		/* Added twice is taken away. */
		cascade_parity_xor(p, src, nr_bytes);
		cascade_parity_q_add(q, src, slot, nr_bytes);
		assert_memory_equal(p, old_p, nr_bytes);
		assert_memory_equal(q, old_q, nr_bytes);
		free(src);
		free(same);
		free(p);
		free(q);
		free(old_p);
		free(old_q);
	}
}

static void a_sum_with_itself_is_zero(void **state)
{
	static const u8 zero[BLOCK_BYTES];
	u8 buf[BLOCK_BYTES];

	(void)state;
	seed_begin("a_sum_with_itself_is_zero");
	seed_fill(buf, sizeof(buf));
	cascade_parity_xor(buf, buf, sizeof(buf));
	assert_memory_equal(buf, zero, sizeof(buf));
}

static void q_is_linear(void **state)
{
	unsigned int a, b;
	slot_t slot;

	(void)state;
	for (slot = 0; slot < CASCADE_MEMBERS_MAX; slot += 7)
		for (a = 0; a < FIELD; a++)
			for (b = 0; b < a; b++)
				assert_int_equal(q_of((u8)(a ^ b), slot),
						 q_of((u8)a, slot) ^ q_of((u8)b, slot));
}

/* A row: the slots of P and Q hold no data. */
struct row {
	unsigned int nr_members;
	slot_t p_slot;
	slot_t q_slot;
	u8 block[CASCADE_MEMBERS_MAX][BLOCK_BYTES];
};

static bool is_data(const struct row *row, slot_t s)
{
	return s != row->p_slot && s != row->q_slot;
}

/* Sums of the data but for two slots; those of no data leave nothing out. */
static void sums_without(const struct row *row, slot_t a, slot_t b, u8 *p, u8 *q)
{
	slot_t s;

	memset(p, 0, BLOCK_BYTES);
	memset(q, 0, BLOCK_BYTES);
	for (s = 0; s < row->nr_members; s++) {
		if (!is_data(row, s) || s == a || s == b)
			continue;
		cascade_parity_xor(p, row->block[s], BLOCK_BYTES);
		cascade_parity_q_add(q, row->block[s], s, BLOCK_BYTES);
	}
}

static void fill_row(struct row *row, unsigned int nr_members, slot_t p_slot)
{
	slot_t s;

	row->nr_members = nr_members;
	row->p_slot = p_slot;
	row->q_slot = p_slot ? p_slot - 1 : nr_members - 1;
	for (s = 0; s < nr_members; s++)
		seed_fill(row->block[s], BLOCK_BYTES);
	sums_without(row, p_slot, p_slot, row->block[p_slot], row->block[row->q_slot]);
}

/* Brings two lost blocks back from the others; the row itself is not looked at there. */
static void recover(const struct row *row, slot_t a, slot_t b, u8 *block_a, u8 *block_b)
{
	u8 p[BLOCK_BYTES], q[BLOCK_BYTES];
	unsigned int i;

	sums_without(row, a, b, p, q);
	if (!is_data(row, a) && !is_data(row, b)) {
		memcpy(block_a, a == row->p_slot ? p : q, BLOCK_BYTES);
		memcpy(block_b, b == row->p_slot ? p : q, BLOCK_BYTES);
		return;
	}
	if (!is_data(row, a)) {
		recover(row, b, a, block_b, block_a);
		return;
	}
	for (i = 0; i < BLOCK_BYTES; i++) {
		/* What the lost blocks add to P and to Q, where these are there. */
		u8 in_p = p[i] ^ row->block[row->p_slot][i];
		u8 in_q = q[i] ^ row->block[row->q_slot][i];

		if (is_data(row, b)) {
			u8 ga = power_of[a], gb = power_of[b];

			/* in_p = A + B and in_q = ga A + gb B */
			block_a[i] = quotient(in_q ^ product(gb, in_p), ga ^ gb);
			block_b[i] = block_a[i] ^ in_p;
		} else if (b == row->p_slot) {
			block_a[i] = quotient(in_q, power_of[a]);
			block_b[i] = p[i] ^ block_a[i];
		} else {
			block_a[i] = in_p;
			block_b[i] = q[i] ^ product(block_a[i], power_of[a]);
		}
	}
}

static void every_pair_of_lost_blocks_comes_back(void **state)
{
	static const unsigned int sizes[] = { 4, 5, 6, 17, CASCADE_MEMBERS_MAX };
	u8 block_a[BLOCK_BYTES], block_b[BLOCK_BYTES];
	static struct row row;
	unsigned int i;
	slot_t a, b;

	(void)state;
	seed_begin("every_pair_of_lost_blocks_comes_back");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill_row(&row, sizes[i], (slot_t)seed_below(sizes[i]));
		for (a = 0; a < row.nr_members; a++) {
			for (b = 0; b < a; b++) {
				recover(&row, a, b, block_a, block_b);
				if (memcmp(block_a, row.block[a], BLOCK_BYTES) ||
				    memcmp(block_b, row.block[b], BLOCK_BYTES))
					fail_msg("%u members, P in %u: slots %u and %u are lost",
						 row.nr_members, row.p_slot, a, b);
			}
		}
	}
}

/* The shortcut of a small write: add the difference, and the sums are those of the new row. */
static void the_difference_of_a_write_updates_both_sums(void **state)
{
	u8 new[BLOCK_BYTES], change[BLOCK_BYTES], p[BLOCK_BYTES], q[BLOCK_BYTES];
	static struct row row;
	unsigned int nr_members;
	slot_t s;

	(void)state;
	seed_begin("the_difference_of_a_write_updates_both_sums");
	for (nr_members = 4; nr_members <= 12; nr_members++) {
		fill_row(&row, nr_members, (slot_t)seed_below(nr_members));
		for (s = 0; s < nr_members; s++) {
			if (!is_data(&row, s))
				continue;
			seed_fill(new, sizeof(new));
			memcpy(change, row.block[s], sizeof(change));
			cascade_parity_xor(change, new, sizeof(change));
			cascade_parity_xor(row.block[row.p_slot], change, sizeof(change));
			cascade_parity_q_add(row.block[row.q_slot], change, s, sizeof(change));
			memcpy(row.block[s], new, sizeof(new));
			sums_without(&row, row.p_slot, row.p_slot, p, q);
			assert_memory_equal(p, row.block[row.p_slot], sizeof(p));
			assert_memory_equal(q, row.block[row.q_slot], sizeof(q));
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_runs_through_the_field),
		cmocka_unit_test(products_of_the_literature),
		cmocka_unit_test(q_of_every_byte_in_every_slot),
		cmocka_unit_test(slots_differ_in_their_coefficients),
		cmocka_unit_test(sums_of_any_length),
		cmocka_unit_test(a_sum_with_itself_is_zero),
		cmocka_unit_test(q_is_linear),
		cmocka_unit_test(every_pair_of_lost_blocks_comes_back),
		cmocka_unit_test(the_difference_of_a_write_updates_both_sums),
	};

	return cmocka_run_group_tests_name("parity", tests, fill_tables, NULL);
}
