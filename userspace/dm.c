// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-mapper requests, through libdevmapper. Whatever makes, changes or removes
 * a device node waits for udev by a cookie, as other dm tools do; libdevmapper
 * makes the nodes itself where no udev runs or DM_DISABLE_UDEV is set.
 */
#include <fcntl.h>
#include <libdevmapper.h>
#include <unistd.h>

#include "dm.h"
#include "msg.h"

/* The caller reports a failure, with the device's name, in the tool's own form. */
static __attribute__((format(printf, 5, 6)))
void no_log(int level, const char *file, int line, int error, const char *fmt, ...)
{
	(void)level;
	(void)file;
	(void)line;
	(void)error;
	(void)fmt;
}

void cascade_dm_init(void)
{
	dm_log_with_errno_init(no_log);
}

const char *cascade_dm_why(int error)
{
	if (error == -ENODEV)
		return "there is no device of that name";
	if (error == -EMEDIUMTYPE)
		return "it is not a cascade array";
	if (error == -EPROTO)
		return "its lines are not understood: tool and module are of different versions";
	if (error == -ENOTCONN)
		return geteuid() ? "device-mapper cannot be reached: run this as root" :
				   "device-mapper cannot be reached: see 'modprobe dm_mod'";
	return strerror(-error);
}

static struct dm_task *begin(int type, const char *name)
{
	struct dm_task *dmt = dm_task_create(type);

	if (!dmt)
		return NULL;
	if (name && !dm_task_set_name(dmt, name)) {
		dm_task_destroy(dmt);
		return NULL;
	}
	return dmt;
}

/* Runs a request; the kernel's errno comes back, as ENODEV where there is no device. */
static int run(struct dm_task *dmt)
{
	int error;

	if (dm_task_run(dmt))
		return 0;
	error = dm_task_get_errno(dmt);
	if (error == ENXIO)
		return -ENODEV;
	if (error)
		return -error;
	return -ENOTCONN;
}

/* Runs a request that changes device nodes, and waits for them. */
static int run_nodes(struct dm_task *dmt)
{
	uint32_t cookie = 0;
	int r;

	if (!dm_task_set_cookie(dmt, &cookie, 0))
		return -ENOTCONN;
	r = run(dmt);
	dm_udev_wait(cookie);
	dm_task_update_nodes();
	return r;
}

int cascade_dm_info(const char *name, struct cascade_dm_info *info)
{
	struct dm_task *dmt = begin(DM_DEVICE_INFO, name);
	struct dm_info dmi;
	int r;

	if (!dmt)
		return -ENOTCONN;
	r = run(dmt);
	if (!r && !dm_task_get_info(dmt, &dmi))
		r = -ENOTCONN;
	if (!r && !dmi.exists)
		r = -ENODEV;
	if (!r)
		*info = (struct cascade_dm_info) {
			.major = dmi.major,
			.minor = dmi.minor,
			.open_count = dmi.open_count,
			.read_only = dmi.read_only,
			.suspended = dmi.suspended,
		};
	dm_task_destroy(dmt);
	return r;
}

/* Takes the first cascade target of an answer. */
static int find_target(struct dm_task *dmt, struct cascade_dm_target *target)
{
	void *next = NULL;

	do {
		uint64_t start = 0, length = 0;
		char *type = NULL, *params = NULL;

		next = dm_get_next_target(dmt, next, &start, &length, &type, &params);
		if (!type || strcmp(type, CASCADE_DM_TARGET))
			continue;
		target->start_sectors = start;
		target->length_sectors = length;
		target->text = cascade_msg_text("%s", params ? params : "");
		return 0;
	} while (next);
	return -EMEDIUMTYPE;
}

int cascade_dm_read(const char *name, enum cascade_dm_line line,
		    struct cascade_dm_target *target)
{
	struct dm_task *dmt;
	struct dm_info dmi;
	int r;

	dmt = begin(line == CASCADE_DM_TABLE ? DM_DEVICE_TABLE : DM_DEVICE_STATUS, name);
	if (!dmt)
		return -ENOTCONN;
	dm_task_no_flush(dmt);
	r = run(dmt);
	if (!r && dm_task_get_info(dmt, &dmi) && !dmi.exists)
		r = -ENODEV;
	if (!r)
		r = find_target(dmt, target);
	dm_task_destroy(dmt);
	return r;
}

void cascade_dm_put(struct cascade_dm_target *target)
{
	free(target->text);
	target->text = NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int cascade_dm_list(char ***names, unsigned int *nr_names)
{
	struct dm_task *dmt = begin(DM_DEVICE_LIST, NULL);
	struct dm_names *entry;
	unsigned int next = 0;
	char **list = NULL;
	unsigned int nr = 0;
	int r;

	*names = NULL;
	*nr_names = 0;
	if (!dmt)
		return -ENOTCONN;
	r = run(dmt);
	entry = r ? NULL : dm_task_get_names(dmt);
	if (!r && !entry)
		r = -ENOTCONN;
	while (entry && entry->dev) {
		struct cascade_dm_target target;

		/* one that goes away meanwhile is none */
		if (!cascade_dm_read(entry->name, CASCADE_DM_TABLE, &target)) {
			cascade_dm_put(&target);
			list = reallocarray(list, nr + 1, sizeof(*list));
			if (!list)
				abort();
			list[nr++] = cascade_msg_text("%s", entry->name);
		}
		next = entry->next;
		entry = next ? (struct dm_names *)((char *)entry + next) : NULL;
	}
	dm_task_destroy(dmt);
	if (nr)
		qsort(list, nr, sizeof(*list), by_name);
	*names = list;
	*nr_names = nr;
	return r;
}

void cascade_dm_list_free(char **names, unsigned int nr_names)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++)
		free(names[i]);
	free(names);
}

static int make(const char *name, const char *uuid)
{
	struct dm_task *dmt = begin(DM_DEVICE_CREATE, name);
	int r = -ENOTCONN;

	if (!dmt)
		return r;
	if ((!uuid || dm_task_set_uuid(dmt, uuid)) &&
	    dm_task_set_add_node(dmt, DM_ADD_NODE_ON_RESUME))
		r = run(dmt);
	dm_task_destroy(dmt);
	return r;
}

static int load(const char *name, u64 length_sectors, const char *line, bool read_only)
{
	struct dm_task *dmt = begin(DM_DEVICE_RELOAD, name);
	int r = -ENOTCONN;

	if (!dmt)
		return r;
	if ((!read_only || dm_task_set_ro(dmt)) &&
	    dm_task_add_target(dmt, 0, length_sectors, CASCADE_DM_TARGET, line))
		r = run(dmt);
	dm_task_destroy(dmt);
	return r;
}

static int resume(const char *name)
{
	struct dm_task *dmt = begin(DM_DEVICE_RESUME, name);
	int r = -ENOTCONN;

	if (!dmt)
		return r;
	if (dm_task_set_add_node(dmt, DM_ADD_NODE_ON_RESUME))
		r = run_nodes(dmt);
	dm_task_destroy(dmt);
	return r;
}

int cascade_dm_start(const char *name, const char *uuid, u64 length_sectors, const char *line,
		     bool read_only, const char **step)
{
	int r;

	*step = "cannot make the device";
	r = make(name, uuid);
	if (r)
		return r;
	*step = "the kernel refuses the table line";
	r = load(name, length_sectors, line, read_only);
	if (!r) {
		*step = "the array does not start";
		r = resume(name);
	}
	if (r)
		cascade_dm_remove(name);
	return r;
}

int cascade_dm_set_uuid(const char *name, const char *uuid)
{
	struct dm_task *dmt = begin(DM_DEVICE_RENAME, name);
	int r = -ENOTCONN;

	if (!dmt)
		return r;
	if (dm_task_set_newuuid(dmt, uuid))
		r = run_nodes(dmt);
	dm_task_destroy(dmt);
	return r;
}

int cascade_dm_remove(const char *name)
{
	struct dm_task *dmt = begin(DM_DEVICE_REMOVE, name);
	int r;

	if (!dmt)
		return -ENOTCONN;
	r = run_nodes(dmt);
	dm_task_destroy(dmt);
	return r;
}

int cascade_dm_message(const char *name, const char *text)
{
	struct dm_task *dmt = begin(DM_DEVICE_TARGET_MSG, name);
	int r = -ENOTCONN;

	if (!dmt)
		return r;
	if (dm_task_set_sector(dmt, 0) && dm_task_set_message(dmt, text))
		r = run(dmt);
	dm_task_destroy(dmt);
	return r;
}

int cascade_dm_arm(int fd)
{
	/* libdevmapper has a descriptor of its own, and cannot say when it is readable */
	char *path = cascade_msg_text("%s/control", dm_dir());
	int next = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	if (fd >= 0)
		close(fd);
	return next;
}

int cascade_dm_target_version(u32 version[3])
{
	struct dm_task *dmt = begin(DM_DEVICE_LIST_VERSIONS, NULL);
	struct dm_versions *entry;
	unsigned int next;
	int r;

	if (!dmt)
		return -ENOTCONN;
	r = run(dmt);
	entry = r ? NULL : dm_task_get_versions(dmt);
	if (!r)
		r = -ENOENT;
	for (; entry; entry = next ? (struct dm_versions *)((char *)entry + next) : NULL) {
		if (!strcmp(entry->name, CASCADE_DM_TARGET)) {
			version[0] = entry->version[0];
			version[1] = entry->version[1];
			version[2] = entry->version[2];
			r = 0;
			break;
		}
		next = entry->next;
	}
	dm_task_destroy(dmt);
	return r;
}
