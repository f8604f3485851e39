// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be preloaded into dmsetup: lets one memory allocation fail that the kernel makes
 * while it carries out the program's ioctls, and none before or after. FAIL_NTH tells
 * which one, counted from 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Counts down to the fault; as text, which is what the file holds. */
static char left[32];

static void count(int file)
{
	if (pwrite(file, left, strlen(left), 0) < 0)
		abort();
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, void *argument);
	va_list arguments;
	void *argument;
	ssize_t nr;
	int file, r;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	next = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	if (!left[0])
		snprintf(left, sizeof(left), "%s", getenv("FAIL_NTH"));
	file = open("/proc/thread-self/fail-nth", O_RDWR);
	if (!next || file < 0)
		abort();
	count(file);
	r = next(fd, request, argument);
	nr = pread(file, left, sizeof(left) - 1, 0);
	if (nr <= 0)
		abort();
	left[nr] = '\0';
	if (pwrite(file, "0", 1, 0) < 0)
		abort();
	close(file);
	return r;
}
