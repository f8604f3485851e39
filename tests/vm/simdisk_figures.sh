#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The disk of tests/disks takes the time that disks are known to take, and in virtual time the same to the digit in
# each boot.
# timeout: 3000
# icount: yes
# boots: 2
# simdisk: yes
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

disk_mib=256
SEED=1

# run KIB NR [FIO ARGUMENT]...: so many requests of that size; $ms is what they took. The disk begins to turn with the
# first.
run() {
	local kib=$1 nr=$2

	shift 2
	must dmsetup suspend simdisk0
	must dmsetup resume simdisk0
	ms=$(fio --name=x --filename="${DISKS[0]}" --direct=1 --ioengine=libaio --bs="${kib}k" --io_size=$((nr * kib))k \
		--norandommap --randrepeat=1 --minimal --terse-version=3 "$@" | awk -F ';' '{ print $9 + $50 }')
}

# measure LABEL KIB NR [FIO ARGUMENT]...: the same, printed. The figure is the disk's own, to the microsecond: fio
# rounds, and what it does before the first request is in its time.
measure() {
	run "${@:2}"
	say "$model $1: $3 requests of $2 KiB in $ms ms"
	say "FIGURE $model $1: $(dmsetup status simdisk0 | awk '{ print $4 " requests in " $7 " us" }')"
}

# expect_near WHAT EXPECTED GOT: within 3 %.
expect_near() {
	if [ $(($3 * 100)) -lt $(($2 * 97)) ] || [ $(($3 * 100)) -gt $(($2 * 103)) ]; then
		fail "$model: $1"$'\n'"  expected: $2, 3 % more or less"$'\n'"  got:      $3"
	fi
}

# Published: requests a second of 8 KiB at random places, one at a time and of 32 the one that is nearest among 16;
# MB a second of 1 MiB in a row. Not published, but what this disk was measured to give, to notice a change: MB a
# second of 64 KiB in a row, one at a time. An earlier model that copied before it served gave 138 and 155.
published() {
	case $1 in
	nl-sas) one=77 queued=161 mb_per_s=150 single_mb_per_s=144 ;;
	sas-15k) one=179 queued=377 mb_per_s=170 single_mb_per_s=162 ;;
	esac
}

# A far request is passed over by near ones that come all the time, but not for ever.
try_pass_over() {
	local nr=20

	simdisks 1 $disk_mib "7200 800 15200 150 16 64"
	fio_start "${DISKS[0]}" --rw=read --bs=64k --iodepth=8 --size=16m --time_based --runtime=3600
	wait_for 10 in_flight "${DISKS[0]}"
	run 8 $nr --rw=randread --iodepth=1 --offset=64m --size=128m
	kill "$LOAD_PID"
	wait "$LOAD_PID" || true
	# Each waits for 64 of 437 us, and both ways cost what they do.
	if [ "$ms" -lt $((nr * 28)) ] || [ "$ms" -gt $((nr * 75)) ]; then
		fail "passed over 64 times"$'\n'"  expected: 28 to 75 ms each"$'\n'"  got:      $ms ms for $nr"
	fi
}

in_flight() {
	[ "$(awk '{ print $9 }' "$(sysfs_of "$1")/stat")" -gt 0 ]
}

for model in nl-sas sas-15k; do
	published "$model"
	simdisks 1 $disk_mib "$model"
	measure "8k random read, depth 1" 8 600 --rw=randread --iodepth=1
	expect_near "requests a second at depth 1" "$one" $((600 * 1000 / ms))
	measure "8k random read, depth 32" 8 1500 --rw=randread --iodepth=32
	expect_near "requests a second at depth 32" "$queued" $((1500 * 1000 / ms))
	measure "8k random write, depth 32" 8 600 --rw=randwrite --iodepth=32
	measure "1m read, depth 4" 1024 128 --rw=read --iodepth=4
	expect_near "MB a second of reads" "$mb_per_s" $((128 * 1048576 / (ms * 1000)))
	measure "1m write, depth 4" 1024 128 --rw=write --iodepth=4
	expect_near "MB a second of writes" "$mb_per_s" $((128 * 1048576 / (ms * 1000)))
	# One at a time the guest's own time between two is in it: no figure to the digit.
	run 64 600 --rw=read --iodepth=1
	say "$model 64k read, depth 1: $((600 * 65536 / ms)) kB/s"
	expect_near "MB a second of 64 KiB, one at a time" "$single_mb_per_s" $((600 * 65536 / (ms * 1000)))
done
# Without a queue of its own the disk takes them in turn.
model=fifo
simdisks 1 $disk_mib "7200 800 15200 150 1 256"
measure "8k random read, depth 32" 8 600 --rw=randread --iodepth=32
expect_near "requests a second in turn" 77 $((600 * 1000 / ms))
model=nl-sas
try_pass_over
