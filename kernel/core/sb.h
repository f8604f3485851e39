/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The superblock: what every member says of the array it belongs to.
 *
 * A member's device, from its start:
 *
 *	0		wiped at create, otherwise left alone
 *	1 MiB		superblock, first copy (4 KiB)
 *	2 MiB		region map: written, synced, dirty, missed (intent.h); two
 *			copies of it have room for members of up to 51 TiB
 *	15 MiB		superblock, second copy (4 KiB)
 *	data_offset	data area, a multiple of 1 MiB (16 MiB by default)
 *	...		slack, at least 1 MiB, left alone
 *
 * The copies are written one after the other, each durable before the next, so
 * that a power cut at any moment leaves one whole copy: the older or the newer
 * state, never neither. A reader takes the valid copy with the higher events
 * counter. Members that were present at a write all get the same events counter.
 *
 * Who missed what: an epoch begins whenever a member that holds data leaves, be
 * it in sync or only being rebuilt (it, too, would else come back with a
 * checkpoint that hides what it missed). It has a counter, a random id, and the
 * id of the epoch it grew from. The slot table of each later superblock names the
 * epoch at which a slot was dropped, so a member that comes back is known to be
 * stale by what others say of it, not by how near its counter is. Two halves of
 * an array that lived apart have epochs of which neither is the other's ancestor,
 * and are refused together.
 *
 * All fields are little-endian. Nothing that is decoded is trusted.
 */
#ifndef CASCADE_CORE_SB_H
#define CASCADE_CORE_SB_H

#include "geo.h"
#include "ident.h"
#include "units.h"

#define CASCADE_SB_BYTES 4096u
#define CASCADE_SB_SECTORS 8u
#define CASCADE_SB_COPIES 2u
#define CASCADE_SB_VERSION 1u

#define CASCADE_INTENT_OFFSET_SECTORS 4096u
#define CASCADE_INTENT_SECTORS 26624u
#define CASCADE_DATA_OFFSET_SECTORS 32768u
#define CASCADE_REGION_SECTORS_MIN 2048u
#define CASCADE_REGION_SECTORS_MAX 8192u
#define CASCADE_EPOCHS_KEPT 8u

/* Feature bits that this version knows; an unknown incompatible one is refused,
 * an unknown ro-compatible one allows a read-only start.
 */
#define CASCADE_COMPAT_KNOWN 0ULL
#define CASCADE_RO_COMPAT_KNOWN 0ULL
#define CASCADE_INCOMPAT_KNOWN 0ULL

/** enum cascade_slot_state - What the array knows of a slot; values are on disk. */
enum cascade_slot_state {
	CASCADE_SLOT_MISSING = 0,	/* never held a member, or was removed */
	CASCADE_SLOT_IN_SYNC = 1,
	CASCADE_SLOT_REBUILDING = 2,
	CASCADE_SLOT_FAILED = 3,	/* dropped: misses writes since its epoch */
};

/**
 * struct cascade_epoch - A stretch of the array's life with one set of members.
 * @counter: Rises by one with each epoch.
 * @id: Random, never 0.
 * @parent_id: The id of the epoch that this one grew from; 0 for the first.
 */
struct cascade_epoch {
	u64 counter;
	u64 id;
	u64 parent_id;
};

/**
 * struct cascade_slot_info - One entry of the slot table.
 * @device_uuid: The device that holds, or last held, the slot.
 * @state: enum cascade_slot_state.
 * @dropped_epoch: Counter of the epoch that last began without it, 0 if none did;
 *	kept when it is in sync again, so that an older image of it is known.
 * @rebuilt_sectors: While it is rebuilt: sectors of its data area that are right.
 */
struct cascade_slot_info {
	u8 device_uuid[CASCADE_UUID_BYTES];
	u8 state;
	u64 dropped_epoch;
	u64 rebuilt_sectors;
};

/** struct cascade_tunable - A value kept by the "set" message; id 0 is unused. */
struct cascade_tunable {
	u32 id;
	u64 value;
};

#define CASCADE_TUNABLES_MAX 24u

/* struct cascade_sb.flags */
#define CASCADE_SB_CLEAN BIT_ULL(0)	/* stopped in order: no write was on its way */
#define CASCADE_SB_FROZEN BIT_ULL(1)	/* background work stays stopped */
#define CASCADE_SB_TORN BIT_ULL(2)	/* rows from synced_sectors on may be torn */

/**
 * struct cascade_sb - A decoded superblock.
 * @compat: Features that a reader may ignore.
 * @ro_compat: Features that a writer must know.
 * @incompat: Features that a reader must know.
 * @array_uuid: The array.
 * @device_uuid: The device that this copy lies on.
 * @name: The array's name, ended by NUL; may be empty.
 * @level: RAID level.
 * @nr_members: Slots of the array.
 * @slot: The slot of the device that this copy lies on.
 * @chunk_sectors: Chunk.
 * @block_bytes: Logical block size of the array: 512 to 4096.
 * @region_sectors: Sectors of each member that one region covers.
 * @data_offset_sectors: Where the data area begins on this device.
 * @data_sectors: Sectors of each member's data area.
 * @intent_offset_sectors: Where the region map begins on this device.
 * @intent_sectors: Room for all copies of the region map.
 * @events: Rises with each superblock write.
 * @flags: CASCADE_SB_*.
 * @synced_sectors: Sectors of each member, from the first, whose parity is right
 *	unless a region says otherwise; background sync goes on from here.
 * @cache_counter: Rises before the first write that is acknowledged without a
 *	cache, journal or mark device that was there.
 * @epochs: The current epoch first, then its ancestors, newest first; unused
 *	entries are all 0.
 * @slots: Slot table; entries beyond nr_members are all 0.
 * @tunables: Values kept by "set".
 */
struct cascade_sb {
	u64 compat;
	u64 ro_compat;
	u64 incompat;
	u8 array_uuid[CASCADE_UUID_BYTES];
	u8 device_uuid[CASCADE_UUID_BYTES];
	char name[CASCADE_NAME_MAX + 1];
	enum cascade_level level;
	u32 nr_members;
	slot_t slot;
	u32 chunk_sectors;
	u32 block_bytes;
	u32 region_sectors;
	u64 data_offset_sectors;
	u64 data_sectors;
	u64 intent_offset_sectors;
	u64 intent_sectors;
	u64 events;
	u64 flags;
	u64 synced_sectors;
	u64 cache_counter;
	struct cascade_epoch epochs[CASCADE_EPOCHS_KEPT];
	struct cascade_slot_info slots[CASCADE_MEMBERS_MAX];
	struct cascade_tunable tunables[CASCADE_TUNABLES_MAX];
};

/** enum cascade_sb_fault - Why a block is no superblock of ours. */
enum cascade_sb_fault {
	CASCADE_SB_OK = 0,
	CASCADE_SB_BLANK,	/* no magic: nothing of ours */
	CASCADE_SB_CHECKSUM,
	CASCADE_SB_VERSION_UNKNOWN,
	CASCADE_SB_FEATURE_UNKNOWN,	/* an incompatible one */
	CASCADE_SB_RANGE,	/* a field outside its bounds */
};

/**
 * cascade_sb_copy_sector() - Where a copy of the superblock lies.
 * @copy: 0 to CASCADE_SB_COPIES - 1.
 *
 * Return: Sector of the member's device.
 */
static inline u64 cascade_sb_copy_sector(unsigned int copy)
{
	return copy ? 15 * CASCADE_MIB_SECTORS : CASCADE_MIB_SECTORS;
}

/**
 * cascade_sb_encode() - Write a superblock into a buffer.
 * @sb: What to write; must hold what decode accepts.
 * @buf: CASCADE_SB_BYTES, aligned to 8, written whole; unused bytes are zero.
 *
 * Context: Any context.
 */
void cascade_sb_encode(const struct cascade_sb *sb, void *buf);

/**
 * cascade_sb_decode() - Read a superblock and check every field of it.
 * @sb: Filled; usable only if CASCADE_SB_OK is returned.
 * @buf: CASCADE_SB_BYTES from a device, aligned to 8.
 *
 * Unknown compatible and ro-compatible features are no fault; the caller looks
 * at the masks.
 *
 * Context: Any context.
 * Return: CASCADE_SB_OK or what is wrong.
 */
enum cascade_sb_fault cascade_sb_decode(struct cascade_sb *sb, const void *buf);

/**
 * cascade_sb_fault_text() - A fault in words.
 * @fault: What decode returned.
 *
 * Return: A constant phrase such as "checksum is wrong".
 */
const char *cascade_sb_fault_text(enum cascade_sb_fault fault);

/**
 * cascade_sb_slack_sectors() - Room left free at the end of a device.
 * @device_sectors: Size of the device.
 *
 * One thousandth of the device in whole MiB, at least 1 MiB, at most 256 MiB.
 *
 * Return: Sectors.
 */
u64 cascade_sb_slack_sectors(u64 device_sectors);

/**
 * cascade_sb_room_sectors() - Data area that a device can hold at create.
 * @device_sectors: Size of the device.
 * @data_offset_sectors: Where the data area begins.
 * @chunk_sectors: Chunk; the result is a multiple of it.
 *
 * Return: Sectors, 0 if the device is too small.
 */
u64 cascade_sb_room_sectors(u64 device_sectors, u64 data_offset_sectors, u32 chunk_sectors);

/**
 * cascade_sb_region_sectors() - Region size for a data area.
 * @data_sectors: Sectors of each member's data area.
 *
 * The smallest power of two from 1 MiB to 4 MiB whose map fits twice into the
 * region map's room.
 *
 * Return: Sectors, 0 if the area is too large for the reserved room.
 */
u32 cascade_sb_region_sectors(u64 data_sectors);

/** enum cascade_verdict - What a device is to the array that is started. */
enum cascade_verdict {
	CASCADE_DEVICE_CURRENT,		/* has every write */
	CASCADE_DEVICE_REBUILDING,	/* has the writes below its checkpoint */
	CASCADE_DEVICE_STALE,		/* missed writes: not to be read */
	CASCADE_DEVICE_FOREIGN,		/* another array, or another geometry */
	CASCADE_DEVICE_CLONE,		/* its slot's device is another one */
	CASCADE_DEVICE_DIVERGED,	/* lived on apart from the others */
	CASCADE_DEVICE_ABSENT,		/* no superblock was given */
};

/**
 * cascade_sb_choose() - Decide which of a set of superblocks speak for the array.
 * @sbs: One pointer a slot, in the slot's place; NULL where no device is given.
 * @nr_members: Entries of @sbs, at most CASCADE_MEMBERS_MAX.
 * @verdicts: Filled, one a slot.
 * @chosen: Set to the slot whose superblock is the array's newest state.
 *
 * Of several arrays (uuid and shape) the one with most devices is meant, so that a
 * wrong device is called foreign and not the others; of equally many the newer.
 *
 * The newest state is that with the highest epoch, then the highest events
 * counter, then that of a device in sync. A device is current if that state's
 * slot table has it in sync under its device uuid and its own epoch is that
 * state's epoch, or, as after a crash in the middle of a superblock write, an
 * ancestor of it (several epochs may have begun before one was written) that is
 * not older than the epoch in which the slot was last dropped. Devices of another
 * array uuid than the newest state's are foreign; an epoch that is not the
 * newest's own or among its ancestors has diverged, and then so has the newest.
 * An epoch older than all that the newest state remembers proves nothing: such a
 * device is stale.
 *
 * A device that is current by an ancestor is so because no write was acknowledged
 * since; the caller makes the newest state durable on all that are current before
 * it acknowledges one.
 *
 * A superblock in another place than its slot, or one whose device uuid is not
 * what the newest state's slot table names, is a clone. It may still be the one
 * that speaks for the array: what it knows of others is never disregarded.
 *
 * The region map's missed bits tell all that a stale device missed only if the
 * newest state has its slot as failed and its own epoch is at least
 * dropped_epoch - 1; any other stale device (an old image) has to be rebuilt whole.
 *
 * Context: Any context.
 * Return: 0; -ENOENT if no superblock is given; -EEXIST if two devices claim
 *	one array but lived apart: every device that was, or by the newest state
 *	would be, current, rebuilding or apart is marked diverged.
 */
int cascade_sb_choose(const struct cascade_sb *const *sbs, unsigned int nr_members,
		      enum cascade_verdict *verdicts, slot_t *chosen);

/**
 * cascade_sb_begin_epoch() - Start an epoch in which fewer slots are in sync.
 * @sb: Superblock, changed in place.
 * @id: Random, not 0.
 * @dropped_mask: Slots that leave; their entries become failed (missing where
 *	no device was ever named) with the new epoch's counter. A slot that had
 *	left before keeps the epoch of that.
 *
 * Context: Any context.
 */
void cascade_sb_begin_epoch(struct cascade_sb *sb, u64 id, u64 dropped_mask);

/**
 * cascade_sb_has_room() - Whether counters can rise for as long as an array lives.
 * @sb: Superblock that was accepted by cascade_sb_decode().
 *
 * Context: Any context.
 * Return: False for what no array counts up to: the image is made up, and a state
 *	written on top of it might not be accepted again.
 */
bool cascade_sb_has_room(const struct cascade_sb *sb);

/**
 * cascade_sb_same_shape() - Whether two superblocks describe one array alike.
 * @a: One.
 * @b: The other.
 *
 * Compares what is fixed at create: uuid, level, members, chunk, block size,
 * region size, size of the data area; not slot, offsets, events, epochs, states.
 *
 * Return: NULL if they agree, else the name of the first field that differs.
 */
const char *cascade_sb_same_shape(const struct cascade_sb *a, const struct cascade_sb *b);

#endif /* CASCADE_CORE_SB_H */
