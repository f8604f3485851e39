/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Units that the compiler tells apart, and the limits of an array.
 *
 * A sector is 512 bytes, whatever the devices' block size; a block is 4 KiB,
 * whatever the page size: validity, parity and repair are kept per block.
 */
#ifndef CASCADE_CORE_UNITS_H
#define CASCADE_CORE_UNITS_H

#include "env.h"

/** typedef lsect_t - A sector of the array, as its user counts them. */
typedef struct {
	u64 s;
} lsect_t;

/** typedef msect_t - A sector of a member's data area; 0 is its first. */
typedef struct {
	u64 s;
} msect_t;

/** typedef slot_t - A member's place in the array, 0 to CASCADE_MEMBERS_MAX - 1. */
typedef unsigned int slot_t;

#define CASCADE_SECTOR_BYTES 512u
#define CASCADE_BLOCK_BYTES 4096u
#define CASCADE_BLOCK_SECTORS 8u

/* The part of a row that is handled at once: at most this much of each member. */
#define CASCADE_UNIT_BLOCKS 16u
#define CASCADE_UNIT_SECTORS (CASCADE_UNIT_BLOCKS * CASCADE_BLOCK_SECTORS)

#define CASCADE_MEMBERS_MAX 64u
#define CASCADE_CHUNK_SECTORS_MIN 8u
#define CASCADE_CHUNK_SECTORS_MAX 32768u
#define CASCADE_NAME_MAX 63u
#define CASCADE_UUID_BYTES 16u
#define CASCADE_UUID_TEXT_BYTES 37u
#define CASCADE_MIB_SECTORS 2048u

static inline lsect_t lsect(u64 s)
{
	return (lsect_t){ s };
}

static inline msect_t msect(u64 s)
{
	return (msect_t){ s };
}

#endif /* CASCADE_CORE_UNITS_H */
