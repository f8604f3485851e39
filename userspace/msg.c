// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors and notes on stderr, and memory that is there or ends the program: a
 * tool that runs for a moment has nothing better to do without memory.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "msg.h"

static void say(const char *subject, const char *fmt, va_list args)
{
	fflush(stdout);
	fprintf(stderr, TOOL_NAME ": %s: ", subject);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void cascade_msg_error(const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(subject, fmt, args);
	va_end(args);
}

void cascade_msg_note(const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(subject, fmt, args);
	va_end(args);
}

void *cascade_msg_alloc(size_t nr, size_t nr_bytes)
{
	void *memory = calloc(nr ? nr : 1, nr_bytes);

	if (!memory) {
		cascade_msg_error("memory", "cannot allocate %zu bytes", nr * nr_bytes);
		exit(EXIT_FAILED);
	}
	return memory;
}

char *cascade_msg_text(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int nr;

	va_start(args, fmt);
	nr = vasprintf(&text, fmt, args);
	va_end(args);
	if (nr < 0) {
		cascade_msg_error("memory", "cannot format a text");
		exit(EXIT_FAILED);
	}
	return text;
}
