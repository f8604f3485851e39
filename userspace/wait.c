// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for events, time and signals, in one poll().
 */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "dm.h"
#include "msg.h"
#include "wait.h"

int cascade_wait_begin(struct cascade_wait *wait)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	wait->dm_fd = -1;
	wait->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (wait->signal_fd < 0)
		cascade_msg_error("signals", "cannot wait for them: %s", strerror(errno));
	return wait->signal_fd < 0 ? -1 : 0;
}

void cascade_wait_arm(struct cascade_wait *wait)
{
	wait->dm_fd = cascade_dm_arm(wait->dm_fd);
}

enum cascade_wake cascade_wait_for(const struct cascade_wait *wait, int ms)
{
	struct pollfd fds[] = {
		{ .fd = wait->signal_fd, .events = POLLIN },
		{ .fd = wait->dm_fd, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), ms) <= 0)
		return CASCADE_WAKE_TIME;
	return fds[0].revents ? CASCADE_WAKE_SIGNAL : CASCADE_WAKE_EVENT;
}

u64 cascade_wait_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}
