#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests that may fail for less than a bad sector cost no member. Members with one place in their queue answer
# requests that must not wait with "try again": the array waits in their place, so its users never see that.
# Read-ahead that meets a bad block is read again without being read-ahead, before anything is made of it.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=3 chunk=64 data=$((6 * 2048))
length=$((data * (n - 1)))
what="raid5, $n members, chunk $chunk, SEED=$SEED"
tracing=/sys/kernel/tracing

# fio_nowait DEVICE OPTION...: fio with requests that must not wait.
fio_nowait() {
	fio_run "$1" --ioengine=pvsync2 --iodepth=1 --nowait=1 "${@:2}"
}

# readers DEVICE: eight that get in each other's way. Sets $again to how many reads were to be tried again.
readers() {
	must fio_nowait "$1" --rw=randread --bs=4k --numjobs=8 --time_based --runtime=3 --ignore_error=EAGAIN \
		--output-format=json --output="$SCRATCH/report"
	again=$(sed -n 's/^ *"total_err" : \([0-9]*\),*$/\1/p' "$SCRATCH/report" | head -n 1)
}

# load LEVEL LENGTH: every kind of request that must not wait.
load() {
	local level=$1 device=/dev/mapper/array

	array_up array "$(array_line "$level" $chunk "$2" "${DISKS[*]}" create force name data)"
	wait_sync array idle
	log_mark
	must fio_nowait $device --rw=randwrite --bsrange=512-256k --verify=crc32c --do_verify=1 --verify_fatal=1 --size=4m
	readers $device
	expect "$what: $level: reads to be tried again" 0 "${again:-0}"
	# This asks so first, in pieces of which some may have to wait.
	fio_verify $device --ioengine=io_uring --size=4m
	if [ "$level" = raid5 ]; then
		must dmsetup message array 0 fail 1
		readers $device
		expect "$what: degraded: reads to be tried again" 0 "${again:-0}"
		expect "$what: health" ADA "$(status_word array 3)"
	else
		expect "$what: health" AAA "$(status_word array 3)"
	fi
	expect "$what: errors logged" 0 "$(kernel_lines 'cascade: .* error')"
	array_down array
}

members_that_are_busy() {
	local i

	DISKS=()
	for ((i = 0; i < n; i++)); do
		DISKS+=("$(nulldisk busy$i 24 hw_queue_depth=1 submit_queues=1 irqmode=2 completion_nsec=1000000)")
	done
	readers "${DISKS[0]}"
	[ "${again:-0}" -gt 0 ] || fail "$what: a bare member had no read tried again: $(cat "$SCRATCH/report")"
	load raid5 $length
	load raid0 $((data * n))
	# And members that split what they get, in the midst of a chunk.
	for ((i = 0; i < n; i++)); do
		dm_create split$i "$(split_table "${DISKS[i]}")"
		DISKS[i]=/dev/mapper/split$i
	done
	load raid5 $length
	load raid0 $((data * n))
}

# split_table DEVICE: a target for each 8 KiB of the first MiB of data.
split_table() {
	local i

	echo "0 $DATA_START linear $1 0"
	for ((i = 0; i < 128; i++)); do
		echo "$((DATA_START + i * 16)) 16 linear $1 $((DATA_START + i * 16))"
	done
	echo "$((DATA_START + 2048)) $((24 * 2048 - DATA_START - 2048)) linear $1 $((DATA_START + 2048))"
}

# reads_of DEVICE: the reads that it was asked for, as FLAGS SECTOR COUNT.
reads_of() {
	awk -v dev="$(stat -c '%Hr,%Lr' "$1")" '
		{ for (i = 1; i < NF; i++) if ($i == "block_bio_queue:" && $(i + 1) == dev && $(i + 2) ~ /^R/)
			print $(i + 2), $(i + 3), $(i + 5) }' $tracing/trace
}

read_ahead_meets_a_bad_block() {
	local bad=$((DATA_START + 5 * chunk + 16)) i devs=''

	ramdisks $n 24
	for ((i = 0; i < n; i++)); do
		member m$i "${DISKS[i]}"
		devs+=" /dev/mapper/m$i"
	done
	array_up array "$(array_line raid5 $chunk $length "$devs" create force name data)"
	wait_sync array idle
	fill "$SCRATCH/data" $((length / 2048))
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct status=none
	# Row 5 of 3 members has its parity on 0.
	bad_blocks m1 $((bad / 8))
	must dmsetup suspend array
	must dmsetup resume array
	log_mark
	echo >$tracing/trace
	echo 1 >$tracing/events/block/block_bio_queue/enable
	cmp -n $((length * 512)) "$SCRATCH/data" /dev/mapper/array || fail "$what: read-ahead over a bad block read wrong data"
	echo 0 >$tracing/events/block/block_bio_queue/enable
	reads_of /dev/mapper/m1 >"$SCRATCH/reads"
	grep -q '^RA' "$SCRATCH/reads" || fail "$what: no read-ahead reached the member: $(head "$SCRATCH/reads")"
	awk -v bad=$bad '$1 !~ /A/ && $2 <= bad && bad < $2 + $3 { found = 1 } END { exit !found }' "$SCRATCH/reads" ||
		fail "$what: the bad block was not read again without read-ahead: $(cat "$SCRATCH/reads")"
	expect "$what: read errors fixed" 1 "$(status_value array read_errors_fixed)"
	expect "$what: bad blocks left" 0 "$(count_bad_blocks m1)"
	expect "$what: health after a bad block" AAA "$(status_word array 3)"
	array_down array
	heal_blocks m1
}

members_that_are_busy
read_ahead_meets_a_bad_block
