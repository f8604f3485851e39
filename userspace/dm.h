/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that talks to device-mapper. Names are dm names, errors negative
 * errnos; cascade_dm_why() has the words for them.
 */
#ifndef CASCADESETUP_DM_H
#define CASCADESETUP_DM_H

#include <stdbool.h>

#include "core/env.h"

#define CASCADE_DM_TARGET "cascade"
#define CASCADE_DM_UUID_PREFIX "CASCADE-"

/**
 * struct cascade_dm_info - What device-mapper knows of a device.
 * @major: Major number.
 * @minor: Minor number.
 * @open_count: Openers, mounts included.
 * @read_only: It refuses writes.
 * @suspended: Its I/O waits.
 */
struct cascade_dm_info {
	u32 major;
	u32 minor;
	int open_count;
	bool read_only;
	bool suspended;
};

/**
 * struct cascade_dm_target - The cascade target of a device.
 * @start_sectors: Where it begins in the device.
 * @length_sectors: Its length.
 * @text: Status or table line behind the target's name.
 */
struct cascade_dm_target {
	u64 start_sectors;
	u64 length_sectors;
	char *text;
};

/** enum cascade_dm_line - Which text of a target to ask for. */
enum cascade_dm_line {
	CASCADE_DM_STATUS,
	CASCADE_DM_TABLE,
};

/** cascade_dm_init() - Set up libdevmapper; to be called once, first. */
void cascade_dm_init(void);

/**
 * cascade_dm_why() - A failure in words.
 * @error: Negative errno that a function of this module returned.
 *
 * Return: Constant text.
 */
const char *cascade_dm_why(int error);

/**
 * cascade_dm_info() - Look a device up.
 * @name: Device.
 * @info: Filled.
 *
 * Return: 0, -ENODEV if there is none of that name, or another negative errno.
 */
int cascade_dm_info(const char *name, struct cascade_dm_info *info);

/**
 * cascade_dm_read() - Read the status or table line of a device's cascade target.
 * @name: Device.
 * @line: Which one.
 * @target: Filled; cascade_dm_put() releases it.
 *
 * Never waits for I/O.
 *
 * Return: 0, -ENODEV if there is no such device, -EMEDIUMTYPE if it has no
 *	cascade target, or another negative errno.
 */
int cascade_dm_read(const char *name, enum cascade_dm_line line,
		    struct cascade_dm_target *target);

/**
 * cascade_dm_put() - Release what cascade_dm_read() filled.
 * @target: Target.
 */
void cascade_dm_put(struct cascade_dm_target *target);

/**
 * cascade_dm_list() - Find all devices that have a cascade target.
 * @names: Set to a list of names in alphabetical order; cascade_dm_list_free()
 *	releases it.
 * @nr_names: Set to its length.
 *
 * Return: 0 or a negative errno.
 */
int cascade_dm_list(char ***names, unsigned int *nr_names);

/**
 * cascade_dm_list_free() - Release a list of names.
 * @names: List.
 * @nr_names: Its length.
 */
void cascade_dm_list_free(char **names, unsigned int nr_names);

/**
 * cascade_dm_start() - Make a device with one cascade target.
 * @name: Device to make.
 * @uuid: Its dm uuid, or NULL.
 * @length_sectors: Its length.
 * @line: Table line behind the target's name.
 * @read_only: Load a read-only table.
 * @step: On failure set to what failed: a constant phrase.
 *
 * Whatever fails, no half-made device is left.
 *
 * Return: 0, -EBUSY if the name or the uuid is taken, or another negative errno;
 *	the kernel log has the reason.
 */
int cascade_dm_start(const char *name, const char *uuid, u64 length_sectors, const char *line,
		     bool read_only, const char **step);

/**
 * cascade_dm_set_uuid() - Give a device its dm uuid, if it has none.
 * @name: Device.
 * @uuid: Its dm uuid.
 *
 * Return: 0 or a negative errno.
 */
int cascade_dm_set_uuid(const char *name, const char *uuid);

/**
 * cascade_dm_remove() - Remove a device.
 * @name: Device.
 *
 * Return: 0, -EBUSY if it is open, or another negative errno.
 */
int cascade_dm_remove(const char *name);

/**
 * cascade_dm_message() - Send a message to a device's target.
 * @name: Device.
 * @text: Message.
 *
 * Return: 0 or a negative errno.
 */
int cascade_dm_message(const char *name, const char *text);

/**
 * cascade_dm_arm() - Begin to wait for a change.
 * @fd: What an earlier call returned, which is closed, or -1.
 *
 * The kernel makes the returned descriptor readable when, after this call, a mapped
 * device raises an event, is made, renamed or removed; of any target. One whose
 * table is loaded or that is resumed raises none by that.
 *
 * Return: Descriptor for poll(); -1 if there is none, then only time will tell.
 */
int cascade_dm_arm(int fd);

/**
 * cascade_dm_target_version() - Version of the cascade target.
 * @version: Filled with major, minor, patch level.
 *
 * Return: 0, -ENOENT if the kernel has none loaded, or another negative errno.
 */
int cascade_dm_target_version(u32 version[3]);

#endif /* CASCADESETUP_DM_H */
