/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool says on stderr, in one form:
 *
 *	cascadesetup: <subject>: <what failed>: <why, and what to do next>
 */
#ifndef CASCADESETUP_MSG_H
#define CASCADESETUP_MSG_H

#include <stddef.h>

#define TOOL_NAME "cascadesetup"

/* Exit status, as in the manual. */
#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define EXIT_DEGRADED 3
#define EXIT_ARRAY_FAILED 4

/**
 * cascade_msg_error() - Report a failure.
 * @subject: Device, array or argument that it is about.
 * @fmt: What failed, and why.
 */
void cascade_msg_error(const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * cascade_msg_note() - Report what is no failure but must not happen silently.
 * @subject: Device or array that it is about.
 * @fmt: Text.
 */
void cascade_msg_note(const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * cascade_msg_alloc() - Allocate zeroed memory, or end the program.
 * @nr: Number of items.
 * @nr_bytes: Size of one.
 *
 * Return: Memory for the caller to free; never NULL.
 */
void *cascade_msg_alloc(size_t nr, size_t nr_bytes);

/**
 * cascade_msg_text() - Format a text into memory of its own, or end the program.
 * @fmt: Text.
 *
 * Return: Text for the caller to free; never NULL.
 */
char *cascade_msg_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* CASCADESETUP_MSG_H */
