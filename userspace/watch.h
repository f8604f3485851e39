/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "status --watch": a view of arrays that goes on.
 */
#ifndef CASCADESETUP_WATCH_H
#define CASCADESETUP_WATCH_H

#include "opts.h"

/**
 * cascade_watch_run() - Show arrays, and what changes, until interrupted.
 * @args: Arguments of "status".
 *
 * Return: Exit status: of the arrays as they were last seen.
 */
int cascade_watch_run(const struct cascade_args *args);

#endif /* CASCADESETUP_WATCH_H */
