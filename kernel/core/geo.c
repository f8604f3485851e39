// SPDX-License-Identifier: GPL-2.0-only
/*
 * Geometry: arithmetic between logical sectors, rows and members. The map that
 * every request takes stands in geo.h.
 */
#include "geo.h"

struct level_rule {
	enum cascade_level level;
	const char *name;
	u8 nr_members_min;
	u8 nr_parity;
	u8 nr_copies;
};

static const struct level_rule level_rules[] = {
	{ CASCADE_RAID0, "raid0", 1, 0, 1 },
	{ CASCADE_RAID5, "raid5", 3, 1, 1 },
	{ CASCADE_RAID6, "raid6", 4, 2, 1 },
	{ CASCADE_RAID10, "raid10", 2, 0, 2 },
};

static const struct level_rule *find_level(enum cascade_level level)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(level_rules); i++)
		if (level_rules[i].level == level)
			return &level_rules[i];
	return NULL;
}

const char *cascade_geo_level_name(enum cascade_level level)
{
	const struct level_rule *rule = find_level(level);

	return rule ? rule->name : "unknown";
}

int cascade_geo_level_parse(const char *name, enum cascade_level *level)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(level_rules); i++) {
		if (!strcmp(level_rules[i].name, name)) {
			*level = level_rules[i].level;
			return 0;
		}
	}
	return -EINVAL;
}

int cascade_geo_init(struct cascade_geo *geo, enum cascade_level level,
		     unsigned int nr_members, u32 chunk_sectors, u64 data_sectors,
		     const char **error)
{
	const struct level_rule *rule = find_level(level);

	memset(geo, 0, sizeof(*geo));
	if (!rule) {
		*error = "level must be raid0, raid5, raid6 or raid10";
		return -EINVAL;
	}
	if (nr_members < rule->nr_members_min || nr_members > CASCADE_MEMBERS_MAX) {
		*error = "#members must be at least what the level takes, at most 64";
		return -EINVAL;
	}
	if (!is_power_of_2(chunk_sectors) || chunk_sectors < CASCADE_CHUNK_SECTORS_MIN ||
	    chunk_sectors > CASCADE_CHUNK_SECTORS_MAX) {
		*error = "chunk_sectors must be a power of two from 8 to 32768";
		return -EINVAL;
	}
	geo->level = level;
	geo->nr_members = nr_members;
	geo->nr_parity = rule->nr_parity;
	geo->nr_copies = rule->nr_copies;
	geo->nr_data = nr_members - rule->nr_parity;
	geo->chunk_shift = ilog2(chunk_sectors);
	geo->chunk_sectors = chunk_sectors;
	geo->data_sectors = data_sectors & ~(u64)(chunk_sectors - 1);
	return 0;
}

u64 cascade_geo_capacity_sectors(const struct cascade_geo *geo)
{
	u64 chunks = (geo->data_sectors >> geo->chunk_shift) * geo->nr_data;

	return div_u64(chunks, geo->nr_copies) << geo->chunk_shift;
}

int cascade_geo_member_sectors(const struct cascade_geo *geo, u64 array_sectors,
			       u64 *data_sectors)
{
	u64 chunks = (array_sectors >> geo->chunk_shift) * geo->nr_copies;
	u64 rows;
	u32 rest;

	if (!array_sectors || array_sectors & (geo->chunk_sectors - 1))
		return -EINVAL;
	rows = div_u64_rem(chunks, geo->nr_data, &rest);
	if (rest) {
		/*
		 * Only a RAID-10 of an odd number of members may end within a
		 * row: its two last copies leave one place of that row unused.
		 */
		if (geo->nr_copies == 1 || rest + 1 != geo->nr_data)
			return -EINVAL;
		rows++;
	}
	*data_sectors = rows << geo->chunk_shift;
	return 0;
}

enum cascade_role cascade_geo_unmap(const struct cascade_geo *geo, slot_t slot,
				    msect_t sect, lsect_t *logical)
{
	u64 row = sect.s >> geo->chunk_shift;
	u32 within = (u32)sect.s & (geo->chunk_sectors - 1);
	u32 data = slot;
	u64 chunk;

	if (geo->nr_parity) {
		slot_t p = cascade_geo_p_slot(geo, row);

		if (slot == p)
			return CASCADE_ROLE_P;
		if (geo->nr_parity == 2 && slot == cascade_geo_q_slot(geo, row))
			return CASCADE_ROLE_Q;
		data = slot > p ? slot - p - 1 : slot + geo->nr_members - p - 1;
	}
	chunk = row * geo->nr_data + data;
	if (geo->nr_copies > 1) {
		chunk >>= 1;
		if ((chunk << geo->chunk_shift) >= cascade_geo_capacity_sectors(geo))
			return CASCADE_ROLE_UNUSED;
	}
	*logical = lsect((chunk << geo->chunk_shift) + within);
	return CASCADE_ROLE_DATA;
}

void cascade_geo_mirror(const struct cascade_geo *geo, const struct cascade_loc *loc,
			struct cascade_loc *mirror)
{
	*mirror = *loc;
	mirror->slot++;
	if (mirror->slot == geo->nr_members) {
		mirror->slot = 0;
		mirror->row++;
		mirror->sect.s += geo->chunk_sectors;
	}
	mirror->data = mirror->slot;
}

/* Near 2: a chunk lies on slots s and s + 1, and any pair that follows each other
 * occurs where the number of members is odd; else only pairs that begin even.
 */
static bool mirrors_survive(const struct cascade_geo *geo, u64 gone_mask)
{
	unsigned int step = geo->nr_members & 1 ? 1 : 2;
	slot_t s;

	for (s = 0; s < geo->nr_members; s += step) {
		slot_t next = s + 1 == geo->nr_members ? 0 : s + 1;

		if (gone_mask & BIT_ULL(s) && gone_mask & BIT_ULL(next))
			return false;
	}
	return true;
}

bool cascade_geo_survives(const struct cascade_geo *geo, u64 gone_mask)
{
	if (geo->nr_copies > 1)
		return mirrors_survive(geo, gone_mask);
	return hweight64(gone_mask) <= geo->nr_parity;
}

msect_t cascade_geo_slot_sector(const struct cascade_geo *geo, lsect_t sect, slot_t slot)
{
	struct cascade_loc loc;

	cascade_geo_map(geo, sect, &loc);
	if (slot < loc.slot)
		return msect((loc.row + 1) << geo->chunk_shift);
	if (slot > loc.slot)
		return msect(loc.row << geo->chunk_shift);
	return loc.sect;
}
