/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * P and Q on buffers, in plain C.
 *
 * The reference that the tests, the model and the tool use; the module computes
 * with the kernel's own xor and raid6 routines (xorops), which must agree. Field
 * and generator are those of H. P. Anvin, "The mathematics of RAID-6": GF(2^8)
 * with the polynomial 0x11d and the generator 2. The coefficient of a data block
 * in Q is 2 to the power of its slot.
 */
#ifndef CASCADE_CORE_PARITY_H
#define CASCADE_CORE_PARITY_H

#include "units.h"

/**
 * cascade_parity_xor() - Add one buffer to another.
 * @dst: Changed in place.
 * @src: Added to it.
 * @nr_bytes: Length of both.
 *
 * Context: Any context.
 */
void cascade_parity_xor(u8 *dst, const u8 *src, size_t nr_bytes);

/**
 * cascade_parity_q_add() - Add a data block's share to Q.
 * @q: Changed in place.
 * @src: Data, or the difference of old and new data.
 * @slot: Slot of the data block.
 * @nr_bytes: Length of both.
 *
 * Context: Any context.
 */
void cascade_parity_q_add(u8 *q, const u8 *src, slot_t slot, size_t nr_bytes);

#endif /* CASCADE_CORE_PARITY_H */
