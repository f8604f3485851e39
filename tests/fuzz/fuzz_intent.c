// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks of a region map. An input is a head of 8 bytes (regions of the map, the
 * block, whether the checksum is made right) and the block; what is missing is
 * zero. What is accepted is written again to the same bytes.
 */
#include "core/intent.h"

#define BLOCKS_MAX 4u
#define REGIONS_MAX (BLOCKS_MAX * CASCADE_INTENT_REGIONS_PER_BLOCK)
#define HEAD_BYTES 8u
#define RESERVED_AT 48u
#define RESERVED_BYTES 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes);

static _Alignas(8) uint8_t buf[CASCADE_INTENT_BLOCK_BYTES];
static _Alignas(8) uint8_t again[CASCADE_INTENT_BLOCK_BYTES];

static void seal(void)
{
	__le32 checksum;

	memset(buf, 0, sizeof(checksum));
	checksum = cpu_to_le32(~crc32c(~0U, buf, CASCADE_INTENT_BLOCK_BYTES));
	memcpy(buf, &checksum, sizeof(checksum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes)
{
	static const uint8_t uuid[CASCADE_UUID_BYTES] = "0123456789abcdef";
	uint64_t nr_regions, region, generation;
	uint32_t block;
	uint8_t *map;
	size_t nr;

	if (nr_bytes < HEAD_BYTES)
		return 0;
	nr_regions = (data[0] | data[1] << 8 | data[2] << 16) % (REGIONS_MAX + 1);
	block = data[3] | (uint32_t)data[4] << 24;
	nr = nr_bytes - HEAD_BYTES;
	if (nr > sizeof(buf))
		nr = sizeof(buf);
	memset(buf, 0, sizeof(buf));
	memcpy(buf, data + HEAD_BYTES, nr);
	if (data[5] & 1)
		seal();

	/* Just as long as the map: a step beyond it is seen. */
	map = calloc(1, (nr_regions + 1) / 2 + !nr_regions);
	if (!map)
		abort();
	if (!cascade_intent_decode(buf, uuid, block, map, nr_regions, &generation)) {
		for (region = 0; region < nr_regions; region++)
			if (cascade_intent_get(map, region) &&
			    region / CASCADE_INTENT_REGIONS_PER_BLOCK != block)
				abort();
		memset(buf + RESERVED_AT, 0, RESERVED_BYTES);
		seal();
		cascade_intent_encode(again, uuid, generation, block, map, nr_regions);
		if (memcmp(buf, again, sizeof(buf)))
			abort();
	}
	free(map);
	return 0;
}
