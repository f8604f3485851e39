// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table line. Each rule has a sentence of its own, which names the argument
 * as it is typed and what is accepted; the word that broke the rule is handed
 * back beside it, so that the sentence can be a constant.
 *
 * Optional arguments stand in one table: what they are called, whether a value
 * follows, what takes the value. Rules between arguments are checked when the
 * whole line has been read, so that the order of arguments plays no part.
 */
#include "geo.h"
#include "ident.h"
#include "params.h"
#include "units.h"

/* A line while it is read. */
struct line {
	struct cascade_params *p;
	unsigned int argc;
	char **argv;
	unsigned int next;	/* first word that was not looked at */
	u64 seen_mask;		/* bit n: options[n] was given */
	const char **error;
	const char **found;
};

static int refuse(struct line *l, const char *error, const char *found)
{
	*l->error = error;
	*l->found = found;
	return -EINVAL;
}

/* The next word, or NULL at the end of the line. */
static const char *take(struct line *l)
{
	return l->next < l->argc ? l->argv[l->next++] : NULL;
}

/* Digits and nothing else, at least one; no sign, no blank. */
static bool read_number(const char *word, u32 *number)
{
	u64 sum = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		sum = sum * 10 + (u64)(*word - '0');
		if (sum > 0xffffffffULL)
			return false;
	}
	*number = (u32)sum;
	return true;
}

static bool is_missing(const char *word)
{
	return !strcmp(word, "-");
}

static bool is_among(const char *word, const char *const *list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (list[i] && !strcmp(list[i], word))
			return true;
	return false;
}

/* Whether a device was named before, in whatever role. */
static bool is_named(const struct cascade_params *p, const char *word)
{
	return is_among(word, p->members, p->nr_members) ||
	       is_among(word, p->spares, p->nr_spares) ||
	       is_among(word, p->caches, p->nr_caches) || is_among(word, &p->journal, 1);
}

static u64 missing_mask(const struct cascade_params *p)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < p->nr_members; i++)
		if (!p->members[i])
			mask |= BIT_ULL(i);
	return mask;
}

static int read_level(struct line *l)
{
	const char *word = take(l);

	if (!word)
		return refuse(l,
			      "level is missing, raid0, raid5, raid6 or raid10 is accepted",
			      NULL);
	if (cascade_geo_level_parse(word, &l->p->level))
		return refuse(l, "level must be raid0, raid5, raid6 or raid10", word);
	return 0;
}

static int read_chunk(struct line *l)
{
	const char *word = take(l);
	u32 chunk_sectors;

	if (!word)
		return refuse(l, "chunk_sectors is missing after the level", NULL);
	if (!read_number(word, &chunk_sectors))
		return refuse(l, "chunk_sectors must be a decimal number of sectors", word);
	if (chunk_sectors < CASCADE_CHUNK_SECTORS_MIN ||
	    chunk_sectors > CASCADE_CHUNK_SECTORS_MAX)
		return refuse(l, "chunk_sectors must be from 8 to 32768", word);
	if (!is_power_of_2(chunk_sectors))
		return refuse(l, "chunk_sectors must be a power of two", word);
	l->p->chunk_sectors = chunk_sectors;
	return 0;
}

static int check_least_members(struct line *l, const char *word)
{
	unsigned int nr = l->p->nr_members;

	switch (l->p->level) {
	case CASCADE_RAID0:
		if (nr < 1)
			return refuse(l, "#members must be at least 1 for raid0", word);
		return 0;
	case CASCADE_RAID5:
		if (nr < 3)
			return refuse(l, "#members must be at least 3 for raid5", word);
		return 0;
	case CASCADE_RAID6:
		if (nr < 4)
			return refuse(l, "#members must be at least 4 for raid6", word);
		return 0;
	case CASCADE_RAID10:
		if (nr < 2)
			return refuse(l, "#members must be at least 2 for raid10", word);
		return 0;
	}
	return 0;
}

static int read_nr_members(struct line *l)
{
	const char *word = take(l);
	u32 nr;

	if (!word)
		return refuse(l, "#members is missing after chunk_sectors", NULL);
	if (!read_number(word, &nr))
		return refuse(l, "#members must be a decimal number", word);
	if (nr > CASCADE_MEMBERS_MAX)
		return refuse(l, "#members must be at most 64", word);
	l->p->nr_members = nr;
	return check_least_members(l, word);
}

static int read_members(struct line *l)
{
	struct cascade_params *p = l->p;
	bool any = false;
	unsigned int i;

	for (i = 0; i < p->nr_members; i++) {
		const char *word = take(l);

		if (!word)
			return refuse(l,
				      "members are fewer than #members says, each slot needs a device or -",
				      NULL);
		if (!*word)
			return refuse(l, "a member must be a device or -, not an empty word", word);
		if (is_missing(word))
			continue;
		if (is_among(word, p->members, i))
			return refuse(l,
				      "a member must be a device that is not named in another slot",
				      word);
		p->members[i] = word;
		any = true;
	}
	if (!any)
		return refuse(l,
			      "members must not all be missing, at least one must be a device",
			      "-");
	return 0;
}

static int take_name(struct line *l, const char *word)
{
	if (!cascade_name_check(word))
		return refuse(l,
			      "name must be 1 to 63 letters, digits and +-._ and begin with a letter or a digit",
			      word);
	l->p->name = word;
	return 0;
}

static int take_uuid(struct line *l, const char *word)
{
	if (cascade_uuid_parse(word, l->p->uuid))
		return refuse(l, "uuid must be hexadecimal digits in the form 8-4-4-4-12", word);
	return 0;
}

static int take_rebuild(struct line *l, const char *word)
{
	u32 slot;

	if (!read_number(word, &slot))
		return refuse(l, "rebuild must be followed by a decimal slot number", word);
	if (slot >= l->p->nr_members)
		return refuse(l, "rebuild must name a slot below #members", word);
	if (!l->p->members[slot])
		return refuse(l, "rebuild must name a slot that holds a device, not -", word);
	if (l->p->rebuild_mask & BIT_ULL(slot))
		return refuse(l, "rebuild must name a slot only once", word);
	l->p->rebuild_mask |= BIT_ULL(slot);
	return 0;
}

static int take_spare(struct line *l, const char *word)
{
	struct cascade_params *p = l->p;

	if (!*word || is_missing(word))
		return refuse(l, "spare must be followed by a device, - is for members only", word);
	if (is_named(p, word))
		return refuse(l, "spare must be a device that is not named before", word);
	if (p->nr_spares == CASCADE_SPARES_MAX)
		return refuse(l, "spare may be given at most 16 times", word);
	p->spares[p->nr_spares++] = word;
	return 0;
}

static int take_cache(struct line *l, const char *word)
{
	struct cascade_params *p = l->p;

	if (!*word || is_missing(word))
		return refuse(l, "cache must be followed by a device, - is for members only", word);
	if (is_named(p, word))
		return refuse(l, "cache must be a device that is not named before", word);
	if (p->nr_caches == CASCADE_CACHES_MAX)
		return refuse(l, "cache may be given at most 8 times", word);
	p->caches[p->nr_caches++] = word;
	return 0;
}

static int take_cache_block(struct line *l, const char *word)
{
	u32 sectors;

	if (!read_number(word, &sectors))
		return refuse(l, "cache_block must be a decimal number of sectors", word);
	if (sectors < CASCADE_CACHE_BLOCK_MIN || sectors > CASCADE_CACHE_BLOCK_MAX)
		return refuse(l, "cache_block must be from 8 to 2048 sectors", word);
	if (!is_power_of_2(sectors))
		return refuse(l, "cache_block must be a power of two", word);
	l->p->cache_block_sectors = sectors;
	return 0;
}

static int take_cache_write(struct line *l, const char *word)
{
	if (!strcmp(word, "update"))
		l->p->cache_write = CASCADE_CACHE_UPDATE;
	else if (!strcmp(word, "invalidate"))
		l->p->cache_write = CASCADE_CACHE_INVALIDATE;
	else
		return refuse(l, "cache_write must be update or invalidate", word);
	return 0;
}

static int take_journal(struct line *l, const char *word)
{
	if (!*word || is_missing(word))
		return refuse(l,
			      "journal must be followed by a device, no_journal is for none",
			      word);
	if (is_named(l->p, word))
		return refuse(l, "journal must be a device that is not named before", word);
	l->p->journal = word;
	return 0;
}

/*
 * @twice is NULL for what may be repeated, @no_value and @take for what has no
 * value.
 */
struct option {
	const char *name;
	u64 flag;
	const char *twice;
	const char *no_value;
	int (*take)(struct line *l, const char *word);
};

static const struct option options[] = {
	{ .name = "create", .flag = CASCADE_ARG_CREATE,
	  .twice = "create may be given only once" },
	{ .name = "name", .take = take_name,
	  .twice = "name may be given only once",
	  .no_value = "name must be followed by the array's name" },
	{ .name = "assume_clean", .flag = CASCADE_ARG_ASSUME_CLEAN,
	  .twice = "assume_clean may be given only once" },
	{ .name = "force", .flag = CASCADE_ARG_FORCE,
	  .twice = "force may be given only once" },
	{ .name = "uuid", .flag = CASCADE_ARG_UUID, .take = take_uuid,
	  .twice = "uuid may be given only once",
	  .no_value = "uuid must be followed by the array's uuid" },
	{ .name = "rebuild", .take = take_rebuild,
	  .no_value = "rebuild must be followed by a slot" },
	{ .name = "spare", .take = take_spare,
	  .no_value = "spare must be followed by a device" },
	{ .name = "cache", .take = take_cache,
	  .no_value = "cache must be followed by a device" },
	{ .name = "cache_block", .flag = CASCADE_ARG_CACHE_BLOCK, .take = take_cache_block,
	  .twice = "cache_block may be given only once",
	  .no_value = "cache_block must be followed by a number of sectors" },
	{ .name = "cache_write", .flag = CASCADE_ARG_CACHE_WRITE, .take = take_cache_write,
	  .twice = "cache_write may be given only once",
	  .no_value = "cache_write must be followed by update or invalidate" },
	{ .name = "journal", .take = take_journal,
	  .twice = "journal may be given only once",
	  .no_value = "journal must be followed by a device" },
	{ .name = "no_journal", .flag = CASCADE_ARG_NO_JOURNAL,
	  .twice = "no_journal may be given only once" },
	{ .name = "read_only", .flag = CASCADE_ARG_READ_ONLY,
	  .twice = "read_only may be given only once" },
};

static int read_option(struct line *l, const char *word)
{
	const struct option *o;
	const char *value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, word))
			break;
	if (i == ARRAY_SIZE(options))
		return refuse(l,
			      "optional arguments are create, name, assume_clean, force, uuid, rebuild, spare, cache, cache_block, cache_write, journal, no_journal and read_only",
			      word);
	o = &options[i];
	if (o->twice && l->seen_mask & BIT_ULL(i))
		return refuse(l, o->twice, word);
	l->seen_mask |= BIT_ULL(i);
	l->p->flags |= o->flag;
	if (!o->take)
		return 0;
	value = take(l);
	return value ? o->take(l, value) : refuse(l, o->no_value, NULL);
}

static int read_options(struct line *l)
{
	const char *word = take(l);
	u32 nr_words;
	int r;

	if (!word)
		return refuse(l,
			      "#optional_args is missing after the members, 0 is accepted",
			      NULL);
	if (!read_number(word, &nr_words))
		return refuse(l, "#optional_args must be a decimal number", word);
	if (nr_words > l->argc - l->next)
		return refuse(l, "#optional_args is more than the words that follow it", word);
	if (nr_words < l->argc - l->next)
		return refuse(l, "#optional_args is less than the words that follow it", word);
	while ((word = take(l))) {
		r = read_option(l, word);
		if (r)
			return r;
	}
	return 0;
}

static int check_create(struct line *l)
{
	const struct cascade_params *p = l->p;
	struct cascade_geo geo;

	if (p->flags & CASCADE_ARG_UUID)
		return refuse(l, "uuid is not accepted with create, which makes a new one", "uuid");
	if (p->rebuild_mask)
		return refuse(l, "rebuild is not accepted with create", "rebuild");
	if (p->flags & CASCADE_ARG_READ_ONLY)
		return refuse(l, "read_only is not accepted with create", "read_only");
	if (cascade_geo_init(&geo, p->level, p->nr_members, p->chunk_sectors, 0, l->error)) {
		*l->found = NULL;
		return -EINVAL;
	}
	if (!cascade_geo_survives(&geo, missing_mask(p)))
		return refuse(l,
			      "create accepts only as many missing members as the level can lose",
			      "-");
	return 0;
}

static int check_no_create(struct line *l)
{
	const struct cascade_params *p = l->p;

	if (p->name)
		return refuse(l, "name is accepted only with create", "name");
	if (p->flags & CASCADE_ARG_ASSUME_CLEAN)
		return refuse(l, "assume_clean is accepted only with create", "assume_clean");
	if (p->flags & CASCADE_ARG_READ_ONLY && p->rebuild_mask)
		return refuse(l, "rebuild is not accepted with read_only", "rebuild");
	return 0;
}

/* What holds between arguments, wherever they stand. */
static int check_together(struct line *l)
{
	const struct cascade_params *p = l->p;

	if (p->journal && p->flags & CASCADE_ARG_NO_JOURNAL)
		return refuse(l, "journal and no_journal exclude each other", "no_journal");
	if (!p->nr_caches && p->flags & CASCADE_ARG_CACHE_BLOCK)
		return refuse(l, "cache_block is accepted only with cache", "cache_block");
	if (!p->nr_caches && p->flags & CASCADE_ARG_CACHE_WRITE)
		return refuse(l, "cache_write is accepted only with cache", "cache_write");
	if (p->level == CASCADE_RAID0 && p->rebuild_mask)
		return refuse(l,
			      "rebuild is not accepted at raid0, which has no redundancy",
			      "rebuild");
	if (p->level == CASCADE_RAID0 && p->nr_spares)
		return refuse(l,
			      "spare is not accepted at raid0, which has no redundancy",
			      "spare");
	return p->flags & CASCADE_ARG_CREATE ? check_create(l) : check_no_create(l);
}

int cascade_params_parse(struct cascade_params *p, unsigned int argc, char **argv,
			 const char **error, const char **found)
{
	struct line l = {
		.p = p,
		.argc = argc,
		.argv = argv,
		.error = error,
		.found = found,
	};
	int r;

	memset(p, 0, sizeof(*p));
	p->cache_block_sectors = CASCADE_CACHE_BLOCK_DEFAULT;
	p->cache_write = CASCADE_CACHE_UPDATE;

	r = read_level(&l);
	if (!r)
		r = read_chunk(&l);
	if (!r)
		r = read_nr_members(&l);
	if (!r)
		r = read_members(&l);
	if (!r)
		r = read_options(&l);
	if (!r)
		r = check_together(&l);
	return r;
}

/* A line while it is written; without a buffer its words are only counted. */
struct text {
	char *buf;
	size_t nr_bytes;
	size_t used_bytes;
	unsigned int nr_words;
	bool cut;
};

static void put_word(struct text *t, const char *word)
{
	size_t nr_chars = strlen(word);
	size_t blank = t->used_bytes ? 1 : 0;

	t->nr_words++;
	if (!t->buf || t->cut)
		return;
	if (nr_chars + blank >= t->nr_bytes - t->used_bytes) {
		t->cut = true;
		return;
	}
	if (blank)
		t->buf[t->used_bytes++] = ' ';
	memcpy(t->buf + t->used_bytes, word, nr_chars);
	t->used_bytes += nr_chars;
}

static void put_number(struct text *t, u32 number)
{
	char digits[12];

	scnprintf(digits, sizeof(digits), "%u", number);
	put_word(t, digits);
}

static void put_pair(struct text *t, const char *name, const char *value)
{
	put_word(t, name);
	put_word(t, value);
}

static void put_options(struct text *t, const struct cascade_params *p)
{
	char uuid[CASCADE_UUID_TEXT_BYTES];
	unsigned int i;

	if (p->flags & CASCADE_ARG_CREATE)
		put_word(t, "create");
	if (p->name)
		put_pair(t, "name", p->name);
	if (p->flags & CASCADE_ARG_ASSUME_CLEAN)
		put_word(t, "assume_clean");
	if (p->flags & CASCADE_ARG_FORCE)
		put_word(t, "force");
	if (p->flags & CASCADE_ARG_UUID) {
		cascade_uuid_format(p->uuid, uuid);
		put_pair(t, "uuid", uuid);
	}
	for (i = 0; i < p->nr_members; i++) {
		if (p->rebuild_mask & BIT_ULL(i)) {
			put_word(t, "rebuild");
			put_number(t, i);
		}
	}
	for (i = 0; i < p->nr_spares; i++)
		put_pair(t, "spare", p->spares[i]);
	for (i = 0; i < p->nr_caches; i++)
		put_pair(t, "cache", p->caches[i]);
	if (p->flags & CASCADE_ARG_CACHE_BLOCK) {
		put_word(t, "cache_block");
		put_number(t, p->cache_block_sectors);
	}
	if (p->flags & CASCADE_ARG_CACHE_WRITE)
		put_pair(t, "cache_write",
			 p->cache_write == CASCADE_CACHE_UPDATE ? "update" : "invalidate");
	if (p->journal)
		put_pair(t, "journal", p->journal);
	if (p->flags & CASCADE_ARG_NO_JOURNAL)
		put_word(t, "no_journal");
	if (p->flags & CASCADE_ARG_READ_ONLY)
		put_word(t, "read_only");
}

int cascade_params_format(const struct cascade_params *p, char *buf, size_t nr_bytes)
{
	struct text count = { .buf = NULL };
	struct text t = { .buf = buf, .nr_bytes = nr_bytes };
	unsigned int i;

	if (!nr_bytes)
		return -ENOSPC;
	put_options(&count, p);
	put_word(&t, cascade_geo_level_name(p->level));
	put_number(&t, p->chunk_sectors);
	put_number(&t, p->nr_members);
	for (i = 0; i < p->nr_members; i++)
		put_word(&t, p->members[i] ? p->members[i] : "-");
	put_number(&t, count.nr_words);
	put_options(&t, p);
	buf[t.used_bytes] = '\0';
	return t.cut ? -ENOSPC : (int)t.used_bytes;
}
