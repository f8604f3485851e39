// SPDX-License-Identifier: GPL-2.0-only
/*
 * P and Q on buffers: the plain reference, a byte at a time.
 */
#include "parity.h"

static u8 times_two(u8 x)
{
	return (u8)(x << 1) ^ (x & 0x80 ? 0x1d : 0);
}

void cascade_parity_xor(u8 *dst, const u8 *src, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		dst[i] ^= src[i];
}

void cascade_parity_q_add(u8 *q, const u8 *src, slot_t slot, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++) {
		slot_t power = slot;
		u8 x = src[i];

		while (power--)
			x = times_two(x);
		q[i] ^= x;
	}
}
