/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Geometry: where a sector of the array lies on its members, and back.
 *
 * The layouts are those of the stock kernel at the same chunk, so that an array
 * can be read without this module:
 *
 *	raid0	dm "striped"
 *	raid5	md left-symmetric ("raid5_ls" of the dm "raid" target)
 *	raid6	"raid6_nc": as left-symmetric, with Q before P; the coefficient of
 *		a data block in Q is g to the power of its slot
 *	raid10	near 2: the two copies of a chunk follow each other
 *
 * A row is one chunk of each member at the same offset. Chunk c of the array is
 * data chunk d of row r. Rows of a RAID-5 of 4 members (p is parity):
 *
 *	slot	0  1  2  3
 *	row 0	0  1  2  p
 *	row 1	4  5  p  3
 *	row 2	8  p  6  7
 */
#ifndef CASCADE_CORE_GEO_H
#define CASCADE_CORE_GEO_H

#include "units.h"

enum cascade_level {
	CASCADE_RAID0 = 0,
	CASCADE_RAID5 = 5,
	CASCADE_RAID6 = 6,
	CASCADE_RAID10 = 10,
};

/** enum cascade_role - What a chunk of a member holds. */
enum cascade_role {
	CASCADE_ROLE_DATA,
	CASCADE_ROLE_P,
	CASCADE_ROLE_Q,
	CASCADE_ROLE_UNUSED,	/* the odd last chunk of a RAID-10 */
};

/**
 * struct cascade_geo - Shape of an array; fixed once it is created.
 * @level: RAID level.
 * @nr_members: Members, missing ones included.
 * @nr_parity: Members of a row that hold parity: 0, 1 or 2.
 * @nr_copies: Copies of each data chunk: 1, or 2 for RAID-10.
 * @nr_data: Data chunks of a row (RAID-10: chunks of a row, copies counted).
 * @chunk_shift: log2 of @chunk_sectors.
 * @chunk_sectors: Sectors of a member that follow each other in the array.
 * @data_sectors: Sectors of each member's data area, a multiple of the chunk.
 */
struct cascade_geo {
	enum cascade_level level;
	u8 nr_members;
	u8 nr_parity;
	u8 nr_copies;
	u8 nr_data;
	u8 chunk_shift;
	u32 chunk_sectors;
	u64 data_sectors;
};

/**
 * struct cascade_loc - Where a logical sector lies.
 * @row: Row number.
 * @sect: Sector of the member's data area.
 * @slot: Member that holds it (RAID-10: the first copy).
 * @left_sectors: Sectors from @sect to the end of its chunk.
 * @data: Which data chunk of the row it is (RAID-10: which copy pair's place).
 */
struct cascade_loc {
	u64 row;
	msect_t sect;
	slot_t slot;
	u32 left_sectors;
	u32 data;
};

/**
 * cascade_geo_init() - Fill a geometry from what a user can choose.
 * @geo: Filled; usable only if 0 is returned.
 * @level: RAID level.
 * @nr_members: Members, missing ones included.
 * @chunk_sectors: Chunk, a power of two within the limits of units.h.
 * @data_sectors: Sectors of each member that may hold data; rounded down to
 *	whole chunks. 0 is allowed where only the shape matters.
 * @error: Set to a constant sentence that names the rule that was broken.
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int cascade_geo_init(struct cascade_geo *geo, enum cascade_level level,
		     unsigned int nr_members, u32 chunk_sectors, u64 data_sectors,
		     const char **error);

/**
 * cascade_geo_capacity_sectors() - Size of the array.
 * @geo: Initialised geometry.
 *
 * Context: Any context.
 * Return: Sectors, a whole number of rows (RAID-10: of chunks).
 */
u64 cascade_geo_capacity_sectors(const struct cascade_geo *geo);

/**
 * cascade_geo_member_sectors() - Data area that an array of a given size needs.
 * @geo: Initialised geometry; its data_sectors plays no part.
 * @array_sectors: Size of the array.
 * @data_sectors: Set to the sectors of each member's data area.
 *
 * Context: Any context.
 * Return: 0, or -EINVAL if @array_sectors is 0 or not a whole number of rows.
 */
int cascade_geo_member_sectors(const struct cascade_geo *geo, u64 array_sectors,
			       u64 *data_sectors);

/**
 * cascade_geo_unmap() - What a sector of a member's data area holds.
 * @geo: Initialised geometry.
 * @slot: Member.
 * @sect: Sector of its data area.
 * @logical: Set to the array's sector if the role is data.
 *
 * Context: Any context.
 * Return: Role of the chunk that @sect lies in.
 */
enum cascade_role cascade_geo_unmap(const struct cascade_geo *geo, slot_t slot,
				    msect_t sect, lsect_t *logical);

/**
 * cascade_geo_redundancy() - Members that an array can always lose.
 * @geo: Initialised geometry.
 *
 * Context: Any context.
 * Return: 0, 1 or 2.
 */
static inline unsigned int cascade_geo_redundancy(const struct cascade_geo *geo)
{
	return geo->nr_parity + geo->nr_copies - 1;
}

/**
 * cascade_geo_survives() - Whether all data is still there without some members.
 * @geo: Initialised geometry.
 * @gone_mask: Bit n set: slot n is gone.
 *
 * Context: Any context.
 * Return: True if every block can be read or computed.
 */
bool cascade_geo_survives(const struct cascade_geo *geo, u64 gone_mask);

/**
 * cascade_geo_level_name() - Name of a level as in table and status lines.
 * @level: RAID level.
 *
 * Return: "raid0", "raid5", "raid6" or "raid10".
 */
const char *cascade_geo_level_name(enum cascade_level level);

/**
 * cascade_geo_level_parse() - Level of a name.
 * @name: Text.
 * @level: Set on success.
 *
 * Return: 0, or -EINVAL for any other word.
 */
int cascade_geo_level_parse(const char *name, enum cascade_level *level);

/**
 * cascade_geo_p_slot() - Member that holds P in a row.
 * @geo: Geometry with parity.
 * @row: Row number.
 *
 * Context: Any context.
 * Return: Slot.
 */
static inline slot_t cascade_geo_p_slot(const struct cascade_geo *geo, u64 row)
{
	u32 rest;

	div_u64_rem(row, geo->nr_members, &rest);
	return geo->nr_members - 1 - rest;
}

/**
 * cascade_geo_q_slot() - Member that holds Q in a row.
 * @geo: Geometry of a RAID-6.
 * @row: Row number.
 *
 * Context: Any context.
 * Return: Slot.
 */
static inline slot_t cascade_geo_q_slot(const struct cascade_geo *geo, u64 row)
{
	slot_t p = cascade_geo_p_slot(geo, row);

	return p ? p - 1 : geo->nr_members - 1u;
}

/**
 * cascade_geo_map() - Locate a logical sector on its data member.
 * @geo: Initialised geometry.
 * @sect: Logical sector, below the capacity of @geo.
 * @loc: Filled.
 *
 * Member health plays no part here; a failed member is still a location. It
 * stands in the header because every request passes it.
 *
 * Context: Any context.
 */
static inline void cascade_geo_map(const struct cascade_geo *geo, lsect_t sect,
				   struct cascade_loc *loc)
{
	u32 within = (u32)sect.s & (geo->chunk_sectors - 1);
	u64 chunk = (sect.s >> geo->chunk_shift) * geo->nr_copies;

	loc->row = div_u64_rem(chunk, geo->nr_data, &loc->data);
	loc->slot = loc->data;
	if (geo->nr_parity) {
		loc->slot += cascade_geo_p_slot(geo, loc->row) + 1;
		if (loc->slot >= geo->nr_members)
			loc->slot -= geo->nr_members;
	}
	loc->sect = msect((loc->row << geo->chunk_shift) + within);
	loc->left_sectors = geo->chunk_sectors - within;
}

/**
 * cascade_geo_mirror() - Second copy of a RAID-10 chunk.
 * @geo: Geometry of a RAID-10.
 * @loc: Location of the first copy.
 * @mirror: Filled with the location of the second.
 *
 * Context: Any context.
 */
void cascade_geo_mirror(const struct cascade_geo *geo, const struct cascade_loc *loc,
			struct cascade_loc *mirror);

/**
 * cascade_geo_slot_sector() - How much of a RAID-0 member lies before a sector.
 * @geo: Geometry of a RAID-0.
 * @sect: Logical sector, at most the capacity.
 * @slot: Member.
 *
 * A range of the array from a to b is, on each member, the one range from this
 * function's value for a to that for b.
 *
 * Context: Any context.
 * Return: Sector of the member's data area.
 */
msect_t cascade_geo_slot_sector(const struct cascade_geo *geo, lsect_t sect, slot_t slot);

#endif /* CASCADE_CORE_GEO_H */
