/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes, shares and times as people write and read them.
 */
#ifndef CASCADESETUP_TEXT_H
#define CASCADESETUP_TEXT_H

#include "core/env.h"

#define CASCADE_SIZE_TEXT_BYTES 32u
#define CASCADE_TIME_TEXT_BYTES 40u

/**
 * cascade_text_chunk() - Read a chunk size.
 * @text: A number of KiB; a suffix K or M (KiB, MiB) may follow.
 * @chunk_sectors: Set on success.
 *
 * Return: 0, or -EINVAL if it is no power of two from 4 KiB to 16 MiB.
 */
int cascade_text_chunk(const char *text, u32 *chunk_sectors);

/**
 * cascade_text_size() - Write a number of sectors as a size.
 * @sectors: Sectors.
 * @text: Room for CASCADE_SIZE_TEXT_BYTES.
 *
 * Whole KiB below a MiB, else one decimal, rounded down.
 *
 * Return: @text.
 */
const char *cascade_text_size(u64 sectors, char *text);

/**
 * cascade_text_permille() - Share of a whole.
 * @done: Part.
 * @total: Whole.
 *
 * Return: Thousandths, rounded down; 1000 if @total is 0.
 */
unsigned int cascade_text_permille(u64 done, u64 total);

/**
 * cascade_text_time() - Write a length of time in its two greatest units.
 * @seconds: Seconds.
 * @text: Room for CASCADE_TIME_TEXT_BYTES.
 *
 * Return: @text, such as "45 s", "3 min", "2 h 5 min" or "4 d 1 h".
 */
const char *cascade_text_time(u64 seconds, char *text);

/**
 * cascade_text_now() - Write date and time, for lines that are kept.
 * @text: Room for CASCADE_TIME_TEXT_BYTES.
 *
 * Return: @text, local time such as "2026-02-28T07:05:09+0100".
 */
const char *cascade_text_now(char *text);

#endif /* CASCADESETUP_TEXT_H */
