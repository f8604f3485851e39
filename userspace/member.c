// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a device's superblock copies. Nothing that is read is trusted; decode
 * checks every field.
 */
#include <stdlib.h>
#include <unistd.h>

#include "member.h"
#include "msg.h"

static int read_copy(struct cascade_member *m, int fd, unsigned int copy, void *buf)
{
	u64 sector = cascade_sb_copy_sector(copy);
	ssize_t nr;

	m->faults[copy] = CASCADE_SB_BLANK;
	if (sector + CASCADE_SB_SECTORS > m->dev.size_sectors)
		return 0;
	nr = pread(fd, buf, CASCADE_SB_BYTES, (off_t)(sector * CASCADE_SECTOR_BYTES));
	if (nr != (ssize_t)CASCADE_SB_BYTES) {
		cascade_msg_error(m->dev.path, "cannot read superblock copy %u: %s", copy,
				  nr < 0 ? strerror(errno) : "short read");
		return -1;
	}
	m->faults[copy] = cascade_sb_decode(&m->copies[copy], buf);
	return 0;
}

int cascade_member_read(struct cascade_member *m, const char *path)
{
	unsigned int copy, nr_failed = 0;
	void *buf = NULL;
	int fd;

	m->newest = -1;
	if (cascade_device_get(&m->dev, path))
		return -1;
	fd = cascade_device_open(&m->dev);
	if (fd < 0)
		return -1;
	if (posix_memalign(&buf, CASCADE_SB_BYTES, CASCADE_SB_BYTES))
		abort();
	for (copy = 0; copy < CASCADE_SB_COPIES; copy++) {
		if (read_copy(m, fd, copy, buf))
			nr_failed++;
		else if (m->faults[copy] == CASCADE_SB_OK &&
			 (m->newest < 0 || m->copies[copy].events > m->copies[m->newest].events))
			m->newest = (int)copy;
	}
	free(buf);
	close(fd);
	/* one unreadable copy is what the other is for */
	return nr_failed == CASCADE_SB_COPIES ? -1 : 0;
}
