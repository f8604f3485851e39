// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of blocks: hands the kernel's xor_blocks() as many sources at a time as it
 * takes.
 */
#include <linux/raid/xor.h>

#include "xorops.h"

void cascade_xorops_add(void *dst, void **src, unsigned int nr)
{
	while (nr) {
		unsigned int n = min_t(unsigned int, nr, MAX_XOR_BLOCKS);

		xor_blocks(n, CASCADE_BLOCK_BYTES, dst, src);
		src += n;
		nr -= n;
	}
}

void cascade_xorops_sum(void *dst, void **src, unsigned int nr)
{
	if (!nr) {
		memset(dst, 0, CASCADE_BLOCK_BYTES);
		return;
	}
	memcpy(dst, src[0], CASCADE_BLOCK_BYTES);
	cascade_xorops_add(dst, src + 1, nr - 1);
}
