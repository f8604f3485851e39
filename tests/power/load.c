// SPDX-License-Identifier: GPL-2.0-only
/*
 * The load of a power cut, in the guest: random writes, flushes and FUA, several in
 * flight, until the power goes. It needs no library but libc.
 *
 *	load DEVICE SECTORS ROW_SECTORS SEED ROUND FILL
 *	load note N
 *
 * With FILL not 0, all of the device is written and flushed first. The ledger is
 * port 0xe9, which QEMU's debug console puts into a file before the next
 * instruction of the guest is run. So a request that was never noted as issued
 * cannot have reached a disk, and what is noted as done was done.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sector.h"

#define LEDGER_PORT 0xe9
#define QUEUE_MAX 32

#ifndef RWF_DSYNC
#define RWF_DSYNC 2
#endif

struct request {
	struct iocb iocb;
	struct record issued;
	bool busy;
	uint8_t *data;
};

static struct request requests[QUEUE_MAX];
static unsigned int nr_busy, queue_depth;
static aio_context_t aio;
static int fd;
static uint64_t random_state;
static uint32_t nr_sectors, row_sectors, this_round, next_seq = 1;
/* Of so many requests one is a flush; of so many writes one has FUA. 0: none. */
static unsigned int flush_one_of, fua_one_of;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t random_next(void)
{
	uint64_t z = (random_state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t random_below(uint32_t bound)
{
	return random_next() % bound;
}

static void note(struct record r)
{
	r.sum = record_sum(&r);
	/* The C library does not tell the compiler that outsb() reads memory. */
	__asm__ __volatile__("" : : "r"(&r) : "memory");
	outsb(LEDGER_PORT, &r, sizeof(r));
}

static void submit(struct request *q, uint8_t type)
{
	struct iocb *iocb = &q->iocb;
	unsigned int i;

	memset(iocb, 0, sizeof(*iocb));
	iocb->aio_data = (uintptr_t)q;
	iocb->aio_fildes = fd;
	q->issued.type = type;
	q->issued.seq = next_seq++;
	if (type == FLUSH_ISSUED) {
		iocb->aio_lio_opcode = IOCB_CMD_FSYNC;
	} else {
		for (i = 0; i < q->issued.nr_sectors; i++)
			sector_fill(q->data + i * SECTOR_BYTES, q->issued.sector + i, this_round,
				    q->issued.seq);
		iocb->aio_lio_opcode = IOCB_CMD_PWRITE;
		iocb->aio_buf = (uintptr_t)q->data;
		iocb->aio_nbytes = q->issued.nr_sectors * SECTOR_BYTES;
		iocb->aio_offset = (uint64_t)q->issued.sector * SECTOR_BYTES;
		iocb->aio_rw_flags = q->issued.fua ? RWF_DSYNC : 0;
	}
	note(q->issued);
	q->busy = true;
	nr_busy++;
	if (syscall(SYS_io_submit, aio, 1L, &iocb) != 1)
		die("io_submit");
}

/* Waits until no more than so many are in flight. */
static void reap(unsigned int limit)
{
	struct io_event events[QUEUE_MAX];
	long nr, i;

	while (nr_busy > limit) {
		nr = syscall(SYS_io_getevents, aio, 1L, (long)QUEUE_MAX, events, NULL);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			die("io_getevents");
		for (i = 0; i < nr; i++) {
			struct request *q = (struct request *)(uintptr_t)events[i].data;
			struct record done = q->issued;

			if (events[i].res != (int64_t)q->iocb.aio_nbytes) {
				fprintf(stderr, "%c of %u sectors at %u: got %lld\n", done.type,
					done.nr_sectors, done.sector, (long long)events[i].res);
				exit(1);
			}
			done.type = done.type == WRITE_ISSUED ? WRITE_DONE : FLUSH_DONE;
			note(done);
			q->busy = false;
			nr_busy--;
		}
	}
}

static struct request *idle_request(void)
{
	struct request *q = requests;

	reap(queue_depth - 1);
	while (q->busy)
		q++;
	q->issued = (struct record){ 0 };
	return q;
}

static void fill(void)
{
	uint32_t at;

	for (at = 0; at < nr_sectors; at += WRITE_MAX_SECTORS) {
		struct request *q = idle_request();

		q->issued.sector = at;
		q->issued.nr_sectors = nr_sectors - at < WRITE_MAX_SECTORS ? nr_sectors - at :
									     WRITE_MAX_SECTORS;
		submit(q, WRITE_ISSUED);
	}
	reap(0);
	submit(idle_request(), FLUSH_ISSUED);
	reap(0);
}

/* Sizes are spread evenly over powers of two; one write in eight is a whole row. */
static void choose(struct record *r)
{
	uint32_t limit = 1u << random_below(10), unit = 1;

	if (!random_below(8) && row_sectors <= WRITE_MAX_SECTORS) {
		r->nr_sectors = row_sectors;
		r->sector = random_below(nr_sectors / row_sectors) * row_sectors;
		return;
	}
	if (random_below(2))
		unit = limit < 8 ? limit : 8;
	r->nr_sectors = (random_below(limit) / unit + 1) * unit;
	/* Half of them meet in an eighth of the device. */
	r->sector = random_below((random_below(2) ? nr_sectors : nr_sectors / 8) - r->nr_sectors);
	r->sector -= r->sector % unit;
}

static bool one_of(unsigned int bound)
{
	return bound && !random_below(bound);
}

/*
 * Flushes and FUA, or one of them alone: a disk that emulates FUA flushes all that
 * it holds, and would hide that flushes do not reach it, or the other way round.
 */
static void choose_mix(void)
{
	unsigned int mix = random_below(3);

	queue_depth = 2 + random_below(QUEUE_MAX - 1);
	flush_one_of = mix == 1 ? 0 : 4u << random_below(5);
	fua_one_of = mix == 2 ? 0 : 4u << random_below(5);
}

static void run(void)
{
	for (;;) {
		struct request *q = idle_request();

		if (one_of(flush_one_of)) {
			submit(q, FLUSH_ISSUED);
			continue;
		}
		choose(&q->issued);
		q->issued.fua = one_of(fua_one_of);
		submit(q, WRITE_ISSUED);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (ioperm(LEDGER_PORT, 1, 1))
		die("ioperm");
	if (argc == 3 && !strcmp(argv[1], "note")) {
		note((struct record){ .type = NOTE, .seq = strtoul(argv[2], NULL, 0) });
		return 0;
	}
	if (argc != 7) {
		fprintf(stderr, "load DEVICE SECTORS ROW_SECTORS SEED ROUND FILL | note N\n");
		return 2;
	}
	nr_sectors = strtoul(argv[2], NULL, 0);
	row_sectors = strtoul(argv[3], NULL, 0);
	this_round = strtoul(argv[5], NULL, 0);
	random_state = strtoull(argv[4], NULL, 0) * 1000003 + this_round;
	choose_mix();
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		die(argv[1]);
	if (syscall(SYS_io_setup, (long)QUEUE_MAX, &aio))
		die("io_setup");
	for (i = 0; i < QUEUE_MAX; i++)
		if (posix_memalign((void **)&requests[i].data, 4096,
				   WRITE_MAX_SECTORS * SECTOR_BYTES))
			die("posix_memalign");
	if (strtoul(argv[6], NULL, 0))
		fill();
	run();
}
