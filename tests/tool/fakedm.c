// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for libdevmapper, preloaded into the tool by tests: mapped devices are files
 * of the folder $FAKEDM. NAME.status and NAME.table are the lines of a cascade target
 * behind its name, NAME.flags holds the words "suspended" and "read_only" where they
 * apply. Messages go to NAME.messages; they fail with EINVAL while NAME.refuses exists;
 * on success NAME.after, if there is one, becomes NAME.status. NAME.looks grows by a line
 * with each look at its status.
 */
#include <dirent.h>
#include <errno.h>
#include <libdevmapper.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 8192
#define NAMES_BYTES 65536
#define LENGTH_SECTORS 18432

struct dm_task {
	int type;
	int error;
	bool exists;
	char name[128];
	char line[LINE_BYTES];
	char message[256];
	char flags[LINE_BYTES];
	union {
		struct dm_names first;
		char room[NAMES_BYTES];
	} names;
};

static const char *path_of(const char *name, const char *kind)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s%s", getenv("FAKEDM"), name, *kind ? "." : "", kind);
	return path;
}

/* Reads the line that a file holds; an empty one if there is no file. */
static bool read_line(const char *name, const char *kind, char *line)
{
	FILE *file = fopen(path_of(name, kind), "re");

	line[0] = '\0';
	if (!file)
		return false;
	if (fgets(line, LINE_BYTES, file))
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return true;
}

static void list(struct dm_task *dmt)
{
	DIR *dir = opendir(getenv("FAKEDM"));
	struct dm_names *at = &dmt->names.first, *last = NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".status"))
			continue;
		*dot = '\0';
		if (last)
			last->next = (uint32_t)((char *)at - (char *)last);
		at->dev = 1;
		at->next = 0;
		strcpy(at->name, entry->d_name);
		last = at;
		at = (struct dm_names *)((char *)at +
					 (sizeof(*at) + strlen(at->name) + 8) / 8 * 8);
	}
	if (dir)
		closedir(dir);
}

static void append(const char *name, const char *kind, const char *line)
{
	FILE *file = fopen(path_of(name, kind), "ae");

	fprintf(file, "%s\n", line);
	fclose(file);
}

static int send(struct dm_task *dmt)
{
	char line[LINE_BYTES];
	FILE *file;

	if (read_line(dmt->name, "refuses", line)) {
		dmt->error = EINVAL;
		return 0;
	}
	append(dmt->name, "messages", dmt->message);
	if (read_line(dmt->name, "after", line)) {
		file = fopen(path_of(dmt->name, "status"), "we");
		fprintf(file, "%s\n", line);
		fclose(file);
	}
	return 1;
}

void dm_log_with_errno_init(dm_log_with_errno_fn fn)
{
	(void)fn;
}

const char *dm_dir(void)
{
	return getenv("FAKEDM");
}

struct dm_task *dm_task_create(int type)
{
	struct dm_task *dmt = calloc(1, sizeof(*dmt));

	dmt->type = type;
	return dmt;
}

void dm_task_destroy(struct dm_task *dmt)
{
	free(dmt);
}

int dm_task_set_name(struct dm_task *dmt, const char *name)
{
	snprintf(dmt->name, sizeof(dmt->name), "%s", name);
	return 1;
}

int dm_task_no_flush(struct dm_task *dmt)
{
	(void)dmt;
	return 1;
}

int dm_task_set_sector(struct dm_task *dmt, uint64_t sector)
{
	(void)dmt;
	return !sector;
}

int dm_task_set_message(struct dm_task *dmt, const char *message)
{
	snprintf(dmt->message, sizeof(dmt->message), "%s", message);
	return 1;
}

int dm_task_run(struct dm_task *dmt)
{
	if (dmt->type == DM_DEVICE_LIST) {
		list(dmt);
		return 1;
	}
	dmt->exists = read_line(dmt->name, "status", dmt->line);
	read_line(dmt->name, "flags", dmt->flags);
	if (!dmt->exists) {
		dmt->error = ENXIO;
		return dmt->type == DM_DEVICE_INFO;
	}
	if (dmt->type == DM_DEVICE_STATUS)
		append(dmt->name, "looks", "look");
	if (dmt->type == DM_DEVICE_TABLE)
		read_line(dmt->name, "table", dmt->line);
	return dmt->type == DM_DEVICE_TARGET_MSG ? send(dmt) : 1;
}

int dm_task_get_errno(struct dm_task *dmt)
{
	return dmt->error;
}

int dm_task_get_info(struct dm_task *dmt, struct dm_info *info)
{
	memset(info, 0, sizeof(*info));
	info->exists = dmt->exists;
	info->suspended = !!strstr(dmt->flags, "suspended");
	info->read_only = !!strstr(dmt->flags, "read_only");
	return 1;
}

struct dm_names *dm_task_get_names(struct dm_task *dmt)
{
	return &dmt->names.first;
}

void *dm_get_next_target(struct dm_task *dmt, void *next, uint64_t *start, uint64_t *length,
			 char **target_type, char **params)
{
	(void)next;
	*start = 0;
	*length = LENGTH_SECTORS;
	*target_type = "cascade";
	*params = dmt->line;
	return NULL;
}
