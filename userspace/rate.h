/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast background work goes, from what was done at several moments: the mean of
 * the last half minute, so that a pause for the users' I/O does not make it jump.
 */
#ifndef CASCADESETUP_RATE_H
#define CASCADESETUP_RATE_H

#include <stdbool.h>

#include "core/report.h"

#define CASCADE_RATE_SAMPLES 30u
#define CASCADE_RATE_TEXT_BYTES 80u

/**
 * struct cascade_rate - Moments of one piece of background work; zeroed at first.
 * @action: The work.
 * @nr: Used entries of the two arrays.
 * @at_ms: When, the oldest first; a second or more apart, but for the newest.
 * @done_sectors: What was done by then.
 * @left_sectors: What was left at the newest moment.
 */
struct cascade_rate {
	enum cascade_sync_action action;
	unsigned int nr;
	u64 at_ms[CASCADE_RATE_SAMPLES];
	u64 done_sectors[CASCADE_RATE_SAMPLES];
	u64 left_sectors;
};

/**
 * cascade_rate_add() - Take a moment down.
 * @rate: Moments; all are forgotten when other work is under way, or it began anew.
 * @rep: What the array reports.
 * @now_ms: Time, from a clock that never jumps.
 */
void cascade_rate_add(struct cascade_rate *rate, const struct cascade_report *rep, u64 now_ms);

/**
 * cascade_rate_known() - Measure the speed.
 * @rate: Moments.
 * @sectors_per_s: Set to the speed, in sectors of each member.
 * @left_s: Set to the seconds that the rest takes, rounded up; UINT64_MAX at no speed.
 *
 * Return: False if nothing is under way, or for less than a second.
 */
bool cascade_rate_known(const struct cascade_rate *rate, u64 *sectors_per_s, u64 *left_s);

/**
 * cascade_rate_text() - Speed and time left in words.
 * @rate: Moments.
 * @text: Room for CASCADE_RATE_TEXT_BYTES.
 *
 * Return: @text, such as "45.2 MiB/s, 3 min left"; empty where the speed is not known.
 */
const char *cascade_rate_text(const struct cascade_rate *rate, char *text);

#endif /* CASCADESETUP_RATE_H */
