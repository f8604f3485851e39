// SPDX-License-Identifier: GPL-2.0-only
/*
 * An nbdkit plugin: a disk with a volatile write cache. The end of the process
 * (SIGTERM) is the power cut, after which the file holds what the platters of
 * such a disk would.
 *
 *	file=PATH	what is durable, of the disk's size; may be sparse
 *	seed=N		decides what the cut does to each write
 *	control=PATH	faults, below; may be absent, and appear while the disk runs
 *
 * Writes since the last flush stand in a log, in the order in which they came. At
 * the cut the log is gone through in that order, and of each write
 *
 *	all sectors, no sector, or each of 512 bytes by a toss of a coin
 *
 * reach the file. One of them may so show an older write that a later one had
 * overwritten in the cache: disks destage in any order. A write with FUA keeps its
 * place in the log, and always reaches the file. At one cut in four a disk loses or
 * keeps all of its log.
 *
 * A control file is looked at before each request, and taken whole when it is
 * another one than before: put a new one in its place with rename(). Its lines:
 *
 *	bad START COUNT	these sectors cannot be read until they are written
 *	hang		requests wait until this line is gone
 *	dead		requests fail
 *	ignore-flush	flushes and FUA are acknowledged, and that is all
 *
 * Sectors that were written are bad again when a new control file names them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

/* A disk has an order to keep, and a thread for itself. */
#define THREAD_MODEL NBDKIT_THREAD_MODEL_SERIALIZE_ALL_REQUESTS

#define SECTOR_BYTES 512u
/* As in a real disk, what does not fit is destaged without being asked. */
#define LOG_MAX_BYTES (64u << 20)

struct entry {
	struct entry *next;
	uint64_t offset_bytes;
	uint32_t nr_bytes;
	bool durable;
	uint8_t data[];
};

static char *file_path;
static char *control_path;
static uint64_t random_state;

static int fd = -1;
static uint64_t disk_bytes;
/* What reads see: a private mapping of the file, with the writes in it. */
static uint8_t *seen;

static struct entry *oldest;
static struct entry **newest = &oldest;
static uint64_t log_bytes;
static unsigned int nr_flushes;

static struct stat control;
static uint8_t *is_bad;
static bool hangs, is_dead, ignores_flush;

static uint64_t random_next(void)
{
	uint64_t z = (random_state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The log. */

static int put(const void *data, uint32_t nr_bytes, uint64_t offset_bytes)
{
	while (nr_bytes) {
		ssize_t nr = pwrite(fd, data, nr_bytes, offset_bytes);

		if (nr < 0) {
			nbdkit_error("%s: write: %m", file_path);
			return -1;
		}
		data = (const uint8_t *)data + nr;
		nr_bytes -= nr;
		offset_bytes += nr;
	}
	return 0;
}

static void drop_oldest(void)
{
	struct entry *e = oldest;

	oldest = e->next;
	if (!oldest)
		newest = &oldest;
	log_bytes -= e->nr_bytes;
	free(e);
}

/* Until no more than so much is left. */
static int destage(uint64_t left_bytes)
{
	while (oldest && log_bytes > left_bytes) {
		if (put(oldest->data, oldest->nr_bytes, oldest->offset_bytes))
			return -1;
		drop_oldest();
	}
	return 0;
}

static int append(const void *data, uint32_t nr_bytes, uint64_t offset_bytes, bool durable)
{
	struct entry *e = malloc(sizeof(*e) + nr_bytes);

	if (!e) {
		nbdkit_error("no memory");
		errno = ENOMEM;
		return -1;
	}
	e->next = NULL;
	e->offset_bytes = offset_bytes;
	e->nr_bytes = nr_bytes;
	e->durable = durable;
	memcpy(e->data, data, nr_bytes);
	*newest = e;
	newest = &e->next;
	log_bytes += nr_bytes;
	return destage(LOG_MAX_BYTES);
}

/* The power cut. */

enum fate { LOST, KEPT, TORN, NR_FATES };

static int meet(const struct entry *e, enum fate fate)
{
	uint32_t at;

	if (fate == LOST)
		return 0;
	if (fate == KEPT)
		return put(e->data, e->nr_bytes, e->offset_bytes);
	for (at = 0; at < e->nr_bytes; at += SECTOR_BYTES)
		if (random_next() & 1 && put(e->data + at, SECTOR_BYTES, e->offset_bytes + at))
			return -1;
	return 0;
}

static void power_cut(void)
{
	unsigned int nr[NR_FATES] = { 0 };
	unsigned int nr_durable = 0;
	uint64_t of_all = random_next() % 8;

	if (fd < 0)
		return;
	for (; oldest; drop_oldest()) {
		enum fate fate = of_all < TORN ? (enum fate)of_all : random_next() % NR_FATES;

		if (oldest->durable)
			nr_durable++;
		else
			nr[fate]++;
		if (meet(oldest, oldest->durable ? KEPT : fate)) {
			fprintf(stderr, "%s: the power cut failed\n", file_path);
			_exit(1);
		}
	}
	fprintf(stderr, "%s: %u flushes; after the last: %u lost, %u kept, %u torn, %u FUA\n",
		file_path, nr_flushes, nr[LOST], nr[KEPT], nr[TORN], nr_durable);
}

/* Faults. */

static int take_line(const char *line)
{
	uint64_t start, count, nr_sectors = disk_bytes / SECTOR_BYTES;

	if (sscanf(line, "bad %" SCNu64 " %" SCNu64, &start, &count) == 2 &&
	    start <= nr_sectors && count <= nr_sectors - start) {
		memset(is_bad + start, 1, count);
	} else if (!strcmp(line, "hang\n")) {
		hangs = true;
	} else if (!strcmp(line, "dead\n")) {
		is_dead = true;
	} else if (!strcmp(line, "ignore-flush\n")) {
		ignores_flush = true;
	} else {
		nbdkit_error("%s: bad START COUNT, hang, dead, ignore-flush are accepted, not: %s",
			     control_path, line);
		errno = EINVAL;
		return -1;
	}
	return 0;
}

static int take_control(void)
{
	struct stat now = { 0 };
	char line[256];
	FILE *f = NULL;
	int r = 0;

	if (!control_path)
		return 0;
	if (stat(control_path, &now))
		memset(&now, 0, sizeof(now));
	if (now.st_ino == control.st_ino && now.st_size == control.st_size &&
	    now.st_mtim.tv_sec == control.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == control.st_mtim.tv_nsec)
		return 0;
	control = now;
	memset(is_bad, 0, disk_bytes / SECTOR_BYTES);
	hangs = false;
	is_dead = false;
	ignores_flush = false;
	if (now.st_ino)
		f = fopen(control_path, "r");
	if (!f)
		return 0;
	while (!r && fgets(line, sizeof(line), f))
		r = take_line(line);
	fclose(f);
	return r;
}

/* Before each request: 0 if it is to be served. */
static int begin(void)
{
	if (take_control())
		return -1;
	while (hangs) {
		if (nbdkit_nanosleep(0, 10 * 1000 * 1000) || take_control())
			return -1;
	}
	if (is_dead) {
		errno = EIO;
		return -1;
	}
	return 0;
}

/* What nbdkit calls. */

static int power_config(const char *key, const char *value)
{
	if (!strcmp(key, "file")) {
		file_path = nbdkit_realpath(value);
		return file_path ? 0 : -1;
	}
	if (!strcmp(key, "control")) {
		control_path = nbdkit_absolute_path(value);
		return control_path ? 0 : -1;
	}
	if (!strcmp(key, "seed"))
		return nbdkit_parse_uint64_t("seed", value, &random_state);
	nbdkit_error("unknown parameter %s: file, seed and control are known", key);
	return -1;
}

static int power_config_complete(void)
{
	if (file_path)
		return 0;
	nbdkit_error("the parameter file is missing");
	return -1;
}

static int power_get_ready(void)
{
	struct stat st;

	fd = open(file_path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		nbdkit_error("%s: %m", file_path);
		return -1;
	}
	disk_bytes = st.st_size;
	if (!disk_bytes || disk_bytes % SECTOR_BYTES) {
		nbdkit_error("%s: %" PRIu64 " bytes are no whole number of sectors", file_path,
			     disk_bytes);
		return -1;
	}
	seen = mmap(NULL, disk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	is_bad = calloc(disk_bytes / SECTOR_BYTES, 1);
	if (seen == MAP_FAILED || !is_bad) {
		nbdkit_error("no memory");
		return -1;
	}
	return 0;
}

static void *power_open(int readonly)
{
	(void)readonly;
	return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t power_get_size(void *handle)
{
	(void)handle;
	return disk_bytes;
}

static int power_block_size(void *handle, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
	(void)handle;
	*minimum = SECTOR_BYTES;
	*preferred = 4096;
	*maximum = 0xffffffff;
	return 0;
}

static int power_can_fua(void *handle)
{
	(void)handle;
	return NBDKIT_FUA_NATIVE;
}

static int power_pread(void *handle, void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
	(void)handle;
	(void)flags;
	if (begin())
		return -1;
	if (memchr(is_bad + offset / SECTOR_BYTES, 1, count / SECTOR_BYTES)) {
		errno = EIO;
		return -1;
	}
	memcpy(buf, seen + offset, count);
	return 0;
}

static int power_pwrite(void *handle, const void *buf, uint32_t count, uint64_t offset,
			uint32_t flags)
{
	(void)handle;
	if (begin())
		return -1;
	if (append(buf, count, offset, flags & NBDKIT_FLAG_FUA && !ignores_flush))
		return -1;
	memcpy(seen + offset, buf, count);
	memset(is_bad + offset / SECTOR_BYTES, 0, count / SECTOR_BYTES);
	return 0;
}

static int power_flush(void *handle, uint32_t flags)
{
	(void)handle;
	(void)flags;
	if (begin())
		return -1;
	if (ignores_flush)
		return 0;
	nr_flushes++;
	return destage(0);
}

static struct nbdkit_plugin plugin = {
	.name = "power",
	.longname = "a disk with a volatile write cache",
	.config = power_config,
	.config_complete = power_config_complete,
	.config_help = "file=<PATH> (required), seed=<N>, control=<PATH>",
	.get_ready = power_get_ready,
	.cleanup = power_cut,
	.open = power_open,
	.get_size = power_get_size,
	.block_size = power_block_size,
	.can_fua = power_can_fua,
	.pread = power_pread,
	.pwrite = power_pwrite,
	.flush = power_flush,
	.errno_is_preserved = 1,
};

NBDKIT_REGISTER_PLUGIN(plugin)
