/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lies on a device already: filesystems, raid members, partition tables.
 */
#ifndef CASCADESETUP_PROBE_H
#define CASCADESETUP_PROBE_H

#include "core/env.h"

/**
 * cascade_probe_find() - Look for known signatures, ours included.
 * @path: Device or image file.
 * @what: Set to what was found, such as "ext4 filesystem", for the caller to free; NULL
 *	if nothing known is there.
 *
 * A device of which part cannot be read may hold anything: that is an error, unless
 * the rest of it says enough.
 *
 * Return: 0, or a negative errno if it cannot be told.
 */
int cascade_probe_find(const char *path, char **what);

/**
 * cascade_probe_wipe() - Wipe known signatures outside a range.
 * @path: Device.
 * @keep_begin_sectors: Signatures that begin below this sector are wiped ...
 * @keep_end_sectors: ... and those at or beyond this one.
 *
 * A signature left in the first or last MiB of a member would be taken for the
 * device's content by whoever looks there.
 *
 * Return: 0, or -1 after an error was reported.
 */
int cascade_probe_wipe(const char *path, u64 keep_begin_sectors, u64 keep_end_sectors);

#endif /* CASCADESETUP_PROBE_H */
