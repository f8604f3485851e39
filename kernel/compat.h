/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the module is built for. Told apart by
 * what a kernel defines, never by its version: interfaces move inside stable
 * series too.
 */
#ifndef CASCADE_COMPAT_H
#define CASCADE_COMPAT_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>

/* Sector numbers are read without a lock where they are published by one store. */
#ifndef CONFIG_64BIT
#error "dm-cascade needs a 64-bit kernel"
#endif

/**
 * cascade_compat_partial_rows_expensive() - Tell filesystems that whole rows are best.
 * @limits: Limits that io_hints fills.
 */
static inline void cascade_compat_partial_rows_expensive(struct queue_limits *limits)
{
#ifdef BLK_FEAT_RAID_PARTIAL_STRIPES_EXPENSIVE
	limits->features |= BLK_FEAT_RAID_PARTIAL_STRIPES_EXPENSIVE;
#else
	limits->raid_partial_stripes_expensive = 1;
#endif
}

/**
 * cascade_compat_writable() - Whether a table may write to its devices.
 * @table: Table that a target is made for.
 *
 * Return: False for a read-only one.
 */
static inline bool cascade_compat_writable(struct dm_table *table)
{
#ifdef BLK_OPEN_WRITE
	return dm_table_get_mode(table) & BLK_OPEN_WRITE;
#else
	return dm_table_get_mode(table) & FMODE_WRITE;
#endif
}

#endif /* CASCADE_COMPAT_H */
