// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line. One table of keys serves both directions, so that what is
 * written is what is read; its order is the order of the line and is only ever
 * appended to.
 */
#include "report.h"

enum kind {
	KIND_COUNTER,
	KIND_JOURNAL,
	KIND_CACHE,
};

struct key {
	const char *name;
	enum kind kind;
	size_t at_bytes;	/* offset of a counter in the report */
};

#define COUNTER(field) { #field, KIND_COUNTER, offsetof(struct cascade_report, field) }

static const struct key keys[] = {
	COUNTER(reads),
	COUNTER(writes),
	COUNTER(full_rows),
	COUNTER(rmw),
	COUNTER(rcw),
	COUNTER(stripe_hits),
	COUNTER(member_reads),
	COUNTER(member_writes),
	COUNTER(intent_writes),
	COUNTER(dirty_regions),
	COUNTER(unwritten_regions),
	{ "journal", KIND_JOURNAL, 0 },
	COUNTER(read_errors_fixed),
	COUNTER(lost_blocks),
	COUNTER(spares_idle),
	COUNTER(spares_total),
	{ "cache_state", KIND_CACHE, 0 },
	COUNTER(cache_used),
	COUNTER(cache_total),
	COUNTER(cache_hits),
	COUNTER(cache_misses),
	COUNTER(cache_bypassed),
	COUNTER(cache_fills),
	COUNTER(cache_evictions),
	COUNTER(cache_errors),
	COUNTER(cache_old_data),
	COUNTER(cache_old_parity),
	COUNTER(cache_rescues),
};

static_assert(ARRAY_SIZE(keys) <= 64);	/* one bit a key while a line is read */

static const char *const sync_names[] = {
	[CASCADE_SYNC_IDLE] = "idle",
	[CASCADE_SYNC_RESYNC] = "resync",
	[CASCADE_SYNC_RECOVER] = "recover",
	[CASCADE_SYNC_CHECK] = "check",
	[CASCADE_SYNC_REPAIR] = "repair",
	[CASCADE_SYNC_FROZEN] = "frozen",
};

static const char *const journal_names[] = {
	[CASCADE_JOURNAL_NONE] = "none",
	[CASCADE_JOURNAL_OK] = "ok",
	[CASCADE_JOURNAL_REPLAYING] = "replaying",
	[CASCADE_JOURNAL_FAILED] = "failed",
};

static const char *const cache_names[] = {
	[CASCADE_CACHE_NONE] = "none",
	[CASCADE_CACHE_WARMING] = "warming",
	[CASCADE_CACHE_OK] = "ok",
	[CASCADE_CACHE_DEGRADED] = "degraded",
	[CASCADE_CACHE_FAILED] = "failed",
};

/* No value of an enum is trusted as an index. */
static const char *name_of(const char *const *names, size_t nr_names, unsigned int value)
{
	return value < nr_names ? names[value] : "unknown";
}

const char *cascade_report_sync_name(enum cascade_sync_action action)
{
	return name_of(sync_names, ARRAY_SIZE(sync_names), action);
}

const char *cascade_report_journal_name(enum cascade_journal_state state)
{
	return name_of(journal_names, ARRAY_SIZE(journal_names), state);
}

const char *cascade_report_cache_name(enum cascade_cache_state state)
{
	return name_of(cache_names, ARRAY_SIZE(cache_names), state);
}

static u64 *counter_of(struct cascade_report *rep, const struct key *key)
{
	return (u64 *)((char *)rep + key->at_bytes);
}

static u64 counter_value(const struct cascade_report *rep, const struct key *key)
{
	return *(const u64 *)((const char *)rep + key->at_bytes);
}

static int format_pair(const struct cascade_report *rep, const struct key *key, char *buf,
		       size_t nr_bytes)
{
	switch (key->kind) {
	case KIND_JOURNAL:
		return scnprintf(buf, nr_bytes, " %s %s", key->name,
				 cascade_report_journal_name(rep->journal));
	case KIND_CACHE:
		return scnprintf(buf, nr_bytes, " %s %s", key->name,
				 cascade_report_cache_name(rep->cache_state));
	default:
		return scnprintf(buf, nr_bytes, " %s %llu", key->name,
				 (unsigned long long)counter_value(rep, key));
	}
}

int cascade_report_format(const struct cascade_report *rep, char *buf, size_t nr_bytes)
{
	size_t used;
	size_t i;

	used = scnprintf(buf, nr_bytes, "%s %u %.*s %llu/%llu %s %llu %zu",
			 cascade_geo_level_name(rep->level), rep->nr_members,
			 (int)CASCADE_MEMBERS_MAX, rep->health,
			 (unsigned long long)rep->done_sectors,
			 (unsigned long long)rep->total_sectors,
			 cascade_report_sync_name(rep->sync_action),
			 (unsigned long long)rep->mismatch_blocks, ARRAY_SIZE(keys));
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		used += format_pair(rep, &keys[i], buf + used, nr_bytes - used);
	return used;
}

/* A word of the line; it is not ended by NUL. */
struct word {
	const char *text;
	size_t nr_chars;
};

/* The next word, or one of no characters at the end of the line. */
static struct word next_word(const char **text)
{
	struct word w;

	while (**text == ' ' || **text == '\n')
		(*text)++;
	w.text = *text;
	while (**text && **text != ' ' && **text != '\n')
		(*text)++;
	w.nr_chars = (size_t)(*text - w.text);
	return w;
}

static bool word_is(struct word w, const char *name)
{
	return strlen(name) == w.nr_chars && !memcmp(w.text, name, w.nr_chars);
}

/* Digits and nothing else, at least one. */
static int parse_number(struct word w, u64 *number)
{
	u64 sum = 0;
	size_t i;

	if (!w.nr_chars)
		return -EINVAL;
	for (i = 0; i < w.nr_chars; i++) {
		unsigned int digit = (unsigned char)w.text[i] - (unsigned int)'0';

		if (digit > 9 || sum > div_u64(~0ULL - digit, 10))
			return -EINVAL;
		sum = sum * 10 + digit;
	}
	*number = sum;
	return 0;
}

static int parse_name(struct word w, const char *const *names, size_t nr_names,
		      unsigned int *value)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		if (word_is(w, names[i])) {
			*value = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_level(struct cascade_report *rep, struct word w)
{
	char name[8];

	if (w.nr_chars >= sizeof(name))
		return -EINVAL;
	memcpy(name, w.text, w.nr_chars);
	name[w.nr_chars] = '\0';
	return cascade_geo_level_parse(name, &rep->level);
}

static int parse_members(struct cascade_report *rep, struct word count, struct word health)
{
	u64 nr;
	size_t i;

	if (parse_number(count, &nr) || !nr || nr > CASCADE_MEMBERS_MAX)
		return -EINVAL;
	if (health.nr_chars != nr)
		return -EINVAL;
	for (i = 0; i < nr; i++)
		if (!strchr("AaD-", health.text[i]))
			return -EINVAL;
	rep->nr_members = (unsigned int)nr;
	memcpy(rep->health, health.text, health.nr_chars);
	return 0;
}

static int parse_progress(struct cascade_report *rep, struct word w)
{
	const char *slash = memchr(w.text, '/', w.nr_chars);
	struct word done, total;

	if (!slash)
		return -EINVAL;
	done.text = w.text;
	done.nr_chars = (size_t)(slash - w.text);
	total.text = slash + 1;
	total.nr_chars = w.nr_chars - done.nr_chars - 1;
	if (parse_number(done, &rep->done_sectors) || parse_number(total, &rep->total_sectors))
		return -EINVAL;
	return rep->done_sectors <= rep->total_sectors ? 0 : -EINVAL;
}

static int parse_value(struct cascade_report *rep, const struct key *key, struct word w)
{
	unsigned int value;
	int r;

	switch (key->kind) {
	case KIND_JOURNAL:
		r = parse_name(w, journal_names, ARRAY_SIZE(journal_names), &value);
		if (!r)
			rep->journal = value;
		return r;
	case KIND_CACHE:
		r = parse_name(w, cache_names, ARRAY_SIZE(cache_names), &value);
		if (!r)
			rep->cache_state = value;
		return r;
	default:
		return parse_number(w, counter_of(rep, key));
	}
}

/* Keys that are not known come from a newer module and are skipped. */
static int parse_pair(struct cascade_report *rep, struct word name, struct word value,
		      u64 *seen_mask)
{
	size_t i;

	if (!name.nr_chars || !value.nr_chars)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!word_is(name, keys[i].name))
			continue;
		if (*seen_mask & BIT_ULL(i))
			return -EINVAL;
		*seen_mask |= BIT_ULL(i);
		return parse_value(rep, &keys[i], value);
	}
	return 0;
}

static int parse_pairs(struct cascade_report *rep, const char **text)
{
	u64 seen_mask = 0;
	u64 nr_pairs;

	if (parse_number(next_word(text), &nr_pairs))
		return -EINVAL;
	while (nr_pairs--) {
		struct word name = next_word(text);
		struct word value = next_word(text);
		int r = parse_pair(rep, name, value, &seen_mask);

		if (r)
			return r;
	}
	return next_word(text).nr_chars ? -EINVAL : 0;
}

int cascade_report_parse(struct cascade_report *rep, const char *text)
{
	struct word count, health;
	unsigned int action;

	memset(rep, 0, sizeof(*rep));
	if (parse_level(rep, next_word(&text)))
		return -EINVAL;
	count = next_word(&text);
	health = next_word(&text);
	if (parse_members(rep, count, health))
		return -EINVAL;
	if (parse_progress(rep, next_word(&text)))
		return -EINVAL;
	if (parse_name(next_word(&text), sync_names, ARRAY_SIZE(sync_names), &action))
		return -EINVAL;
	rep->sync_action = action;
	if (parse_number(next_word(&text), &rep->mismatch_blocks))
		return -EINVAL;
	return parse_pairs(rep, &text);
}
