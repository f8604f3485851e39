// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses a block device: mounts, swap, holders, and whoever opened it for
 * himself alone. The partitions of a disk count as the disk.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device.h"
#include "msg.h"

static const char blanks[] = { ' ', '\t', '\n', '\0' };

/* mountinfo writes blanks in a path as octal escapes. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static char *find_mount(u32 major, u32 minor)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	while (!found && getline(&line, &room, file) > 0) {
		unsigned int m, n;
		int at = 0;

		/* id parent major:minor root mount_point ... */
		if (sscanf(line, "%*u %*u %u:%u %*s %n", &m, &n, &at) < 2 || !at)
			continue;
		if (m != major || n != minor)
			continue;
		line[at + (int)strcspn(line + at, blanks)] = '\0';
		unescape(line + at);
		found = cascade_msg_text("mounted on %s", line + at);
	}
	free(line);
	fclose(file);
	return found;
}

static char *find_swap(u32 major, u32 minor)
{
	FILE *file = fopen("/proc/swaps", "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	while (!found && getline(&line, &room, file) > 0) {
		struct stat st;

		line[strcspn(line, blanks)] = '\0';
		unescape(line);
		if (stat(line, &st) || !S_ISBLK(st.st_mode))
			continue;
		if (major(st.st_rdev) == major && minor(st.st_rdev) == minor)
			found = cascade_msg_text("in use as swap");
	}
	free(line);
	fclose(file);
	return found;
}

/* Reads the numbers of a device from the "dev" file of its folder in sysfs. */
static bool read_numbers(const char *folder, u32 *major, u32 *minor)
{
	char *path = cascade_msg_text("%s/dev", folder);
	FILE *file = fopen(path, "re");
	bool ok = false;

	free(path);
	if (!file)
		return false;
	ok = fscanf(file, "%u:%u", major, minor) == 2;
	fclose(file);
	return ok;
}

static char *find_holders(u32 major, u32 minor)
{
	char *folder = cascade_msg_text("/sys/dev/block/%u:%u/holders", major, minor);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *found = NULL;

	while (dir && (entry = readdir(dir))) {
		char name[CASCADE_DEVICE_NAME_BYTES];
		char *path, *longer;
		u32 m, n;

		if (entry->d_name[0] == '.')
			continue;
		path = cascade_msg_text("%s/%s", folder, entry->d_name);
		if (read_numbers(path, &m, &n))
			cascade_device_name(m, n, name);
		else
			snprintf(name, sizeof(name), "%s", entry->d_name);
		free(path);
		longer = cascade_msg_text("%s%s%s", found ? found : "held by", found ? ", " : " ",
					  name);
		free(found);
		found = longer;
	}
	if (dir)
		closedir(dir);
	free(folder);
	return found;
}

static char *find_one(u32 major, u32 minor)
{
	char *found = find_mount(major, minor);

	if (!found)
		found = find_swap(major, minor);
	if (!found)
		found = find_holders(major, minor);
	return found;
}

static char *find_in_partitions(u32 major, u32 minor)
{
	char *folder = cascade_msg_text("/sys/dev/block/%u:%u", major, minor);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *found = NULL;

	while (dir && !found && (entry = readdir(dir))) {
		char *part, *mark;
		u32 m, n;

		if (entry->d_name[0] == '.')
			continue;
		part = cascade_msg_text("%s/%s", folder, entry->d_name);
		mark = cascade_msg_text("%s/partition", part);
		if (!access(mark, F_OK) && read_numbers(part, &m, &n)) {
			char *what = find_one(m, n);

			if (what)
				found = cascade_msg_text("its partition %s is %s", entry->d_name,
							 what);
			free(what);
		}
		free(mark);
		free(part);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return found;
}

char *cascade_device_users(u32 major, u32 minor)
{
	char *found = find_one(major, minor);

	return found ? found : find_in_partitions(major, minor);
}

char *cascade_device_in_use(const struct cascade_device *dev)
{
	char *found;
	int fd;

	if (!dev->is_block)
		return NULL;
	found = cascade_device_users(dev->major, dev->minor);
	if (found)
		return found;
	fd = open(dev->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return errno == EBUSY ? cascade_msg_text("in use by another program or driver")
				      : NULL;
	close(fd);
	return NULL;
}
