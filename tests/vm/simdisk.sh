#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The disk of tests/disks as a block device: it keeps its data, passes errors on, ends flushes after what came before
# them and everything before a suspend, and takes no table line that makes no sense.
# simdisk: yes
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
mib=4
sectors=$((mib * 2048))
fast="60000 10 100 1000 16 256"
# A second for each MiB, and one to get there.
slow="1000 1000000 1000000 1 16 256"

try_table_lines() {
	local words

	expect "table" "0 $sectors simdisk 1:0 0 $fast" "$(dmsetup table simdisk0)"
	for words in "/dev/ram1 0" "/dev/ram1 0 $fast 1" "/dev/ram1 x $fast" "/dev/ram1 $sectors $fast" "/dev/none 0 $fast" \
		"/dev/ram1 0 999 10 100 1000 16 256" "/dev/ram1 0 60000 101 100 1000 16 256" \
		"/dev/ram1 0 60000 10 1000001 1000 16 256" "/dev/ram1 0 60000 10 100 0 16 256" \
		"/dev/ram1 0 60000 10 100 1000 0 256" "/dev/ram1 0 60000 10 100 1000 257 256" \
		"/dev/ram1 0 60000 10 100 1000 16 -1"; do
		must_fail dmsetup create refused --table "0 $sectors simdisk $words"
	done
}

try_data() {
	fio_verify "${DISKS[0]}"
	same "the device below holds the same" "${DISKS[0]}" /dev/ram0
	dm_create half "0 $((sectors / 2)) simdisk /dev/ram1 $((sectors / 2)) $fast"
	fill "$SCRATCH/data" $((mib / 2))
	must dd if="$SCRATCH/data" of=/dev/mapper/half bs=64K oflag=direct status=none
	tail -c $((mib * 512 * 1024)) /dev/ram1 >"$SCRATCH/got"
	same "offset" "$SCRATCH/data" "$SCRATCH/got"
	must dm_remove half
}

try_refused_requests() {
	must_fail blkdiscard "${DISKS[0]}"
	must blkdiscard -z "${DISKS[0]}"
	same "zeroes" /dev/zero "${DISKS[0]}" $((mib * 1024 * 1024))
}

try_errors() {
	member below /dev/ram1
	dm_create broken "0 $sectors simdisk /dev/mapper/below 0 $fast"
	must dd if=/dev/mapper/broken of=/dev/null bs=64K count=1 iflag=direct status=none
	break_member below
	must_fail dd if=/dev/mapper/broken of=/dev/null bs=64K count=1 iflag=direct status=none
	must_fail dd if=/dev/zero of=/dev/mapper/broken bs=64K count=1 oflag=direct conv=fsync status=none
	must dm_remove broken
}

# reads_in_flight: sets $in_flight to those of the first disk, without a process that may come late.
reads_in_flight() {
	read -r in_flight _ <"$disk_dir/inflight"
}

all_in_flight() {
	reads_in_flight
	[ "$in_flight" -ge "$1" ]
}

# ends_after_reads COMMAND...: begun with reads in flight that take two seconds each, it ends after these.
ends_after_reads() {
	local nr=$mib pid

	fio_run "${DISKS[0]}" --rw=randread --bs=1m --iodepth="$nr" --iodepth_batch="$nr" --size=${nr}m >"$SCRATCH/fio" &
	pid=$!
	wait_for 60 all_in_flight "$nr"
	must "$@"
	reads_in_flight
	expect "$*: reads in flight" 0 "$in_flight"
	wait "$pid" || fail "$(cat "$SCRATCH/fio")"
}

simdisks 2 $mib "$fast"
try_table_lines
try_data
try_refused_requests
try_errors
simdisks 1 $mib "$slow"
disk_dir=$(sysfs_of "${DISKS[0]}")
ends_after_reads xfs_io -c fsync "${DISKS[0]}"
ends_after_reads dmsetup suspend --noflush --nolockfs simdisk0
must dmsetup resume simdisk0
expect "status after a resume" "0 $sectors simdisk 0 0 0 0" "$(dmsetup status simdisk0)"
must dd if="${DISKS[0]}" of=/dev/null bs=64K count=1 iflag=direct status=none
expect "status after 64 KiB from the start" "0 $sectors simdisk 1 0 65536 65536" "$(dmsetup status simdisk0)"
