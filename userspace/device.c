// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a device is: kind, size, names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/units.h"
#include "device.h"
#include "msg.h"

static int get_block(struct cascade_device *dev, int fd)
{
	int block_bytes = 0, read_only = 0;
	u64 bytes;

	if (ioctl(fd, BLKGETSIZE64, &bytes) || ioctl(fd, BLKSSZGET, &block_bytes) ||
	    ioctl(fd, BLKROGET, &read_only)) {
		cascade_msg_error(dev->path, "cannot read its size: %s", strerror(errno));
		return -1;
	}
	dev->size_sectors = bytes / CASCADE_SECTOR_BYTES;
	dev->block_bytes = (u32)block_bytes;
	dev->read_only = read_only;
	return 0;
}

int cascade_device_get(struct cascade_device *dev, const char *path)
{
	struct stat st;
	int fd, r = 0;

	memset(dev, 0, sizeof(*dev));
	dev->path = path;
	/* without O_NONBLOCK a fifo or a sleeping tape would keep us here */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		cascade_msg_error(path, "cannot open: %s", strerror(errno));
		r = -1;
	} else if (S_ISBLK(st.st_mode)) {
		dev->is_block = true;
		dev->major = major(st.st_rdev);
		dev->minor = minor(st.st_rdev);
		r = get_block(dev, fd);
	} else if (S_ISREG(st.st_mode)) {
		dev->size_sectors = (u64)st.st_size / CASCADE_SECTOR_BYTES;
		dev->block_bytes = CASCADE_SECTOR_BYTES;
		dev->file_dev = st.st_dev;
		dev->file_ino = st.st_ino;
	} else {
		cascade_msg_error(path,
				  "is neither a block device nor an image file: name a device");
		r = -1;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

int cascade_device_open(const struct cascade_device *dev)
{
	int fd = -1;

	if (dev->is_block)
		fd = open(dev->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (fd < 0)
		fd = open(dev->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		cascade_msg_error(dev->path, "cannot open: %s", strerror(errno));
	return fd;
}

bool cascade_device_same(const struct cascade_device *a, const struct cascade_device *b)
{
	if (a->is_block != b->is_block)
		return false;
	if (a->is_block)
		return a->major == b->major && a->minor == b->minor;
	return a->file_dev == b->file_dev && a->file_ino == b->file_ino;
}

/* Reads one line of a small file; false if there is none. */
static bool read_line(const char *path, char *line, size_t nr_bytes)
{
	FILE *file = fopen(path, "re");
	bool ok;

	if (!file)
		return false;
	ok = fgets(line, (int)nr_bytes, file);
	fclose(file);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static bool name_from_uevent(u32 major, u32 minor, char *name)
{
	static const char key[] = "DEVNAME=";
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major, minor);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(name, CASCADE_DEVICE_NAME_BYTES, "/dev/%s", line + sizeof(key) - 1);
		found = true;
	}
	fclose(file);
	return found;
}

const char *cascade_device_name(u32 major, u32 minor, char *name)
{
	char path[64], dm_name[256];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm/name", major, minor);
	if (read_line(path, dm_name, sizeof(dm_name)))
		snprintf(name, CASCADE_DEVICE_NAME_BYTES, "/dev/mapper/%s", dm_name);
	else if (!name_from_uevent(major, minor, name))
		snprintf(name, CASCADE_DEVICE_NAME_BYTES, "%u:%u", major, minor);
	return name;
}

const char *cascade_device_name_of(const char *text, char *name)
{
	unsigned int major, minor;
	char rest;

	if (sscanf(text, "%u:%u%c", &major, &minor, &rest) == 2)
		return cascade_device_name(major, minor, name);
	snprintf(name, CASCADE_DEVICE_NAME_BYTES, "%s", text);
	return name;
}

char *cascade_device_for_table(const struct cascade_device *dev, bool by_number)
{
	bool fits = !strpbrk(dev->path, " \t\n\\");

	if (dev->is_block && (by_number || !fits))
		return cascade_msg_text("%u:%u", dev->major, dev->minor);
	if (fits)
		return cascade_msg_text("%s", dev->path);
	cascade_msg_error(dev->path,
			  "no table line can hold this path: one without blanks and backslashes is accepted");
	return NULL;
}
