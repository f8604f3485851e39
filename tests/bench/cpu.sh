#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Guest instructions per request on RAM disks, of cascade and of the stock targets in the same boot. Meant for a
# guest whose clock counts instructions: one nanosecond is one instruction. Prints a line for each run:
#
#	RESULT device load instructions-per-request
# timeout: 3000
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

DISK_MIB=64
CHUNK=128
# Runs take about this many instructions, those of the 4 KiB loads twice as many (5 s): more is finer, since fio's
# runtime comes in milliseconds.
RUN=2500000000

# run DEVICE LABEL LOAD RW BS DEPTH REQUESTS [FIO ARGUMENTS]: the processor is never idle on RAM disks, so the
# runtime that fio tells is all instructions; fio's own start is not in it.
run() {
	local dev=$1 label=$2 load=$3 rw=$4 bs=$5 depth=$6 nr=$7 field=9 ms

	shift 7
	[[ $rw = *read ]] || field=50
	ms=$(fio --name=x --filename="$dev" --direct=1 --ioengine=libaio --rw="$rw" --bs="$bs" --iodepth="$depth" \
		--io_size=$((nr * $(kib "$bs")))k --norandommap --randrepeat=1 --minimal --terse-version=3 "$@" |
		cut -d ';' -f $field)
	echo "RESULT $label $load $((ms * 1000000 / nr)) runtime_ms=$ms requests=$nr"
}

kib() {
	case $1 in
	*k) echo "${1%k}" ;;
	*m) echo $((${1%m} * 1024)) ;;
	esac
}

# small, large DEVICE LABEL COST...: the costs are guesses that set the length of the runs.
small() {
	run "$1" "$2" 4k-randread randread 4k 16 $((2 * RUN / $3))
	run "$1" "$2" 4k-randwrite randwrite 4k 16 $((2 * RUN / $4))
}

large() {
	run "$1" "$2" 64k-randwrite randwrite 64k 16 $((RUN / 2 / $3))
	run "$1" "$2" 1m-write write 1m 4 $((RUN / $4))
	run "$1" "$2" 1m-read read 1m 4 $((RUN / 2 / $5))
}

fill() {
	dd if=/dev/zero of="$1" bs=1M oflag=direct status=none 2>/dev/null || true
}

# array LEVEL MEMBERS DISK...: /dev/mapper/c0
array() {
	local level=$1 data=$2 per_member=$(((DISK_MIB * 2048 - 32768 - 2048) / CHUNK * CHUNK))

	shift 2
	must dmsetup create c0 --table \
		"0 $((per_member * data)) cascade $level $CHUNK $# $* 2 create assume_clean"
}

# A new array is made where no superblock is left.
wipe_members() {
	local d

	for d in "${DISKS[@]}"; do
		dd if=/dev/zero of="$d" bs=1M count=16 oflag=direct status=none || return 1
	done
}

disks() {
	ramdisks "$1" $DISK_MIB
	for d in "${DISKS[@]}"; do fill "$d"; done
}

load_cascade
modprobe dm-raid
on_exit dm_remove c0
disks 5

for what in raw striped raid0 raid5 degraded dmraid5; do
	case $what in
	raw)
		small /dev/ram0 raw 7200 7600
		large /dev/ram0 raw 26000 294000 262000
		;;
	striped)
		must dmsetup create s0 --table "0 $((DISK_MIB * 2048 * 4)) striped 4 $CHUNK /dev/ram0 0 /dev/ram1 0 /dev/ram2 0 /dev/ram3 0"
		small /dev/mapper/s0 striped 9050 9500
		large /dev/mapper/s0 striped 27750 330000 300000
		must dmsetup remove s0
		;;
	raid0)
		must wipe_members
		array raid0 4 /dev/ram0 /dev/ram1 /dev/ram2 /dev/ram3
		small /dev/mapper/c0 cascade-raid0 9050 9500
		run /dev/mapper/c0 cascade-raid0 1m-read read 1m 4 $((RUN / 2 / 300000))
		must dmsetup remove c0
		;;
	raid5)
		must wipe_members
		array raid5 4 "${DISKS[@]}"
		small /dev/mapper/c0 cascade-raid5 9050 22000
		large /dev/mapper/c0 cascade-raid5 150000 700000 300000
		must dmsetup remove c0
		;;
	degraded)
		must wipe_members
		array raid5 4 "${DISKS[@]}"
		must dmsetup message c0 0 fail 2
		run /dev/mapper/c0 cascade-raid5-degraded 4k-randread randread 4k 16 $((2 * RUN / 12000))
		# Chunk 0 of the array lies on member 0, which lives: the first 64 KiB of each fifth row.
		run /dev/mapper/c0 cascade-raid5-degraded-live 4k-randread randread 4k 16 $((2 * RUN / 9050)) --size=64k
		must dmsetup remove c0
		;;
	dmraid5)
		must dmsetup create m0 --table "0 $((DISK_MIB * 2048 * 4)) raid raid5_ls 2 $CHUNK nosync 5 - /dev/ram0 - /dev/ram1 - /dev/ram2 - /dev/ram3 - /dev/ram4"
		small /dev/mapper/m0 dmraid5 10100 33700
		large /dev/mapper/m0 dmraid5 329000 1465000 316000
		must dmsetup remove m0
		must dmsetup create m0 --table "0 $((DISK_MIB * 2048 * 4)) raid raid5_ls 2 $CHUNK nosync 5 - /dev/ram0 - /dev/ram1 - - - /dev/ram3 - /dev/ram4"
		run /dev/mapper/m0 dmraid5-degraded 4k-randread randread 4k 16 $((2 * RUN / 22500))
		must dmsetup remove m0
		;;
	esac
done
