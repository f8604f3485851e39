// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel log, read from /dev/kmsg: one record a read, "<head>;<text>\n" and
 * then lines of keys. Best effort: without the right to read it nothing is shown.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"
#include "msg.h"

int cascade_kmsg_begin(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int is_ours(const char *text)
{
	static const char dm[] = "device-mapper: ";

	if (!strncmp(text, "cascade", 7))
		return 1;
	return !strncmp(text, dm, sizeof(dm) - 1) && strstr(text, "cascade");
}

void cascade_kmsg_end(int handle, int print)
{
	char record[8192];

	if (handle < 0)
		return;
	while (print) {
		ssize_t nr = read(handle, record, sizeof(record) - 1);
		char *text;

		if (nr < 0 && errno == EPIPE)	/* records were overwritten: go on */
			continue;
		if (nr <= 0)
			break;
		record[nr] = '\0';
		text = strchr(record, ';');
		if (!text++)
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (is_ours(text))
			cascade_msg_note("kernel", "%s", text);
	}
	close(handle);
}
