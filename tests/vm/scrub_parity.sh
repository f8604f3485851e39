#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# "resync" makes all parity right: what was spoilt behind the array's back, stopped or running, quiet or under
# load, and after having been stopped half way. The stock target's check is the judge, and sees the damage first.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 rows=64
data=$((rows * chunk)) length=$((rows * chunk * (n - 1)))
ramdisks $((n + 1)) 28
devs=${DISKS[*]:0:n}
what="raid5, $n members, chunk $chunk, SEED=$SEED"

# spoil COUNT: overwrites so many pieces of parity with random bytes. Left-symmetric: row r has it on n-1-r%n.
spoil() {
	local i row nr at

	for ((i = 0; i < $1; i++)); do
		random_below $rows; row=$random
		random_below $chunk; at=$random
		random_below $((chunk - at)); nr=$((random + 1))
		must dd if=/dev/urandom of="${DISKS[n - 1 - row % n]}" bs=512 seek=$((DATA_START + row * chunk + at)) \
			count=$nr conv=notrunc oflag=direct status=none
	done
}

# check_stopped: sets $mismatches; the array is stopped.
check_stopped() {
	# shellcheck disable=SC2086
	stock_windows $data "${DISKS[n]}" $devs
	stock_up raid5 $chunk $length
	stock_check
	same "$what: data" "$SCRATCH/data" /dev/mapper/stock
	array_down stock
	stock_windows_down
}

# all_right WHAT: stops the array and has it checked.
all_right() {
	expect "$what: $1: progress" "$data/$data" "$(status_word array 4)"
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: $1: data" "$SCRATCH/data" "$SCRATCH/got"
	array_down array
	check_stopped
	expect "$what: $1: mismatches counted by the stock target" 0 "$mismatches"
}

# resync: asks for it, and waits until it has been done.
done_again() {
	[ "$(kernel_lines 'resync done')" -ge "$1" ]
}

resync() {
	log_mark
	must dmsetup message array 0 resync
	wait_for 120 done_again 1
	wait_sync array idle
}

array_up array "$(array_line raid5 $chunk $length "$devs" create name data)"
uuid=$(uuid_of array)
line=$(array_line raid5 $chunk $length "$devs" uuid "$uuid")
fill "$SCRATCH/data" $((length / 2048))
must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct status=none
wait_sync array idle
all_right "after create"

spoil 20
check_stopped
[ "$mismatches" -gt 0 ] || fail "$what: the stock target does not see parity that was spoilt"
array_up array "$line"
resync
all_right "spoilt while stopped"

array_up array "$line"
spoil 20
resync
all_right "spoilt while running"

# Stopped half way, it goes on where it was: by the next table too.
array_up array "$line"
spoil 20
must dmsetup message array 0 resync
must dmsetup message array 0 frozen
wait_for 10 status_word_is array 5 frozen
array_down array
array_up array "$line"
expect "$what: sync action after a new start" frozen "$(status_word array 5)"
log_mark
must dmsetup message array 0 resync
wait_for 120 done_again 1
all_right "frozen and started again"

# Asked for, taken back and asked for again while the walker is in the middle of a window: the last word counts.
modprobe -q dm-delay || true
windows=
for ((i = 0; i < n; i++)); do
	size=$(sectors_of "${DISKS[i]}")
	member slow$i "${DISKS[i]}"
	dm_swap slow$i "0 $size delay ${DISKS[i]} 0 300"
	windows+=" /dev/mapper/slow$i"
done
for word in idle frozen; do
	array_up array "$(array_line raid5 $chunk $length "$windows" uuid "$uuid")"
	spoil 5
	must dmsetup message array 0 resync
	wait_sync array resync 10
	log_mark
	must dmsetup message array 0 $word
	must dmsetup message array 0 resync
	wait_for 60 done_again 1
	expect "$what: sync action after resync, $word, resync" idle "$(status_word array 5)"
	all_right "resync, $word, resync"
done
# Each alone is acknowledged within a second, whatever a window takes.
array_up array "$(array_line raid5 $chunk $length "$windows" uuid "$uuid")"
for word in idle frozen; do
	must dmsetup message array 0 resync
	wait_sync array resync 10
	must dmsetup message array 0 $word
	wait_for 2 status_word_is array 5 $word
	[ "$(status_word array 4)" != "$data/$data" ] || fail "$what: resync was through before $word came"
done
must dmsetup message array 0 idle
array_down array
for ((i = 0; i < n; i++)); do dm_remove slow$i; done

# Under load in one half; its rows are spoilt before it begins.
array_up array "$line"
spoil 20
load_start /dev/mapper/array --size=$((length * 256))
resync
load_stop
image /dev/mapper/array "$SCRATCH/got"
same "$what: data beside the load" "$SCRATCH/data" "$SCRATCH/got" 0 $((length * 256))
cp "$SCRATCH/got" "$SCRATCH/data"
all_right "under load"

# Only messages that mean something are taken.
array_up array "$line"
must_fail dmsetup message array 0 resync now
must_fail dmsetup message array 0 resnyc
array_down array
