// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table lines of arrays, new and live.
 */
#include "dm.h"
#include "msg.h"
#include "words.h"

void cascade_words_split(struct cascade_words *words, const char *line)
{
	static const char blanks[] = " \t\n";
	char *rest, *word;

	words->text = cascade_msg_text("%s", line);
	/* no line has more words than half its characters, and one */
	words->list = cascade_msg_alloc(strlen(line) / 2 + 1, sizeof(*words->list));
	words->nr = 0;
	for (word = strtok_r(words->text, blanks, &rest); word;
	     word = strtok_r(NULL, blanks, &rest))
		words->list[words->nr++] = word;
}

void cascade_words_free(struct cascade_words *words)
{
	free(words->list);
	free(words->text);
}

char *cascade_words_line(const struct cascade_params *p)
{
	size_t nr_bytes = 1024;

	for (;;) {
		char *line = cascade_msg_alloc(1, nr_bytes);

		if (cascade_params_format(p, line, nr_bytes) >= 0)
			return line;
		free(line);
		nr_bytes *= 2;
	}
}

int cascade_words_live(const char *name, struct cascade_params *p, struct cascade_words *words,
		       u64 *length_sectors)
{
	const char *error, *found;
	struct cascade_dm_target target;
	int r;

	r = cascade_dm_read(name, CASCADE_DM_TABLE, &target);
	if (r)
		return r;
	*length_sectors = target.length_sectors;
	cascade_words_split(words, target.text);
	cascade_dm_put(&target);
	if (!cascade_params_parse(p, words->nr, words->list, &error, &found))
		return 0;
	cascade_words_free(words);
	return -EPROTO;
}

void cascade_words_report_start(const char *name, const char *step, int error)
{
	u32 version[3];

	cascade_msg_error(name, "%s: %s", step, cascade_dm_why(error));
	if (cascade_dm_target_version(version) == -ENOENT)
		cascade_msg_note(name,
				 "the kernel has no cascade target: load it with 'modprobe dm-cascade'");
}

char *cascade_words_uuid(const u8 *array_uuid)
{
	char text[CASCADE_UUID_TEXT_BYTES];

	cascade_uuid_format(array_uuid, text);
	return cascade_msg_text(CASCADE_DM_UUID_PREFIX "%s", text);
}

void cascade_words_tag(const char *name)
{
	struct cascade_words words;
	struct cascade_params p;
	u64 length_sectors;
	char *uuid;

	if (cascade_words_live(name, &p, &words, &length_sectors))
		return;
	if (p.flags & CASCADE_ARG_UUID) {
		uuid = cascade_words_uuid(p.uuid);
		cascade_dm_set_uuid(name, uuid);
		free(uuid);
	}
	cascade_words_free(&words);
}
