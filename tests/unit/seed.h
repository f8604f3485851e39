/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random inputs that can be had again: the seed is printed at the start of a test
 * and taken from the variable CASCADE_SEED where that is set.
 */
#ifndef CASCADE_TEST_SEED_H
#define CASCADE_TEST_SEED_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed_state;

static inline uint64_t seed_next(void)
{
	uint64_t z = (seed_state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* From 0 to below the bound. */
static inline uint64_t seed_below(uint64_t bound)
{
	return seed_next() % bound;
}

static inline void seed_fill(void *buf, size_t nr_bytes)
{
	uint8_t *byte = buf;

	while (nr_bytes--)
		*byte++ = (uint8_t)seed_next();
}

static inline void seed_begin(const char *what)
{
	const char *given = getenv("CASCADE_SEED");

	seed_state = given ? strtoull(given, NULL, 0) :
			     (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
	printf("%s: CASCADE_SEED=%" PRIu64 "\n", what, seed_state);
	fflush(stdout);
}

#endif /* CASCADE_TEST_SEED_H */
