#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Sequential small writes become whole rows before anything is read where many are on their way; a writer that
# waits for each of its writes is not slowed down, nor are the parts of one large write.
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
array_up g "$(array_line raid5 $CHUNK $((per_member * 4)) "${members[*]}" create assume_clean)"

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

# timed_ms COMMAND...: sets $ms to the least time of three runs.
timed_ms() {
	local begin took i

	ms=
	for i in 1 2 3; do
		begin=$(date +%s%N)
		must "$@"
		took=$((($(date +%s%N) - begin) / 1000000))
		[ -n "$ms" ] && [ "$ms" -le $took ] || ms=$took
	done
}

# Rows that are whole go out together: 64 rows one by one would take 64 times 60 ms and more.
timed_ms fio --name=x --filename=/dev/mapper/g --direct=1 --ioengine=libaio --rw=write --bs=64k --iodepth=128 --size=16M
say "depth 128: 64 rows of 64 KiB writes in $ms ms"
[ "$ms" -lt $((64 * 60 * 2 / 3)) ] || fail "64 sequential rows took $ms ms, $((64 * 60 * 2 / 3)) are accepted"
array_down g

# One large write of many rows in memory is no stream: its parts do not wait for each other.
array_up g "$(array_line raid5 1024 $((1024 * 4 * 16)) "${members[*]}" create force assume_clean)"
timed_ms dd if=/dev/zero of=/dev/mapper/g bs=1M count=1 oflag=direct status=none
say "chunk 512 KiB: a write of 1 MiB in $ms ms"
# counts: sets $full and $others to the updates since the last call.
counts() {
	local f o

	f=$(status_value g full_rows)
	o=$(($(status_value g rmw) + $(status_value g rcw)))
	full=$((f - ${full_before:-0})) others=$((o - ${others_before:-0}))
	full_before=$f others_before=$o
}
# What comes in one system call is seen as a whole: two rows of 2 MiB, eight parts each in memory.
counts
must dd if=/dev/zero of=/dev/mapper/g bs=4M count=1 seek=1 oflag=direct status=none
counts
expect "updates by a write of two rows of 2 MiB: whole, others" "16 0" "$full $others"
# Writeback knows no rows, but comes in turns.
must dd if=/dev/zero of=/dev/mapper/g bs=1M count=16 seek=12 conv=fsync status=none
counts
say "chunk 512 KiB: 16 MiB written back: $full whole rows, $others others"
[ "$full" -gt 0 ] || fail "16 MiB written back at a chunk of 512 KiB: no row was whole, $others others"
[ "$ms" -lt $((8 * 120)) ] || fail "a write of 1 MiB at a chunk of 512 KiB took $ms ms, 120 ms are two rounds, $((8 * 120)) accepted"
array_down g

# Held rows keep no memory that others need: with little of it, rows full of cached blocks, as a resync leaves them,
# and a chain of rows that are held, each for the one before.
unload_cascade
must insmod "$CASCADE_HOME/dm-cascade.ko" row_memory_mib=1
array_up g "$(array_line raid5 $CHUNK $((CHUNK * 4 * 4)) "${members[*]}" create force)"
wait_sync g idle
{
	echo "fio version 2 iolog"
	echo "/dev/mapper/g add"
	echo "/dev/mapper/g open"
	row=$((ROW_KIB * 1024))
	# OFFSET LENGTH: pairs that go on from one row to the next.
	while read -r at length; do
		echo "/dev/mapper/g write $((at)) $((length))"
	done <<-LIST
		row-8192 8192
		row 40960
		2*row-40960 40960
		2*row 40960
		3*row-4096 4096
		3*row 4096
	LIST
	echo "/dev/mapper/g close"
} >/run/chain
must timeout 60 fio --name=x --direct=1 --ioengine=libaio --iodepth=16 --read_iolog=/run/chain --replay_no_stall=1
array_down g
