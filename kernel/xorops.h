/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of blocks, by the kernel's own xor routines.
 */
#ifndef CASCADE_XOROPS_H
#define CASCADE_XOROPS_H

#include "cascade.h"

/**
 * cascade_xorops_add() - Add blocks to a block.
 * @dst: CASCADE_BLOCK_BYTES, changed in place.
 * @src: Blocks of the same length.
 * @nr: How many; may be 0.
 *
 * Context: Process or soft interrupt; uses vector registers.
 */
void cascade_xorops_add(void *dst, void **src, unsigned int nr);

/**
 * cascade_xorops_sum() - Set a block to the sum of blocks.
 * @dst: CASCADE_BLOCK_BYTES, written whole.
 * @src: Blocks of the same length.
 * @nr: How many; zeroes are the sum of none.
 *
 * Context: Process or soft interrupt; uses vector registers.
 */
void cascade_xorops_sum(void *dst, void **src, unsigned int nr);

#endif /* CASCADE_XOROPS_H */
