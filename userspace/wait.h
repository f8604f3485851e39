/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting, of the commands that go on until they are interrupted: for device-mapper
 * events, for time, for a signal to end.
 */
#ifndef CASCADESETUP_WAIT_H
#define CASCADESETUP_WAIT_H

#include "core/env.h"

/**
 * struct cascade_wait - What to wait for.
 * @dm_fd: Tells of device-mapper events; -1 if it is not to be had.
 * @signal_fd: Tells of SIGINT, SIGTERM and SIGHUP.
 */
struct cascade_wait {
	int dm_fd;
	int signal_fd;
};

/** enum cascade_wake - Why a wait ended. */
enum cascade_wake {
	CASCADE_WAKE_EVENT,
	CASCADE_WAKE_TIME,
	CASCADE_WAKE_SIGNAL,
};

/**
 * cascade_wait_begin() - Keep signals back until the next wait.
 * @wait: Filled; holds until the program ends.
 *
 * So whatever is printed between two waits is printed whole.
 *
 * Return: 0, or -1 after an error was reported.
 */
int cascade_wait_begin(struct cascade_wait *wait);

/**
 * cascade_wait_arm() - Take note of events from now on.
 * @wait: Begun.
 *
 * To be called before the arrays are looked at, so that no change is missed.
 */
void cascade_wait_arm(struct cascade_wait *wait);

/**
 * cascade_wait_for() - Wait.
 * @wait: Armed.
 * @ms: At most so long.
 *
 * Return: Why it ended.
 */
enum cascade_wake cascade_wait_for(const struct cascade_wait *wait, int ms);

/**
 * cascade_wait_now_ms() - Ask for the time.
 *
 * Return: Milliseconds of a clock that never jumps.
 */
u64 cascade_wait_now_ms(void);

#endif /* CASCADESETUP_WAIT_H */
