#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Suspend, resume, reload and remove, 200 times under load, with and without flush, with a resync under way in a part
# of them: nothing takes long, nothing is lost. A suspend waits for a flush in flight; "frozen" outlives a reload;
# messages are acknowledged within a second.
# timeout: 900
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((63 * 2048))
length=$((data * (n - 1)))
loops=200
[ -z "${CASCADE_LONG:-}" ] || loops=2000
what="raid5, $n members, chunk $chunk, SEED=$SEED"

# timed COMMAND...: like must, and keeps the longest time that one took. An emulated machine on a busy host is slow by
# itself: how slow, a command tells that does nothing with the array.
longest_ms=0 longest='' idle_ms=0
timed() {
	local begin=$EPOCHREALTIME ms

	must "$@"
	ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
	[ $ms -le $longest_ms ] || { longest_ms=$ms; longest="$*"; }
}

calibrate() {
	local begin=$EPOCHREALTIME ms

	must dmsetup version
	ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
	[ $ms -le $idle_ms ] || idle_ms=$ms
}

check_longest() {
	local ms_limit=$((2000 + 10 * idle_ms))

	say "$1: the longest of all commands took $longest_ms ms (one that does nothing: $idle_ms ms): $longest"
	[ $longest_ms -le $ms_limit ] || fail "$what: $1: $longest took $longest_ms ms, $ms_limit are accepted"
}

# Random arguments of a suspend.
suspend_args() {
	random_below 4
	case $random in
	0) args=() ;;
	1) args=(--noflush) ;;
	2) args=(--nolockfs) ;;
	3) args=(--noflush --nolockfs) ;;
	esac
}

one_loop() {
	local args

	suspend_args
	[ $(($1 % 10)) -ne 0 ] || calibrate
	case $(($1 % 4)) in
	0 | 1)
		timed dmsetup suspend "${args[@]}" array
		;;
	2)
		timed dmsetup load array --table "$line"
		timed dmsetup suspend "${args[@]}" array
		;;
	3)
		# A table that is loaded and cleared changes nothing; a resync is begun, or goes on.
		timed dmsetup load array --table "$line"
		timed dmsetup clear array
		timed dmsetup message array 0 resync
		timed dmsetup suspend "${args[@]}" array
		must_fail dmsetup message array 0 resync
		;;
	esac
	timed dmsetup status array
	timed dmsetup resume array
}

# done_sectors: of the resync.
done_sectors() {
	local word

	word=$(status_word array 4)
	echo "${word%/*}"
}

# sync_loop: flushes, one after the other, until /run/stop is there; the longest time to /run/longest_sync_ms.
sync_loop() {
	local begin ms longest_ms=0

	while [ ! -e /run/stop ]; do
		begin=$EPOCHREALTIME
		sync /dev/mapper/array || exit 1
		ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
		[ $ms -le $longest_ms ] || longest_ms=$ms
	done
	echo $longest_ms >/run/longest_sync_ms
}

# check_requests: none took long either, the time for which the array was suspended included. What fio says of its
# own flushes counts its pauses as well.
check_requests() {
	local ms sync_ms ms_limit=$((2000 + 10 * idle_ms))

	ms=$(awk '/"clat_ns"/ { on = 1 } on && /"max" :/ { on = 0; if ($3 + 0 > most) most = $3 + 0 }
		END { print int(most / 1000000) }' "$LOAD_LOG")
	sync_ms=$(cat /run/longest_sync_ms)
	say "the longest request took $ms ms, the longest flush $sync_ms ms"
	[ "$ms" -gt 0 ] || fail "$what: fio measured no time: $(cat "$LOAD_LOG")"
	[ "$ms" -le $ms_limit ] || fail "$what: a request took $ms ms, $ms_limit are accepted"
	[ "$sync_ms" -le $ms_limit ] || fail "$what: a flush took $sync_ms ms, $ms_limit are accepted"
}

under_load() {
	local i

	array_up array "$(array_line raid5 $chunk $length "${DISKS[*]}" create name data)"
	line=$(dmsetup table array)
	load_start /dev/mapper/array --size=6m --rate_iops=150 --gtod_reduce=0 --disable_clat=0 --fsync=8
	rm -f /run/stop
	sync_loop &
	sync_pid=$!
	more_writes 20
	for ((i = 0; i < loops; i++)); do
		one_loop $i
	done
	more_writes 20
	touch /run/stop
	wait $sync_pid || fail "$what: a flush failed"
	load_stop
	check_longest "under load"
	check_requests
	expect "$what: health" AAAA "$(status_word array 3)"
	must dmsetup message array 0 resync
	wait_sync array idle
	expect "$what: progress" "$data/$data" "$(status_word array 4)"
	image /dev/mapper/array "$SCRATCH/got" $((6 << 20))
	array_down array
	# shellcheck disable=SC2086
	stock_windows $data "$meta" "${DISKS[@]}"
	stock_up raid5 $chunk $length
	same "$what: read by the stock target" "$SCRATCH/got" /dev/mapper/stock $((6 << 20))
	stock_check
	expect "$what: mismatches counted by the stock target" 0 "$mismatches"
	array_down stock
	stock_windows_down
}

# Removed as soon as the last user is gone, whose requests may still be on their way, and the walker with them.
removed() {
	local i

	longest_ms=0 longest=''
	for ((i = 0; i < loops / 20; i++)); do
		array_up array "$line"
		[ $((i % 2)) -eq 0 ] || must dmsetup message array 0 resync
		fio_start /dev/mapper/array --rw=randrw --bsrange=512-128k --time_based --runtime=3600
		more_writes 10
		kill -9 "$LOAD_PID"
		wait "$LOAD_PID" 2>/dev/null || true
		[ $((i % 4)) -ne 3 ] || timed dmsetup suspend --noflush array
		timed dmsetup remove --retry array
	done
	check_longest "removed"
	# Never resumed, never written: the array is not dirty after that.
	timed dmsetup create array --notable
	timed dmsetup load array --table "$line"
	timed dmsetup remove array
	log_mark
	array_up array "$line"
	expect "$what: lines logged of a dirty start" 0 "$(kernel_lines 'not stopped in order')"
	wait_sync array idle
	array_down array
}

ask_for_resync() {
	while true; do dmsetup message array 0 resync 2>/dev/null || true; done
}

# Members that take a while, so that a resync is not through before it is stopped.
frozen() {
	local i before word windows=''

	modprobe -q dm-delay || true
	for ((i = 0; i < n; i++)); do
		member late$i "${DISKS[i]}"
		dm_swap late$i "0 $(sectors_of "${DISKS[i]}") delay ${DISKS[i]} 0 80"
		windows+=" /dev/mapper/late$i"
	done
	array_up array "$(array_line raid5 $chunk $length "$windows")"
	line=$(dmsetup table array)
	must dmsetup message array 0 resync
	must dmsetup message array 0 frozen
	wait_for 1 status_word_is array 5 frozen
	before=$(done_sectors)
	[ "$before" -lt $data ] || fail "$what: the resync was through before it could be frozen"
	timed dmsetup load array --table "$line"
	timed dmsetup suspend array
	timed dmsetup resume array
	expect "$what: frozen after a reload" "frozen $before" "$(status_word array 5) $(done_sectors)"
	array_down array
	array_up array "$line"
	expect "$what: frozen after a new start" "frozen $before" "$(status_word array 5) $(done_sectors)"
	must dmsetup message array 0 idle
	wait_for 1 status_word_is array 5 idle
	expect "$what: idle begins nothing" "$before" "$(done_sectors)"
	for word in idle frozen; do
		must dmsetup message array 0 resync
		wait_for 1 status_word_is array 5 resync
		must dmsetup message array 0 $word
		wait_for 1 status_word_is array 5 $word
	done
	# A message that comes while a suspend waits for the walker does not start it again.
	for ((i = 0; i < 3; i++)); do
		must dmsetup message array 0 resync
		ask_for_resync &
		asker=$!
		timed dmsetup suspend array
		kill $asker
		wait $asker 2>/dev/null || true
		timed dmsetup resume array
	done
	[ "$(done_sectors)" -lt $data ] || fail "$what: the resync was through while a suspend waited for it"
	check_longest "suspended against messages"
	for ((i = 0; i < n; i++)); do heal_member late$i; done
	must dmsetup message array 0 resync
	wait_sync array idle
	expect "$what: progress" "$data/$data" "$(status_word array 4)"
	array_down array
	for ((i = 0; i < n; i++)); do dm_remove late$i; done
}

# Members with a write cache whose flush takes a while.
flush_in_flight() {
	local i disk size=$((24 * 2048)) slow='' pid

	modprobe -q dm-delay || true
	for ((i = 0; i < n; i++)); do
		disk=$(nulldisk slow$i 24 cache_size=32)
		dm_create slow$i "0 $size delay $disk 0 0 $disk 0 0 $disk 0 2000"
		slow+=" /dev/mapper/slow$i"
	done
	array_up array "$(array_line raid5 $chunk $((6144 * (n - 1))) "$slow" create assume_clean)"
	for ((i = 0; i < 3; i++)); do
		must dd if=/dev/zero of=/dev/mapper/array bs=64k count=1 seek=$i oflag=direct status=none
		sync /dev/mapper/array &
		pid=$!
		wait_for 10 is_flushing $pid
		suspend_args
		within 10 dmsetup suspend "${args[@]}" array
		within 10 dmsetup resume array
		wait $pid || fail "$what: a flush failed that was in flight when the array was suspended"
	done
	within 10 array_down array
}

is_flushing() {
	# User Mode Linux shows no stack of a task that waits.
	grep -qs blkdev_issue_flush /proc/"$1"/stack || grep -qs '^State:.D' /proc/"$1"/status
}

ramdisks $((n + 1)) 80
meta=${DISKS[n]}
DISKS=("${DISKS[@]:0:n}")
under_load
removed
frozen
flush_in_flight
