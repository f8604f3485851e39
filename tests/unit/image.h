/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks as an older version wrote them, kept as files in data/. Every later
 * version must read them; they are never made anew.
 */
#ifndef CASCADE_TEST_IMAGE_H
#define CASCADE_TEST_IMAGE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where data/ lies: CASCADE_TEST_DATA, or beside this file. */
static inline void image_read(const char *name, void *buf, size_t nr_bytes)
{
	const char *given = getenv("CASCADE_TEST_DATA");
	const char *slash = strrchr(__FILE__, '/');
	char path[4096];
	FILE *file;

	if (given)
		snprintf(path, sizeof(path), "%s/%s", given, name);
	else
		snprintf(path, sizeof(path), "%.*sdata/%s",
			 slash ? (int)(slash - __FILE__ + 1) : 0, __FILE__, name);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fread(buf, 1, nr_bytes, file), nr_bytes);
	fclose(file);
}

/* Never over a file that is there. */
static inline int image_write(const char *path, const void *buf, size_t nr_bytes)
{
	FILE *file = fopen(path, "wxb");
	int r;

	if (!file) {
		perror(path);
		return 1;
	}
	r = fwrite(buf, 1, nr_bytes, file) != nr_bytes;
	return fclose(file) || r ? 1 : 0;
}

#endif /* CASCADE_TEST_IMAGE_H */
