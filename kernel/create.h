/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a table line to an instance, and back to nothing.
 *
 * The constructor reads and never writes, and checks what never changes: uuid,
 * slot, geometry, sizes, block size. State is read at preresume (start.h), since
 * until then an older table of the same array may run.
 */
#ifndef CASCADE_CREATE_H
#define CASCADE_CREATE_H

#include "cascade.h"

/**
 * cascade_ctr() - Device-mapper's constructor.
 * @ti: Target.
 * @argc: Number of words.
 * @argv: Words.
 *
 * Context: Process.
 * Return: 0, or a negative errno with ti->error set.
 */
int cascade_ctr(struct dm_target *ti, unsigned int argc, char **argv);

/**
 * cascade_dtr() - Device-mapper's destructor.
 * @ti: Target.
 *
 * Context: Process.
 */
void cascade_dtr(struct dm_target *ti);

#endif /* CASCADE_CREATE_H */
