// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes, shares and times: text to number and back.
 */
#include <time.h>

#include "core/units.h"
#include "text.h"

int cascade_text_chunk(const char *text, u32 *chunk_sectors)
{
	unsigned long long value;
	u64 sectors;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || value > CASCADE_CHUNK_SECTORS_MAX)
		return -EINVAL;
	sectors = value * 2;
	if (*end == 'M' || *end == 'm')
		sectors *= 1024;
	if (*end && strchr("KkMm", *end)) {
		end++;
		if (!strcmp(end, "iB"))
			end += 2;
	}
	if (*end || !is_power_of_2(sectors) || sectors < CASCADE_CHUNK_SECTORS_MIN ||
	    sectors > CASCADE_CHUNK_SECTORS_MAX)
		return -EINVAL;
	*chunk_sectors = (u32)sectors;
	return 0;
}

const char *cascade_text_size(u64 sectors, char *text)
{
	static const char *const units[] = { "MiB", "GiB", "TiB", "PiB" };
	u64 unit_sectors = CASCADE_MIB_SECTORS;
	unsigned long long whole, rest;
	unsigned int i = 0;

	if (sectors < CASCADE_MIB_SECTORS) {
		snprintf(text, CASCADE_SIZE_TEXT_BYTES, "%llu.%u KiB",
			 (unsigned long long)sectors / 2, (unsigned int)(sectors & 1) * 5);
		if (!(sectors & 1))
			snprintf(text, CASCADE_SIZE_TEXT_BYTES, "%llu KiB",
				 (unsigned long long)sectors / 2);
		return text;
	}
	while (i + 1 < ARRAY_SIZE(units) && sectors / unit_sectors >= 1024) {
		unit_sectors *= 1024;
		i++;
	}
	whole = sectors / unit_sectors;
	rest = sectors % unit_sectors;
	if (rest)
		snprintf(text, CASCADE_SIZE_TEXT_BYTES, "%llu.%llu %s", whole,
			 rest * 10 / unit_sectors, units[i]);
	else
		snprintf(text, CASCADE_SIZE_TEXT_BYTES, "%llu %s", whole, units[i]);
	return text;
}

unsigned int cascade_text_permille(u64 done, u64 total)
{
	if (done >= total)
		return 1000;
	for (; total > UINT64_MAX / 1000; total /= 2)
		done /= 2;
	return (unsigned int)(done * 1000 / total);
}

const char *cascade_text_time(u64 seconds, char *text)
{
	unsigned long long minutes = seconds / 60, hours = minutes / 60, days = hours / 24;

	if (seconds < 60)
		snprintf(text, CASCADE_TIME_TEXT_BYTES, "%llu s", (unsigned long long)seconds);
	else if (minutes < 60)
		snprintf(text, CASCADE_TIME_TEXT_BYTES, "%llu min", minutes);
	else if (hours < 24)
		snprintf(text, CASCADE_TIME_TEXT_BYTES, "%llu h %llu min", hours, minutes % 60);
	else
		snprintf(text, CASCADE_TIME_TEXT_BYTES, "%llu d %llu h", days, hours % 24);
	return text;
}

const char *cascade_text_now(char *text)
{
	time_t now = time(NULL);
	struct tm parts;

	if (!localtime_r(&now, &parts) ||
	    !strftime(text, CASCADE_TIME_TEXT_BYTES, "%FT%T%z", &parts))
		snprintf(text, CASCADE_TIME_TEXT_BYTES, "%lld", (long long)now);
	return text;
}
