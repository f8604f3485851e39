// SPDX-License-Identifier: GPL-2.0-only
/*
 * The disk with a volatile write cache, without its server: what a power cut leaves
 * in the file, and the faults of its control file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../disks/power.c"
#include "core/env.h"

#define DISK_SECTORS 64u
#define DISK_BYTES (DISK_SECTORS * SECTOR_BYTES)

/* Stand-ins for the server. */

void nbdkit_error(const char *fs, ...)
{
	(void)fs;
}

char *nbdkit_realpath(const char *path)
{
	return strdup(path);
}

char *nbdkit_absolute_path(const char *path)
{
	return strdup(path);
}

int nbdkit_parse_uint64_t(const char *what, const char *str, uint64_t *r)
{
	(void)what;
	*r = strtoull(str, NULL, 0);
	return 0;
}

static unsigned int nr_waits;

static void fault(const char *text);

int nbdkit_nanosleep(unsigned int sec, unsigned int nsec)
{
	(void)sec;
	(void)nsec;
	if (++nr_waits == 3)
		fault("");
	return 0;
}

/* A disk whose file and control file have no name. */

static int disk_fd, control_fd = -1;

static int unnamed(const char *text, char **path)
{
	int file = memfd_create("power", 0);

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	free(*path);
	assert_true(asprintf(path, "/proc/self/fd/%d", file) > 0);
	return file;
}

static void fault(const char *text)
{
	int old = control_fd;

	control_fd = unnamed(text, &control_path);
	if (old >= 0)
		close(old);
}

static void power_on(uint64_t seed)
{
	random_state = seed;
	assert_int_equal(power_get_ready(), 0);
}

static void cut(void)
{
	power_cut();
	munmap(seen, disk_bytes);
	free(is_bad);
	close(fd);
	fd = -1;
}

static int set_up(void **state)
{
	(void)state;
	disk_fd = unnamed("", &file_path);
	assert_int_equal(ftruncate(disk_fd, DISK_BYTES), 0);
	fault("");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(disk_fd);
	close(control_fd);
	control_fd = -1;
	return 0;
}

static int put_sectors(uint32_t sector, uint32_t nr, uint8_t byte, uint32_t flags)
{
	uint8_t data[DISK_BYTES];

	memset(data, byte, sizeof(data));
	return power_pwrite(NULL, data, nr * SECTOR_BYTES, sector * SECTOR_BYTES, flags);
}

/* The byte that fills a sector of the file; a sector is never torn. */
static uint8_t in_file(uint32_t sector)
{
	uint8_t data[SECTOR_BYTES];
	uint32_t i;

	assert_int_equal(pread(disk_fd, data, sizeof(data), sector * SECTOR_BYTES), sizeof(data));
	for (i = 1; i < sizeof(data); i++)
		assert_int_equal(data[i], data[0]);
	return data[0];
}

static int read_byte(uint32_t sector)
{
	uint8_t data[SECTOR_BYTES];

	if (power_pread(NULL, data, sizeof(data), sector * SECTOR_BYTES, 0))
		return -errno;
	return data[0];
}

static void what_was_written_is_read_and_stays_out_of_the_file(void **state)
{
	(void)state;
	power_on(1);
	assert_int_equal(put_sectors(3, 2, 'a', 0), 0);
	assert_int_equal(read_byte(2), 0);
	assert_int_equal(read_byte(3), 'a');
	assert_int_equal(read_byte(4), 'a');
	assert_int_equal(in_file(3), 0);
	assert_int_equal(power_flush(NULL, 0), 0);
	assert_int_equal(in_file(3), 'a');
	cut();
}

static void what_was_flushed_or_had_fua_survives(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 200; seed++) {
		power_on(seed);
		assert_int_equal(put_sectors(0, 8, 'a', 0), 0);
		assert_int_equal(power_flush(NULL, 0), 0);
		assert_int_equal(put_sectors(8, 8, 'x', 0), 0);
		assert_int_equal(put_sectors(8, 8, 'b', NBDKIT_FLAG_FUA), 0);
		cut();
		assert_int_equal(in_file(0), 'a');
		assert_int_equal(in_file(7), 'a');
		assert_int_equal(in_file(8), 'b');
		assert_int_equal(in_file(15), 'b');
		power_on(0);
		assert_int_equal(put_sectors(0, 16, 0, NBDKIT_FLAG_FUA), 0);
		cut();
	}
}

/* All fates are met, an older write may show for a lost newer one, and a seed repeats it. */
static void what_was_not_flushed_is_lost_kept_or_torn(void **state)
{
	unsigned int nr_lost = 0, nr_kept = 0, nr_torn = 0, nr_older = 0;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 200; seed++) {
		unsigned int pass, at, nr = 0;
		uint8_t got[2][DISK_SECTORS];

		for (pass = 0; pass < 2; pass++) {
			power_on(seed);
			assert_int_equal(put_sectors(0, DISK_SECTORS, 0, NBDKIT_FLAG_FUA), 0);
			assert_int_equal(power_flush(NULL, 0), 0);
			assert_int_equal(put_sectors(0, 16, 'a', 0), 0);
			assert_int_equal(put_sectors(32, 1, 'o', 0), 0);
			assert_int_equal(put_sectors(32, 1, 'n', 0), 0);
			cut();
			for (at = 0; at < DISK_SECTORS; at++)
				got[pass][at] = in_file(at);
		}
		assert_memory_equal(got[0], got[1], sizeof(got[0]));
		for (at = 0; at < 16; at++) {
			assert_true(!got[0][at] || got[0][at] == 'a');
			nr += got[0][at] == 'a';
		}
		for (; at < DISK_SECTORS; at++)
			assert_true(!got[0][at] || at == 32);
		nr_lost += nr == 0;
		nr_kept += nr == 16;
		nr_torn += nr > 0 && nr < 16;
		nr_older += got[0][32] == 'o';
	}
	assert_true(nr_lost > 20 && nr_kept > 20 && nr_torn > 20 && nr_older > 10);
}

static void bad_sectors_fail_until_they_are_written(void **state)
{
	(void)state;
	power_on(1);
	fault("bad 3 2\nbad 10 1\n");
	assert_int_equal(read_byte(2), 0);
	assert_int_equal(read_byte(3), -EIO);
	assert_int_equal(read_byte(4), -EIO);
	assert_int_equal(read_byte(5), 0);
	assert_int_equal(put_sectors(4, 1, 'a', 0), 0);
	assert_int_equal(read_byte(3), -EIO);
	assert_int_equal(read_byte(4), 'a');
	assert_int_equal(read_byte(10), -EIO);
	fault("bad 10 1\n");
	assert_int_equal(read_byte(3), 0);
	cut();
}

static void dead_disk_fails_every_request(void **state)
{
	(void)state;
	power_on(1);
	fault("dead\n");
	assert_int_equal(read_byte(0), -EIO);
	assert_int_equal(put_sectors(0, 1, 'a', 0), -1);
	assert_int_equal(power_flush(NULL, 0), -1);
	fault("");
	assert_int_equal(read_byte(0), 0);
	cut();
}

static void hanging_disk_answers_when_the_line_is_gone(void **state)
{
	(void)state;
	power_on(1);
	nr_waits = 0;
	fault("hang\n");
	assert_int_equal(read_byte(0), 0);
	assert_int_equal(nr_waits, 3);
	cut();
}

static void disk_that_ignores_flushes_loses_what_was_flushed(void **state)
{
	unsigned int nr_lost = 0;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 50; seed++) {
		power_on(seed);
		assert_int_equal(put_sectors(0, 1, 0, 0), 0);
		assert_int_equal(power_flush(NULL, 0), 0);
		fault("ignore-flush\n");
		assert_int_equal(put_sectors(0, 1, 'a', NBDKIT_FLAG_FUA), 0);
		assert_int_equal(power_flush(NULL, 0), 0);
		cut();
		nr_lost += !in_file(0);
		fault("");
	}
	assert_true(nr_lost > 5);
}

static void other_lines_are_refused(void **state)
{
	static const char * const texts[] = { "dea\n", "dead", "bad 3\n", "bad 63 2\n",
					      "bad 65 0\n", "bad 1 18446744073709551615\n" };
	size_t i;

	(void)state;
	power_on(1);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		fault(texts[i]);
		if (read_byte(0) != -EINVAL)
			fail_msg("%s: expected to be refused", texts[i]);
	}
	fault("");
	cut();
}

#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(what_was_written_is_read_and_stays_out_of_the_file),
		DISK_TEST(what_was_flushed_or_had_fua_survives),
		DISK_TEST(what_was_not_flushed_is_lost_kept_or_torn),
		DISK_TEST(bad_sectors_fail_until_they_are_written),
		DISK_TEST(dead_disk_fails_every_request),
		DISK_TEST(hanging_disk_answers_when_the_line_is_gone),
		DISK_TEST(disk_that_ignores_flushes_loses_what_was_flushed),
		DISK_TEST(other_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
