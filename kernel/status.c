// SPDX-License-Identifier: GPL-2.0-only
/*
 * Status and table lines: counters and states into the core's structures, and
 * those into text.
 */
#include "member.h"
#include "resync.h"
#include "status.h"

static void sum_stats(const struct cascade *c, struct cascade_report *rep)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct cascade_stats *stats = per_cpu_ptr(c->stats, cpu);

		rep->reads += stats->reads;
		rep->writes += stats->writes;
		rep->full_rows += stats->full_rows;
		rep->rmw += stats->rmw;
		rep->rcw += stats->rcw;
		rep->stripe_hits += stats->stripe_hits;
		rep->member_reads += stats->member_reads;
		rep->member_writes += stats->member_writes;
		rep->read_errors_fixed += stats->read_errors_fixed;
	}
}

static void info(struct cascade *c, char *result, unsigned int nr_bytes)
{
	struct cascade_report rep = {
		.level = c->geo.level,
		.nr_members = c->geo.nr_members,
		.total_sectors = c->geo.data_sectors,
		.done_sectors = READ_ONCE(c->sb.synced_sectors),
		.sync_action = cascade_resync_action(c),
		.mismatch_blocks = c->mismatch_blocks,
		.journal = CASCADE_JOURNAL_NONE,
		.cache_state = CASCADE_CACHE_NONE,
	};

	cascade_member_health(c, rep.health);
	sum_stats(c, &rep);
	cascade_report_format(&rep, result, nr_bytes);
}

static void table(struct cascade *c, char *result, unsigned int nr_bytes)
{
	struct cascade_params params = {
		.level = c->geo.level,
		.chunk_sectors = c->geo.chunk_sectors,
		.nr_members = c->geo.nr_members,
		.flags = CASCADE_ARG_UUID |
			 (c->args & (CASCADE_ARG_READ_ONLY | CASCADE_ARG_NO_JOURNAL)),
		.cache_block_sectors = CASCADE_CACHE_BLOCK_DEFAULT,
	};
	slot_t s;

	memcpy(params.uuid, c->sb.array_uuid, CASCADE_UUID_BYTES);
	for (s = 0; s < c->geo.nr_members; s++)
		if (c->members[s].dev)
			params.members[s] = c->members[s].dev->name;
	/* Device-mapper takes a text that fills its buffer for one that was cut off. */
	if (cascade_params_format(&params, result, nr_bytes) < 0 && nr_bytes) {
		memset(result, ' ', nr_bytes - 1);
		result[nr_bytes - 1] = '\0';
	}
}

static void measure(struct cascade *c, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;

	DMEMIT_TARGET_NAME_VERSION(c->ti->type);
	DMEMIT(",level=%s,members=%u,chunk_sectors=%u;", cascade_geo_level_name(c->geo.level),
	       c->geo.nr_members, c->geo.chunk_sectors);
}

void cascade_status(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
		    unsigned int nr_bytes)
{
	struct cascade *c = ti->private;

	switch (type) {
	case STATUSTYPE_INFO:
		info(c, result, nr_bytes);
		break;
	case STATUSTYPE_TABLE:
		table(c, result, nr_bytes);
		break;
	case STATUSTYPE_IMA:
		measure(c, result, nr_bytes);
		break;
	}
}
