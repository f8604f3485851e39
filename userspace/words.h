/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table lines as the commands need them: written, split into words, read from a
 * live array; and what is said and done when one is started.
 */
#ifndef CASCADESETUP_WORDS_H
#define CASCADESETUP_WORDS_H

#include "core/ident.h"
#include "core/params.h"

/**
 * struct cascade_words - A line cut into words.
 * @text: Memory of the words.
 * @list: The words.
 * @nr: How many.
 */
struct cascade_words {
	char *text;
	char **list;
	unsigned int nr;
};

/**
 * cascade_words_split() - Cut a line at its blanks.
 * @words: Filled; cascade_words_free() releases it.
 * @line: Line.
 */
void cascade_words_split(struct cascade_words *words, const char *line);

/**
 * cascade_words_free() - Release words.
 * @words: Words.
 */
void cascade_words_free(struct cascade_words *words);

/**
 * cascade_words_line() - Write a table line.
 * @p: What to write.
 *
 * Return: The line for the caller to free.
 */
char *cascade_words_line(const struct cascade_params *p);

/**
 * cascade_words_live() - Read a live array's table line.
 * @name: Array.
 * @p: Filled; its strings point into @words.
 * @words: Filled; cascade_words_free() releases it.
 * @length_sectors: Set to the size of the array.
 *
 * Return: 0 or a negative errno of cascade_dm_read(); -EPROTO if the line is not
 *	understood. Nothing is reported.
 */
int cascade_words_live(const char *name, struct cascade_params *p, struct cascade_words *words,
		       u64 *length_sectors);

/**
 * cascade_words_report_start() - Say why an array was not started.
 * @name: Array.
 * @step: What failed.
 * @error: Negative errno.
 */
void cascade_words_report_start(const char *name, const char *step, int error);

/**
 * cascade_words_tag() - Give a new array's device its dm uuid.
 * @name: Array.
 *
 * "CASCADE-" and the array's uuid; the kernel chooses that at create. For other
 * tools only: without it the array works as well, so failure is not reported.
 */
void cascade_words_tag(const char *name);

/**
 * cascade_words_uuid() - An array's dm uuid.
 * @array_uuid: The array.
 *
 * Return: Text for the caller to free.
 */
char *cascade_words_uuid(const u8 *array_uuid);

#endif /* CASCADESETUP_WORDS_H */
