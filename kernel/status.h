/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the array says of itself: status and table lines. Neither waits for I/O.
 */
#ifndef CASCADE_STATUS_H
#define CASCADE_STATUS_H

#include "cascade.h"

/**
 * cascade_status() - Device-mapper's status method.
 * @ti: Target.
 * @type: Status, table, or what the integrity measurement is told.
 * @flags: Unused.
 * @result: Text.
 * @nr_bytes: Size of @result.
 *
 * Context: Process.
 */
void cascade_status(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
		    unsigned int nr_bytes);

#endif /* CASCADE_STATUS_H */
