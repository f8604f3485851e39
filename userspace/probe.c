// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signatures on a device, by libblkid and by our own superblock decoder.
 */
#define _GNU_SOURCE
#include <blkid.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/sb.h"
#include "msg.h"
#include "probe.h"

static blkid_probe begin(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0)) {
		blkid_free_probe(pr);
		return NULL;
	}
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
					  BLKID_SUBLKS_LABEL | BLKID_SUBLKS_MAGIC);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC);
	return pr;
}

static const char *value(blkid_probe pr, const char *key)
{
	const char *text = NULL;

	return blkid_probe_lookup_value(pr, key, &text, NULL) ? NULL : text;
}

static char *describe(blkid_probe pr)
{
	const char *type = value(pr, "TYPE"), *usage = value(pr, "USAGE");
	const char *label = value(pr, "LABEL"), *table = value(pr, "PTTYPE");
	const char *kind = "signature";

	if (!type)
		return cascade_msg_text("a partition table (%s)", table ? table : "unknown");
	if (usage && !strcmp(usage, "filesystem"))
		kind = "filesystem";
	else if (usage && !strcmp(usage, "raid"))
		kind = "raid member";
	return cascade_msg_text("%s %s%s%s%s", type, kind, label ? " labelled '" : "",
				label ? label : "", label ? "'" : "");
}

/* 0: there is something more; 1: nothing more; else a negative errno. */
static int next_signature(blkid_probe pr)
{
	int r;

	errno = 0;
	r = blkid_do_probe(pr);
	/* -1 is what the library says where it has no errno to hand on */
	if (r == -1)
		r = errno ? -errno : -EIO;
	return r;
}

/*
 * Ours is known even where its checksum is wrong: it may be all that is left. Returns
 * 0, with *what NULL if there is none, or a negative errno.
 */
static int find_ours(int fd, char **what)
{
	struct cascade_sb *sb = cascade_msg_alloc(1, sizeof(*sb));
	char *buf = cascade_msg_alloc(1, CASCADE_SB_BYTES);
	enum cascade_sb_fault best = CASCADE_SB_BLANK;
	unsigned int copy;
	int r = 0;

	for (copy = 0; copy < CASCADE_SB_COPIES && best != CASCADE_SB_OK; copy++) {
		off_t at = (off_t)cascade_sb_copy_sector(copy) * CASCADE_SECTOR_BYTES;
		ssize_t nr_bytes = pread(fd, buf, CASCADE_SB_BYTES, at);
		enum cascade_sb_fault fault;

		if (nr_bytes < 0)
			r = -errno;
		if (nr_bytes != (ssize_t)CASCADE_SB_BYTES)
			continue;
		fault = cascade_sb_decode(sb, buf);
		if (fault != CASCADE_SB_BLANK)
			best = fault;
	}
	if (best == CASCADE_SB_OK)
		*what = cascade_msg_text("the superblock of cascade array '%s'", sb->name);
	else if (best != CASCADE_SB_BLANK)
		*what = cascade_msg_text("the superblock of a cascade array (%s)",
					 cascade_sb_fault_text(best));
	free(buf);
	free(sb);
	return *what ? 0 : r;
}

static int find_others(int fd, char **what)
{
	blkid_probe pr = begin(fd);
	int r;

	if (!pr)
		return errno ? -errno : -ENOMEM;
	r = next_signature(pr);
	if (!r)
		*what = describe(pr);
	blkid_free_probe(pr);
	return min(r, 0);
}

int cascade_probe_find(const char *path, char **what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r, others;

	*what = NULL;
	if (fd < 0)
		return -errno;
	r = find_ours(fd, what);
	if (!*what) {
		others = find_others(fd, what);
		r = others ? others : r;
	}
	close(fd);
	return *what ? 0 : r;
}

static u64 offset_sectors(blkid_probe pr)
{
	const char *text = value(pr, "SBMAGIC_OFFSET");

	if (!text)
		text = value(pr, "PTMAGIC_OFFSET");
	return text ? strtoull(text, NULL, 10) / CASCADE_SECTOR_BYTES : UINT64_MAX;
}

static int wipe(int fd, u64 keep_begin_sectors, u64 keep_end_sectors)
{
	blkid_probe pr = begin(fd);
	int r = 0;

	if (!pr)
		return errno ? -errno : -ENOMEM;
	while (!r) {
		u64 at;

		r = next_signature(pr);
		if (r)
			break;
		at = offset_sectors(pr);
		if (at >= keep_begin_sectors && at < keep_end_sectors)
			continue;
		errno = 0;
		if (at == UINT64_MAX || blkid_do_wipe(pr, 0))
			r = errno ? -errno : -EIO;
	}
	blkid_free_probe(pr);
	return min(r, 0);
}

int cascade_probe_wipe(const char *path, u64 keep_begin_sectors, u64 keep_end_sectors)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int r = fd < 0 ? -errno : wipe(fd, keep_begin_sectors, keep_end_sectors);

	if (!r && fsync(fd))
		r = -errno;
	if (fd >= 0)
		close(fd);
	if (r)
		cascade_msg_error(path,
				  "an old signature may be left at its begin or end: %s; see 'wipefs'",
				  strerror(-r));
	return r ? -1 : 0;
}
