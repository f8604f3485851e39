#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Memory runs out: first at single allocations of a load, a start, a message and a status, one at a time, then at one in fifty of
# all under load. A table is loaded or refused, and works at the next try; requests end, and rightly; nothing leaks.
# bed: uml
# timeout: 900
# append: kmemleak=on
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((6 * 2048))
length=$((data * (n - 1)))
what="raid5, $n members, chunk $chunk, SEED=$SEED"
debugfs=/sys/kernel/debug

# attribute NAME VALUE: of both kinds of faults.
attribute() {
	echo "$2" >$debugfs/failslab/"$1"
	echo "$2" >$debugfs/fail_page_alloc/"$1"
}

faults_left() {
	echo $(($(cat $debugfs/failslab/times) + $(cat $debugfs/fail_page_alloc/times)))
}

# with_fault N COMMAND...: the Nth allocation fails that the kernel makes for its ioctls. Sets $met if it makes as
# many, and $result.
with_fault() {
	local nth=$1 before

	shift
	before=$(faults_left)
	result=0
	FAIL_NTH=$nth LD_PRELOAD=$SCRATCH/fail_ioctl.so "$@" >"$SCRATCH/said" 2>&1 || result=$?
	met=
	[ "$(faults_left)" -eq "$before" ] || met=1
}

# each_fault WHAT COMMAND...: with a fault at its first allocations, each, then at one in sixteen more, since a row in
# memory is allocated like the next; before it each_begin, after it each_end, which must succeed.
each_fault() {
	local nth what2=$1 tried=0

	refused=0

	shift
	for ((nth = 1; ; nth += 1 + nth / 16)); do
		each_begin
		with_fault $nth "$@"
		tried=$((tried + 1))
		[ "$result" -eq 0 ] || refused=$((refused + 1))
		each_end || fail "$what: $what2 after a fault at allocation $nth ($result: $(cat "$SCRATCH/said"))"
		[ -n "$met" ] || break
	done
	say "$what2: less than $nth allocations, tried $tried of them, $refused times refused for want of one"
	expect "$what: $what2 without a fault" 0 "$result"
}

no_faults() {
	attribute probability 0
}

must gcc -Wall -Wextra -Werror -O1 -fPIC -shared -o "$SCRATCH/fail_ioctl.so" "$CASCADE_TESTS/lib/fail_ioctl.c"
ramdisks $((n + 1)) 24
meta=${DISKS[n]}
DISKS=("${DISKS[@]:0:n}")
# A RAM disk allocates what is written for the first time, and fails where it cannot.
for disk in "${DISKS[@]}"; do must dd if=/dev/zero of="$disk" bs=1M count=24 oflag=direct status=none; done

attribute probability 0
attribute verbose 0
attribute interval 1
attribute times 1000000
attribute ignore-gfp-wait N
attribute task-filter N
echo 0 >$debugfs/fail_page_alloc/min-order
on_exit no_faults

# --- one fault at a time

line=$(array_line raid5 $chunk $length "${DISKS[*]}" create force name data assume_clean)
must dmsetup create array --notable
on_exit dm_remove array

each_begin() { :; }
each_end() {
	dmsetup clear array
}
each_fault "a load" dmsetup load array --table "$line"
[ $refused -gt 0 ] || fail "$what: no fault had an effect on a load"

each_begin() {
	must dmsetup load array --table "$line"
}
# One that was refused works at the next try.
each_end() {
	dmsetup resume array && [ "$(status_word array 3)" = AAAA ] &&
		dd if="${DISKS[0]}" of=/dev/mapper/array bs=64k skip=100 count=1 oflag=direct status=none
}
each_fault "a start with create" dmsetup resume array
line=$(dmsetup table array)
each_fault "a start" dmsetup resume array

each_begin() { :; }
each_end() {
	[ "$(status_word array 3)" = AAAA ]
}
each_fault "a message" dmsetup message array 0 resync
each_fault "a status" dmsetup status array
wait_sync array idle
array_down array

# --- one in fifty

# kworkers: those there are, and those to come.
workers_fail() {
	local comm

	echo 1 >/proc/2/make-it-fail
	for comm in /proc/[0-9]*/comm; do
		[[ $(cat "$comm" 2>/dev/null) != kworker* ]] || echo 1 >"${comm%comm}make-it-fail" 2>/dev/null || true
	done
}

# under_load WHAT FAULTS: so many at least; all methods of writing, reads of members that are out, resync, suspend and resume.
under_load() {
	local before met

	array_up array "$(array_line raid5 $chunk $length "${DISKS[*]}" create force name data)"
	line=$(dmsetup table array)
	attribute probability 2
	before=$(faults_left)
	load_start /dev/mapper/array --size=8m
	more_writes 2000
	must dmsetup message array 0 resync
	more_writes 2000
	must dmsetup suspend array
	must dmsetup resume array
	more_writes 500
	expect "$what: $1: health" AAAA "$(status_word array 3)"
	must dmsetup message array 0 fail 1
	more_writes 2000
	fio_verify /dev/mapper/array --size=4m --offset=8m
	load_stop
	no_faults
	expect "$what: $1: health" ADAA "$(status_word array 3)"
	met=$((before - $(faults_left)))
	say "$1: $met faults"
	[ $met -ge "$2" ] || fail "$what: $1: $met faults, $2 or more are expected"
	image /dev/mapper/array "$SCRATCH/got"
	array_down array
	# shellcheck disable=SC2086
	stock_windows $data "$meta" "${DISKS[@]}"
	stock_up raid5 $chunk $length 1
	same "$what: $1: read by the stock target" "$SCRATCH/got" /dev/mapper/stock
	array_down stock
	stock_windows_down
}

# What may not wait; with it the first try of every pool.
attribute ignore-gfp-wait Y
under_load "allocations that may not wait" 500
# Of the workers, every kind. They allocate next to nothing: that is the point.
attribute ignore-gfp-wait N
attribute task-filter Y
workers_fail
under_load "allocations of workers" 1

# --- nothing leaks

# It takes nothing for lost that is younger than five seconds.
sleep 6
echo scan >$debugfs/kmemleak
echo scan >$debugfs/kmemleak
cat $debugfs/kmemleak >"$SCRATCH/leaks"
! grep -q cascade "$SCRATCH/leaks" || fail "$what: leaks: $(head -n 100 "$SCRATCH/leaks")"
