/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the load in the guest and the judge on the host agree on: what a write puts
 * into a sector, and the records of the ledger.
 *
 * A sector's content follows from its number, the round (one from start to power
 * cut) and the number of the write in the round, and begins with them in clear, so
 * that a sector found tells where it comes from. Both sides are little-endian.
 */
#ifndef POWER_SECTOR_H
#define POWER_SECTOR_H

#include <stdint.h>
#include <string.h>

#define SECTOR_BYTES 512u
#define SECTOR_WORDS (SECTOR_BYTES / 8)
#define SECTOR_MAGIC 0x726f746365736163u
/* The longest write. */
#define WRITE_MAX_SECTORS 512u

struct sector_head {
	uint64_t magic;
	uint32_t sector;
	uint32_t round;
	uint32_t seq;
	uint32_t zero;
};

/* Fills 512 bytes. */
static inline void sector_fill(void *buf, uint32_t sector, uint32_t round, uint32_t seq)
{
	struct sector_head head = {
		.magic = SECTOR_MAGIC, .sector = sector, .round = round, .seq = seq,
	};
	uint64_t words[SECTOR_WORDS];
	uint64_t x = ((uint64_t)sector << 32 | seq) * 0x9e3779b97f4a7c15u + round + 1;
	unsigned int i;

	for (i = sizeof(head) / 8; i < SECTOR_WORDS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = x;
	}
	memcpy(words, &head, sizeof(head));
	memcpy(buf, words, sizeof(words));
}

enum record_type {
	WRITE_ISSUED = 'W',
	WRITE_DONE = 'w',
	FLUSH_ISSUED = 'F',
	FLUSH_DONE = 'f',
	/* A step of the guest's script; seq tells which. */
	NOTE = 'n',
};

/* Of a flush only type and seq are set. */
struct record {
	uint8_t type;
	uint8_t fua;
	uint16_t nr_sectors;
	uint32_t sector;
	uint32_t seq;
	uint32_t sum;
};

static inline uint32_t record_sum(const struct record *r)
{
	uint32_t x = r->type | r->fua << 8 | (uint32_t)r->nr_sectors << 16;

	x = (x ^ 0x9e3779b9u) * 0x85ebca6bu;
	x = (x ^ x >> 13 ^ r->sector) * 0xc2b2ae35u;
	x = (x ^ x >> 16 ^ r->seq) * 0x27d4eb2fu;
	return x ^ x >> 15;
}

#endif /* POWER_SECTOR_H */
