// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device-mapper target "cascade": its methods, and the module.
 */
#include <linux/module.h>

#include "create.h"
#include "io.h"
#include "member.h"
#include "message.h"
#include "start.h"
#include "status.h"

/* The data areas of the members that are there. */
static int iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct cascade *c = ti->private;
	slot_t s;
	int r = 0;

	for (s = 0; !r && s < c->geo.nr_members; s++)
		if (c->members[s].dev)
			r = fn(ti, c->members[s].dev, c->members[s].data_offset_sectors,
			       c->geo.data_sectors, data);
	return r;
}

/* Block size and hints are the array's for life, whatever its members are. */
static void io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct cascade *c = ti->private;

	limits->logical_block_size = max(limits->logical_block_size, c->sb.block_bytes);
	limits->physical_block_size = max(limits->physical_block_size, c->sb.block_bytes);
	if (c->geo.nr_parity) {
		limits->physical_block_size = max(limits->physical_block_size, CASCADE_BLOCK_BYTES);
		cascade_compat_partial_rows_expensive(limits);
	}
	limits->io_min = c->geo.chunk_sectors << SECTOR_SHIFT;
	limits->io_opt = limits->io_min * c->geo.nr_data;
}

static struct target_type cascade_target = {
	.name = CASCADE_TARGET_NAME,
	.version = { 1, 0, 0 },
	.features = DM_TARGET_NOWAIT | DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = cascade_ctr,
	.dtr = cascade_dtr,
	.map = cascade_map,
	.end_io = cascade_end_io,
	.preresume = cascade_preresume,
	.resume = cascade_resume,
	.presuspend = cascade_presuspend,
	.presuspend_undo = cascade_resume,
	.postsuspend = cascade_postsuspend,
	.status = cascade_status,
	.message = cascade_message,
	.iterate_devices = iterate_devices,
	.io_hints = io_hints,
};

static int __init cascade_init(void)
{
	return dm_register_target(&cascade_target);
}

static void __exit cascade_exit(void)
{
	dm_unregister_target(&cascade_target);
}

module_init(cascade_init);
module_exit(cascade_exit);

MODULE_DESCRIPTION("device-mapper target: RAID with a read cache that knows the parity");
MODULE_LICENSE("GPL");
