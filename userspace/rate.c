// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speed of background work, and the time that the rest takes.
 */
#include "rate.h"
#include "text.h"

#define STEP_MS 1000u

void cascade_rate_add(struct cascade_rate *rate, const struct cascade_report *rep, u64 now_ms)
{
	unsigned int last = rate->nr - 1;

	if (rate->nr && (rate->action != rep->sync_action ||
			 rate->done_sectors[last] > rep->done_sectors))
		rate->nr = 0;
	/* the newest is moved on until it is a step away from the one before it */
	if (rate->nr > 1 && rate->at_ms[last] - rate->at_ms[last - 1] < STEP_MS)
		rate->nr--;
	if (rate->nr == CASCADE_RATE_SAMPLES) {
		rate->nr--;
		memmove(rate->at_ms, rate->at_ms + 1, rate->nr * sizeof(*rate->at_ms));
		memmove(rate->done_sectors, rate->done_sectors + 1,
			rate->nr * sizeof(*rate->done_sectors));
	}
	rate->action = rep->sync_action;
	rate->at_ms[rate->nr] = now_ms;
	rate->done_sectors[rate->nr] = rep->done_sectors;
	rate->nr++;
	rate->left_sectors = rep->total_sectors > rep->done_sectors ?
			     rep->total_sectors - rep->done_sectors : 0;
}

bool cascade_rate_known(const struct cascade_rate *rate, u64 *sectors_per_s, u64 *left_s)
{
	u64 passed_ms, sectors;

	if (rate->nr < 2 || rate->action == CASCADE_SYNC_IDLE ||
	    rate->action == CASCADE_SYNC_FROZEN)
		return false;
	passed_ms = rate->at_ms[rate->nr - 1] - rate->at_ms[0];
	sectors = rate->done_sectors[rate->nr - 1] - rate->done_sectors[0];
	if (passed_ms < STEP_MS)
		return false;
	*sectors_per_s = sectors * 1000 / passed_ms;
	*left_s = *sectors_per_s ? (rate->left_sectors + *sectors_per_s - 1) / *sectors_per_s :
				   UINT64_MAX;
	return true;
}

const char *cascade_rate_text(const struct cascade_rate *rate, char *text)
{
	char speed[CASCADE_SIZE_TEXT_BYTES], left[CASCADE_TIME_TEXT_BYTES];
	bool stalled;
	u64 sectors_per_s, left_s;

	text[0] = '\0';
	if (!cascade_rate_known(rate, &sectors_per_s, &left_s))
		return text;
	stalled = left_s == UINT64_MAX;
	snprintf(text, CASCADE_RATE_TEXT_BYTES, "%s/s, %s%s",
		 cascade_text_size(sectors_per_s, speed),
		 stalled ? "stalled" : cascade_text_time(left_s, left), stalled ? "" : " left");
	return text;
}
