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

/* Ours is known even where its checksum is wrong: it may be all that is left. */
static char *find_ours(int fd)
{
	struct cascade_sb *sb = cascade_msg_alloc(1, sizeof(*sb));
	char *buf = cascade_msg_alloc(1, CASCADE_SB_BYTES);
	enum cascade_sb_fault best = CASCADE_SB_BLANK;
	char *found = NULL;
	unsigned int copy;

	for (copy = 0; copy < CASCADE_SB_COPIES && best != CASCADE_SB_OK; copy++) {
		off_t at = (off_t)cascade_sb_copy_sector(copy) * CASCADE_SECTOR_BYTES;
		enum cascade_sb_fault fault;

		if (pread(fd, buf, CASCADE_SB_BYTES, at) != (ssize_t)CASCADE_SB_BYTES)
			continue;
		fault = cascade_sb_decode(sb, buf);
		if (fault != CASCADE_SB_BLANK)
			best = fault;
	}
	if (best == CASCADE_SB_OK)
		found = cascade_msg_text("the superblock of cascade array '%s'", sb->name);
	else if (best != CASCADE_SB_BLANK)
		found = cascade_msg_text("the superblock of a cascade array (%s)",
					 cascade_sb_fault_text(best));
	free(buf);
	free(sb);
	return found;
}

char *cascade_probe_find(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	blkid_probe pr;
	char *found;

	if (fd < 0)
		return NULL;
	found = find_ours(fd);
	pr = found ? NULL : begin(fd);
	if (pr && !blkid_do_probe(pr))
		found = describe(pr);
	if (pr)
		blkid_free_probe(pr);
	close(fd);
	return found;
}

static u64 offset_sectors(blkid_probe pr)
{
	const char *text = value(pr, "SBMAGIC_OFFSET");

	if (!text)
		text = value(pr, "PTMAGIC_OFFSET");
	return text ? strtoull(text, NULL, 10) / CASCADE_SECTOR_BYTES : UINT64_MAX;
}

int cascade_probe_wipe(const char *path, u64 keep_begin_sectors, u64 keep_end_sectors)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	blkid_probe pr = fd < 0 ? NULL : begin(fd);
	int r = 0;

	if (!pr) {
		cascade_msg_error(path, "cannot wipe old signatures: %s", strerror(errno));
		r = -1;
	}
	while (pr && !r && !blkid_do_probe(pr)) {
		u64 at = offset_sectors(pr);

		if (at >= keep_begin_sectors && at < keep_end_sectors)
			continue;
		if (at == UINT64_MAX || blkid_do_wipe(pr, 0)) {
			cascade_msg_error(path, "cannot wipe an old signature: %s",
					  strerror(errno));
			r = -1;
		}
	}
	if (pr)
		blkid_free_probe(pr);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return r;
}
