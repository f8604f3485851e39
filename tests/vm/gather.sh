#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Sequential small writes become whole rows before anything is read where many are on their way; a writer that
# waits for each of its writes is not slowed down.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

CHUNK=128
ROW_KIB=256

load_cascade
modprobe null_blk nr_devices=0

# Five null_blk members that take as long as a disk.
members=()
per_member=$(((48 * 2048 - 32768 - 2048) / CHUNK * CHUNK))
for i in 0 1 2 3 4; do
	members+=("$(nulldisk "g$i" 48 irqmode=2 completion_nsec=60000000)")
done
dm_create g "0 $((per_member * 4)) cascade raid5 $CHUNK 5 ${members[*]} 2 create assume_clean"

# sequential DEPTH MIB: 4 KiB writes, one after the other.
sequential() {
	must fio --name=x --filename=/dev/mapper/g --direct=1 --ioengine=libaio --rw=write --bs=4k \
		--iodepth="$1" --size="$2M" --verify=crc32c --do_verify=0
}

sequential 128 16
full=$(status_value g full_rows)
others=$(($(status_value g rmw) + $(status_value g rcw)))
say "depth 128: $full whole rows, $others others"
[ "$full" -ge $((8 * 1024 / ROW_KIB)) ] ||
	fail "16 MiB of 4 KiB writes at depth 128, expected at least half of the rows whole, got $full whole, $others others"
must fio --name=v --filename=/dev/mapper/g --direct=1 --ioengine=libaio --rw=write --bs=4k --iodepth=16 \
	--size=16M --verify=crc32c --verify_only

# A writer that waits for each write is never held: a write costs its two reads and two writes, 120 ms here.
begin=$(date +%s%N)
must fio --name=x --filename=/dev/mapper/g --direct=1 --ioengine=psync --rw=write --bs=4k --size=64k --offset=20M
ms=$((($(date +%s%N) - begin) / 1000000))
say "depth 1: 16 writes in $ms ms"
[ $ms -lt $((16 * 120 * 3 + 2000)) ] || fail "16 lone sequential writes took $ms ms, expected 120 ms each"

must fio --name=x --filename=/dev/mapper/g --direct=1 --ioengine=psync --rw=write --bs=4k --size=128k --fsync=1 \
	--offset=24M
