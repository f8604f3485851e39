// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stop": remove arrays that nobody uses. A device that udev has open for a moment
 * is waited for; any other user is named instead.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "dm.h"
#include "msg.h"
#include "opts.h"

#define NR_TRIES 20
#define TRY_MS 100

static bool opens(const char *fd_folder, u32 major, u32 minor)
{
	DIR *dir = opendir(fd_folder);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char *path = cascade_msg_text("%s/%s", fd_folder, entry->d_name);
		struct stat st;

		found = !stat(path, &st) && S_ISBLK(st.st_mode) && major(st.st_rdev) == major &&
			minor(st.st_rdev) == minor;
		free(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void read_command(const char *pid, char *command, size_t nr_bytes)
{
	char *path = cascade_msg_text("/proc/%s/comm", pid);
	FILE *file = fopen(path, "re");

	if (!file || !fgets(command, (int)nr_bytes, file))
		snprintf(command, nr_bytes, "?");
	command[strcspn(command, "\n")] = '\0';
	if (file)
		fclose(file);
	free(path);
}

/* Names a process that has the device open; udev's workers are passed over. */
static char *find_process(u32 major, u32 minor)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char *found = NULL;

	while (dir && !found && (entry = readdir(dir))) {
		char command[64];
		char *path;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		path = cascade_msg_text("/proc/%s/fd", entry->d_name);
		if (opens(path, major, minor)) {
			read_command(entry->d_name, command, sizeof(command));
			if (!strstr(command, "udev"))
				found = cascade_msg_text("open in process %s (%s)", entry->d_name,
							 command);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

static char *find_user(const struct cascade_dm_info *info)
{
	char *user = cascade_device_users(info->major, info->minor);

	return user ? user : find_process(info->major, info->minor);
}

static int stop_one(const char *name)
{
	const struct timespec pause = { .tv_nsec = TRY_MS * 1000000L };
	struct cascade_dm_target target;
	struct cascade_dm_info info;
	int tries, r;

	r = cascade_dm_read(name, CASCADE_DM_TABLE, &target);
	if (r) {
		cascade_msg_error(name, "cannot stop: %s", cascade_dm_why(r));
		return -1;
	}
	cascade_dm_put(&target);
	for (tries = 0; tries < NR_TRIES; tries++) {
		char *user;

		r = cascade_dm_info(name, &info);
		if (r)
			break;
		user = info.open_count ? find_user(&info) : NULL;
		if (user) {
			cascade_msg_error(name, "cannot stop: it is %s; end that first", user);
			free(user);
			return -1;
		}
		r = cascade_dm_remove(name);
		if (r != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (r == -EBUSY)
		cascade_msg_error(name,
				  "cannot stop: it is open, by whom cannot be seen (in another mount namespace or by a driver); try again");
	else if (r)
		cascade_msg_error(name, "cannot stop: %s", cascade_dm_why(r));
	return r ? -1 : 0;
}

static bool has_holders(const char *name)
{
	struct cascade_dm_info info;
	char *user;

	if (cascade_dm_info(name, &info))
		return false;
	user = cascade_device_users(info.major, info.minor);
	free(user);
	return user;
}

/*
 * Arrays may lie upon arrays: those without a user go first, until none is left or
 * all that are left are in use.
 */
static int stop_all(void)
{
	unsigned int i, nr, nr_left, nr_before;
	char **names;
	int r;

	r = cascade_dm_list(&names, &nr);
	if (r) {
		cascade_msg_error("device-mapper", "cannot list devices: %s", cascade_dm_why(r));
		return EXIT_FAILED;
	}
	nr_left = nr;
	do {
		nr_before = nr_left;
		for (i = 0; i < nr; i++) {
			if (!names[i] || has_holders(names[i]))
				continue;
			if (stop_one(names[i]))
				r = -1;
			free(names[i]);
			names[i] = NULL;
			nr_left--;
		}
	} while (nr_left && nr_left < nr_before);
	for (i = 0; i < nr; i++)
		if (names[i] && stop_one(names[i]))
			r = -1;
	cascade_dm_list_free(names, nr);
	return r ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct cascade_args *args)
{
	bool all = cascade_opts_has(args, OPT_ALL);
	unsigned int i;
	int r = 0;

	if (all && args->nr_words)
		return cascade_opts_usage(args, "'--all' takes no names");
	if (!all && !args->nr_words)
		return cascade_opts_usage(args, "name an array, or use '--all'");
	if (all)
		return stop_all();
	for (i = 0; i < args->nr_words; i++)
		if (stop_one(args->words[i]))
			r = -1;
	return r ? EXIT_FAILED : EXIT_DONE;
}

static const struct cascade_opt opts[] = {
	{ OPT_ALL, "all", NULL, "stop every array" },
	{ OPT_NONE, NULL, NULL, NULL },
};

const struct cascade_cmd cascade_cmd_stop = {
	.name = "stop",
	.synopsis = "NAME...|--all",
	.summary = "stop arrays; their data stays",
	.opts = opts,
	.min_words = 0,
	.max_words = ~0u,
	.run = run,
};
