/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device as the user named it: what it is, how large, and who uses it.
 */
#ifndef CASCADESETUP_DEVICE_H
#define CASCADESETUP_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/env.h"

#define CASCADE_DEVICE_NAME_BYTES 320u

/**
 * struct cascade_device - A block device, or a file that holds the image of one.
 * @path: As typed.
 * @is_block: It is a block device.
 * @major: Major number of a block device.
 * @minor: Minor number of a block device.
 * @size_sectors: Size.
 * @block_bytes: Logical block size; 512 for a file.
 * @read_only: A block device that refuses writes.
 * @file_dev: Where an image file lies.
 * @file_ino: Which file it is there.
 */
struct cascade_device {
	const char *path;
	bool is_block;
	u32 major;
	u32 minor;
	u64 size_sectors;
	u32 block_bytes;
	bool read_only;
	dev_t file_dev;
	ino_t file_ino;
};

/**
 * cascade_device_get() - Look at a device.
 * @dev: Filled.
 * @path: As typed; must live as long as @dev.
 *
 * Return: 0, or -1 after an error was reported.
 */
int cascade_device_get(struct cascade_device *dev, const char *path);

/**
 * cascade_device_open() - Open a device for reading past the page cache.
 * @dev: Device.
 *
 * A live array writes its superblocks below the page cache of its members; what
 * is cached there may be old.
 *
 * Return: Descriptor for the caller to close, or -1 after an error was reported.
 */
int cascade_device_open(const struct cascade_device *dev);

/**
 * cascade_device_same() - Whether two paths led to one device.
 * @a: One.
 * @b: The other.
 *
 * Return: True if they did.
 */
bool cascade_device_same(const struct cascade_device *a, const struct cascade_device *b);

/**
 * cascade_device_users() - Who uses a block device, as far as can be seen.
 * @major: Major number.
 * @minor: Minor number.
 *
 * Looks at mounts, swap and holders of the device and of its partitions.
 *
 * Return: Text such as "mounted on /srv" for the caller to free; NULL if no user
 *	is found.
 */
char *cascade_device_users(u32 major, u32 minor);

/**
 * cascade_device_in_use() - Whether a device must not become a member now.
 * @dev: Device.
 *
 * As cascade_device_users(), and asks the kernel for exclusive use.
 *
 * Return: Text for the caller to free, NULL if it is free.
 */
char *cascade_device_in_use(const struct cascade_device *dev);

/**
 * cascade_device_name() - Path of a block device.
 * @major: Major number.
 * @minor: Minor number.
 * @name: Room for CASCADE_DEVICE_NAME_BYTES.
 *
 * Return: @name: a path below /dev, or "major:minor" if the kernel knows none.
 */
const char *cascade_device_name(u32 major, u32 minor, char *name);

/**
 * cascade_device_name_of() - Path of a device that stands in a table line.
 * @text: "major:minor" or a path.
 * @name: Room for CASCADE_DEVICE_NAME_BYTES.
 *
 * Return: @name.
 */
const char *cascade_device_name_of(const char *text, char *name);

/**
 * cascade_device_for_table() - How a device is named in a table line.
 * @dev: Device.
 * @by_number: Name a block device by its number: the one that was looked at, whatever
 *	its path leads to by then. For lines that are loaded, not shown.
 *
 * Return: The path, or "major:minor": also if the path has characters that a line cannot
 *	hold. For the caller to free; NULL after an error was reported: an image file has
 *	no number.
 */
char *cascade_device_for_table(const struct cascade_device *dev, bool by_number);

#endif /* CASCADESETUP_DEVICE_H */
