// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judges what an array holds after a power cut.
 *
 *	judge LEDGER ROUND BEFORE AFTER SECTORS CHUNK_SECTORS MEMBERS MISSING
 *
 * BEFORE and AFTER are images of the array, as the round found and as it left it;
 * "-" for an array that was not read before. MISSING is a slot or -1. Prints a line
 * of figures, and each stretch of sectors that hold what they must not. Exit code 0:
 * none do; 1: some do; 2: it cannot be told.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ledger.h"

#define REPORTS_MAX 20

static void *read_file(const char *path, size_t *nr_bytes)
{
	size_t room = 1 << 20;
	char *data = malloc(room);
	FILE *f = fopen(path, "rb");

	*nr_bytes = 0;
	while (data && f) {
		size_t nr = fread(data + *nr_bytes, 1, room - *nr_bytes, f);

		if (!nr)
			break;
		*nr_bytes += nr;
		if (*nr_bytes == room)
			data = realloc(data, room *= 2);
	}
	if (!data || !f || ferror(f)) {
		perror(path);
		exit(2);
	}
	fclose(f);
	return data;
}

static uint8_t *read_image(const char *path, uint32_t nr_sectors)
{
	size_t nr_bytes;
	uint8_t *image;

	/* Nothing is known of it, and nothing may show of it once all was written. */
	if (!strcmp(path, "-"))
		return calloc(nr_sectors, SECTOR_BYTES);
	image = read_file(path, &nr_bytes);
	if (nr_bytes < (size_t)nr_sectors * SECTOR_BYTES) {
		fprintf(stderr, "%s: too short\n", path);
		exit(2);
	}
	return image;
}

/* The last write of a sector that is durable. */
static uint32_t floor_seq(const struct ledger *l, uint32_t sector)
{
	uint32_t seq;

	for (seq = l->nr_writes; seq; seq--)
		if (l->writes[seq].issued_at && l->writes[seq].issued_at == l->limit[sector])
			break;
	return seq;
}

static void report(const struct ledger *l, uint32_t from, uint32_t nr,
		   enum ledger_verdict verdict, uint32_t seq, const uint8_t *got)
{
	struct sector_head head;

	memcpy(&head, got, sizeof(head));
	printf("sectors %u to %u: expected ", from, from + nr - 1);
	if (l->limit[from])
		printf("write %u of round %u or a later one, got ", floor_seq(l, from), l->round);
	else
		printf("what was there or a write of round %u, got ", l->round);
	if (verdict == LEDGER_OLD && seq)
		printf("write %u\n", seq);
	else if (verdict == LEDGER_OLD)
		printf("what was there before the round\n");
	else if (head.magic == SECTOR_MAGIC)
		printf("sector %u of write %u of round %u\n", head.sector, head.seq, head.round);
	else
		printf("what was never written: %016llx ...\n", (unsigned long long)head.magic);
}

int main(int argc, char **argv)
{
	static uint32_t nr_of[LEDGER_NR_VERDICTS];
	struct array_shape shape;
	struct ledger l;
	uint32_t sector, from = 0, nr = 0, run_seq = 0, reports = 0;
	enum ledger_verdict run = LEDGER_NEWEST;
	uint8_t *before, *after;
	const char *wrong;
	size_t nr_bytes;
	void *records;

	if (argc != 9) {
		fprintf(stderr,
			"usage: judge LEDGER ROUND BEFORE AFTER SECTORS CHUNK_SECTORS MEMBERS MISSING\n");
		return 2;
	}
	shape.nr_sectors = atoi(argv[5]);
	shape.chunk_sectors = atoi(argv[6]);
	shape.nr_members = atoi(argv[7]);
	shape.missing = atoi(argv[8]);
	records = read_file(argv[1], &nr_bytes);
	wrong = ledger_read(&l, &shape, atoi(argv[2]), records, nr_bytes);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", argv[1], wrong);
		return 2;
	}
	before = read_image(argv[3], shape.nr_sectors);
	after = read_image(argv[4], shape.nr_sectors);

	for (sector = 0; sector <= shape.nr_sectors; sector++) {
		size_t at = (size_t)sector * SECTOR_BYTES;
		enum ledger_verdict verdict = LEDGER_NEWEST;
		uint32_t seq = 0;

		if (sector < shape.nr_sectors) {
			verdict = ledger_judge(&l, sector, after + at, before + at, &seq);
			nr_of[verdict]++;
		}
		if (nr && verdict == run && seq == run_seq) {
			nr++;
			continue;
		}
		if (nr && reports++ < REPORTS_MAX)
			report(&l, from, nr, run, run_seq, after + (size_t)from * SECTOR_BYTES);
		nr = verdict == LEDGER_OLD || verdict == LEDGER_FOREIGN;
		from = sector;
		run = verdict;
		run_seq = seq;
	}
	if (reports > REPORTS_MAX)
		printf("and %u stretches more\n", reports - REPORTS_MAX);
	printf("%u writes issued, %u acknowledged, %u durable, %u flushes; ",
	       l.nr_acknowledged + l.nr_in_flight, l.nr_acknowledged, l.nr_durable, l.nr_flushes);
	printf("sectors: %u newest, %u older, allowed, %u lost at risk, %u too old, %u foreign\n",
	       nr_of[LEDGER_NEWEST], nr_of[LEDGER_ALLOWED], nr_of[LEDGER_AT_RISK],
	       nr_of[LEDGER_OLD], nr_of[LEDGER_FOREIGN]);
	ledger_free(&l);
	free(records);
	free(before);
	free(after);
	return nr_of[LEDGER_OLD] || nr_of[LEDGER_FOREIGN];
}
