/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages: one function a verb. None waits for I/O.
 */
#ifndef CASCADE_MESSAGE_H
#define CASCADE_MESSAGE_H

#include "cascade.h"

/**
 * cascade_message() - Device-mapper's message method.
 * @ti: Target.
 * @argc: Number of words.
 * @argv: Words.
 * @result: Text for those that answer.
 * @maxlen: Size of @result.
 *
 * Context: Process.
 * Return: 0, 1 if @result was filled, or a negative errno.
 */
int cascade_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
		    unsigned int maxlen);

#endif /* CASCADE_MESSAGE_H */
