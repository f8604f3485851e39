#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Messages: fail, resync, idle, frozen do what they say, at once, also while a member answers nothing; none is lost
# that was accepted; each change raises an event and is one line in the log. What cannot be done is refused, with
# the reason in the log. "frozen" survives a reload and a stop.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

scratch_dir
load_cascade

# promptly COMMAND...: it must end well, in a time that no wait for I/O on a held device would keep to.
promptly() {
	local r=0

	timeout 30 "$@" >"$SCRATCH/out" 2>&1 || r=$?
	[ $r -ne 124 ] || fail "$*"$'\n'"  expected: an end at once"$'\n'"  got:      none in 30 s"
	[ $r -eq 0 ] || fail "$*"$'\n'"  expected: exit code 0"$'\n'"  got:      $r: $(cat "$SCRATCH/out")"
}

send() {
	promptly dmsetup message array 0 -- "$@"
}

event_after() {
	[ "$(event_number array)" -gt "$1" ]
}

# raises REGEX COMMAND...: the command raises an event and logs one line, which matches.
raises() {
	local regex=$1 before

	shift
	before=$(event_number array)
	log_mark
	"$@"
	wait_for 30 event_after "$before"
	expect "lines in the log that match \"$regex\" after: $*" 1 "$(kernel_lines "device-mapper: cascade: .*$regex")"
}

# refused REASON WORD...: the message fails, changes nothing and is told of in one line.
refused() {
	local reason=$1 before

	shift
	before=$(cascade_status array | cut -d ' ' -f 1-5)
	log_mark
	must_fail timeout 30 dmsetup message array 0 -- "$@"
	expect "lines in the log that say \"$reason\" after the message: $*" 1 \
		"$(kernel_lines "device-mapper: cascade: .*message \"$1\": $reason\$")"
	expect "status after the refused message: $*" "$before" "$(cascade_status array | cut -d ' ' -f 1-5)"
}

hold() {
	must dmsetup suspend --noflush --nolockfs "$1"
}

release() {
	must dmsetup resume "$1"
}

done_sectors() {
	local word

	word=$(status_word array 4)
	echo "${word%/*}"
}

chunk=128 rows=64
length=$((2 * rows * chunk)) total=$((rows * chunk))
ramdisks 3 22
for i in 0 1 2; do member m$i "${DISKS[i]}"; done
devs="/dev/mapper/m0 /dev/mapper/m1 /dev/mapper/m2"
fill "$SCRATCH/random" $((length / 2048))

array_up array "$(array_line raid5 $chunk $length "$devs" create name data assume_clean)"
uuid=$(uuid_of array)
line=$(array_line raid5 $chunk $length "$devs" uuid "$uuid")
must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M oflag=direct status=none
expect "after create with assume_clean" "AAA $total/$total idle" "$(cascade_status array | cut -d ' ' -f 3-5)"

say "--- wrong messages"
accepted='unknown; accepted are fail.*'
refused "$accepted" repaint
refused "$accepted" fai 1
refused "wrong number of words" fail
refused "wrong number of words" fail 1 2
refused "wrong number of words" resync 0
refused "wrong number of words" idle now
refused "wrong number of words" frozen 1
for slot in 3 64 -1 one 1x 4294967296; do
	refused "the slot must be a number below the number of members" fail "$slot"
done

say "--- resync, while a member answers nothing"
hold m0
before=$(event_number array)
log_mark
send resync
wait_sync array resync
wait_for 30 event_after "$before"
expect "lines in the log on the start of the resync" 1 "$(kernel_lines 'cascade: .*resync from member sector 0 of')"
promptly dmsetup status array
promptly dmsetup table array
expect "done of the resync" 0 "$(done_sectors)"
# Accepted again, and still under way.
send resync
expect "sync action after a second resync" resync "$(status_word array 5)"
release m0
wait_sync array idle
expect "done/total after the resync" $total/$total "$(status_word array 4)"
expect "lines in the log on its end" 1 "$(kernel_lines 'cascade: .*resync done')"

# The walker is in a window when these come, and has not seen the first when the second is there.
for first in idle frozen; do
	say "--- $first, then resync at once"
	hold m0
	send resync
	wait_sync array resync
	send $first
	send resync
	release m0
	wait_sync array idle
	expect "done/total after resync, $first, resync" $total/$total "$(status_word array 4)"
done

say "--- frozen in the middle"
hold m0
send resync
wait_sync array resync
raises 'frozen' send frozen
release m0
wait_sync array frozen
frozen_at=$(done_sectors)
[ "$frozen_at" -lt $total ] || fail "frozen at the first window: expected less than $total done, got $frozen_at"

# still_frozen WHEN
still_frozen() {
	must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M oflag=direct status=none
	same "$1" "$SCRATCH/random" /dev/mapper/array
	expect "$1" "AAA $frozen_at/$total frozen" "$(cascade_status array | cut -d ' ' -f 3-5)"
}
still_frozen "frozen, after writes"
must dmsetup load array --table "$line"
must dmsetup suspend array
must dmsetup resume array
still_frozen "frozen, after a reload"
must dmsetup suspend array
must dmsetup resume array
still_frozen "frozen, after suspend and resume"
array_down array
array_up array "$line"
still_frozen "frozen, after stop and start"
# Twice is the same.
send frozen
still_frozen "frozen twice"
raises 'idle' send idle
expect "sync action after idle" idle "$(status_word array 5)"
send resync
wait_sync array idle
wait_for 60 status_word_is array 4 $total/$total

say "--- idle in the middle"
hold m0
send resync
wait_sync array resync
raises 'idle' send idle
release m0
wait_sync array idle
expect "health and sync action after idle" "AAA idle" "$(cascade_status array | cut -d ' ' -f 3,5)"
send resync
wait_for 60 status_word_is array 4 $total/$total

say "--- while suspended"
must dmsetup suspend array
for message in "fail 1" resync idle frozen; do
	# shellcheck disable=SC2086
	refused "the array is suspended" $message
done
promptly dmsetup status array
must dmsetup resume array
expect "after resume" "AAA $total/$total idle" "$(cascade_status array | cut -d ' ' -f 3-5)"

say "--- fail, while another member answers nothing"
hold m0
raises 'member 1 .*asked to fail: failed' send fail 1
expect "health after fail 1" ADA "$(status_word array 3)"
refused "that member is out already" fail 1
refused "the array needs that member" fail 0
refused "the array needs that member" fail 2
refused "parity cannot be made right while a member is out" resync
# No write is acknowledged before member 0 can be told of it.
dd if="$SCRATCH/random" of=/dev/mapper/array bs=64k count=1 oflag=direct status=none 2>"$SCRATCH/dd.err" &
dd_pid=$!
promptly dmsetup status array
kill -0 $dd_pid 2>/dev/null || fail "a write ended though the failure of member 1 is not recorded on any member: $(cat "$SCRATCH/dd.err")"
release m0
wait $dd_pid || fail "the write failed: $(cat "$SCRATCH/dd.err")"
md5sum "${DISKS[1]}" >"$SCRATCH/sum"
fill "$SCRATCH/other" $((length / 2048))
must dd if="$SCRATCH/other" of=/dev/mapper/array bs=1M oflag=direct status=none
same "written and read without member 1" "$SCRATCH/other" /dev/mapper/array
expect "the failed member's content after writes" "$(cat "$SCRATCH/sum")" "$(md5sum "${DISKS[1]}")"
send frozen
expect "a degraded array can be frozen" "ADA frozen" "$(cascade_status array | cut -d ' ' -f 3,5)"
send idle
array_down array
array_up array "$line"
expect "health after stop and start" ADA "$(status_word array 3)"
same "read after stop and start without member 1" "$SCRATCH/other" /dev/mapper/array
array_down array

say "--- arrays that take none"
array_up array "$line" --readonly
for message in "fail 0" resync idle frozen; do
	# shellcheck disable=SC2086
	refused "the array is read-only" $message
done
array_down array
array_up array "$(array_line raid0 $chunk $((3 * total)) "$devs" create force)"
for message in "fail 0" resync idle frozen; do
	# shellcheck disable=SC2086
	refused "this level has no parity" $message
done
refused "$accepted" repaint
expect "health of the RAID-0 array" AAA "$(status_word array 3)"
array_down array
