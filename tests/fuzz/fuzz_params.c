// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table lines of any bytes: what is refused has a sentence, what is accepted can be
 * written and comes back as it was.
 */
#include "core/params.h"

#define WORDS_MAX 512u
#define TEXT_BYTES 16384u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes);

/* A line on the heap, just as long as it is, so that a step beyond its end is seen. */
struct words {
	unsigned int nr;
	char *list[WORDS_MAX];
	char *line;
};

/* A blank ends a word; two blanks have an empty word between them. */
static void split(struct words *w, const char *text, size_t nr_bytes)
{
	char *at;

	w->line = malloc(nr_bytes + 1);
	if (!w->line)
		abort();
	memcpy(w->line, text, nr_bytes);
	w->line[nr_bytes] = '\0';
	w->nr = 0;
	for (at = w->line; at && w->nr < WORDS_MAX;) {
		w->list[w->nr++] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = '\0';
	}
}

static void check_refusal(const char *error, const char *found)
{
	size_t nr_chars = error ? strlen(error) : 0;

	if (!nr_chars || error[nr_chars - 1] == '.' || strchr(error, '\n'))
		abort();
	if (found && strlen(found) > TEXT_BYTES)
		abort();
}

static void check_accepted(const struct cascade_params *p)
{
	static char text[TEXT_BYTES], again[TEXT_BYTES];
	struct cascade_params back;
	const char *error = NULL, *found = NULL;
	struct words w;
	int nr;

	if (p->nr_members > CASCADE_MEMBERS_MAX || p->nr_spares > CASCADE_SPARES_MAX ||
	    p->nr_caches > CASCADE_CACHES_MAX || !p->cache_block_sectors)
		abort();
	nr = cascade_params_format(p, text, sizeof(text));
	if (nr < 0)
		return;
	if (strlen(text) != (size_t)nr)
		abort();
	split(&w, text, (size_t)nr);
	if (cascade_params_parse(&back, w.nr, w.list, &error, &found))
		abort();
	if (back.flags != p->flags || back.rebuild_mask != p->rebuild_mask)
		abort();
	if (cascade_params_format(&back, again, sizeof(again)) != nr || strcmp(text, again))
		abort();
	free(w.line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes)
{
	const char *error = NULL, *found = NULL;
	struct cascade_params p;
	struct words w;
	size_t i;

	if (nr_bytes > TEXT_BYTES / 2)
		return 0;
	/* A word of a line cannot hold a NUL, and what is written has blanks for words only. */
	for (i = 0; i < nr_bytes; i++)
		if (!data[i])
			return 0;
	split(&w, (const char *)data, nr_bytes);
	if (cascade_params_parse(&p, w.nr, w.list, &error, &found))
		check_refusal(error, found);
	else
		check_accepted(&p);
	free(w.line);
	return 0;
}
