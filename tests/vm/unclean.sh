#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Starts after a crash. The members are copied while the array runs under load, which is what a crash leaves; then an
# array starts from the copies: dirty, with a full resync, and with all that was flushed before. Without a member it
# is refused unless forced; read-only it writes nothing; a block that cannot be read in a torn row is an error.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((3 * 2048)) size=$((24 * 2048))
length=$((data * (n - 1)))
# The load has the first half; what was flushed into the rest must be there.
half=$((length * 256))
what="raid5, $n members, chunk $chunk, SEED=$SEED"
ramdisks $((3 * n + 1)) 24
live=("${DISKS[@]:0:n}") crashed=("${DISKS[@]:n:n}") meta=${DISKS[3 * n]}
# What a start works on: copies of the copies, as members.
copies=''
for ((i = 0; i < n; i++)); do
	member c$i "${DISKS[2 * n + i]}"
	copies+=" /dev/mapper/c$i"
done

flushed() {
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: $1: what was flushed" "$SCRATCH/data" "$SCRATCH/got" 0 $half
}

# crash [SLOT]: fills crashed; the slot is failed before.
crash() {
	local i

	array_up array "$(array_line raid5 $chunk $length "${live[*]}" create force name data)"
	uuid=$(uuid_of array)
	fill "$SCRATCH/data" $((length / 2048))
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct conv=fsync status=none
	wait_sync array idle
	load_start /dev/mapper/array --size=$half
	more_writes 100
	if [ $# -gt 0 ]; then
		must dmsetup message array 0 fail "$1"
		more_writes 100
	fi
	for ((i = 0; i < n; i++)); do
		must dd if="${live[i]}" of="${crashed[i]}" bs=1M iflag=direct oflag=direct status=none
		more_writes 20
	done
	load_stop
	array_down array
	for ((i = 0; i < n; i++)); do wipefs -q -a "${live[i]}"; done
}

# restore: the copies as the crash left them.
restore() {
	local i

	for ((i = 0; i < n; i++)); do
		must dd if="${crashed[i]}" of="${DISKS[2 * n + i]}" bs=1M iflag=direct oflag=direct status=none
	done
}

# line [ARGUMENT]...: with the devices in $devs.
line() {
	array_line raid5 $chunk $length "$devs" uuid "$uuid" "$@"
}

checksums() {
	local i

	for ((i = 0; i < n; i++)); do sha256sum <"${DISKS[2 * n + i]}"; done
}

# checked WHAT [MISSING]: stops the array; the stock target agrees about parity, or about the data.
checked() {
	image /dev/mapper/array "$SCRATCH/got"
	array_down array
	# shellcheck disable=SC2086
	stock_windows $data "$meta" $copies
	stock_up raid5 $chunk $length "${@:2}"
	same "$what: $1, read by the stock target" "$SCRATCH/got" /dev/mapper/stock
	if [ $# -lt 2 ]; then
		stock_check
		expect "$what: $1: mismatches counted by the stock target" 0 "$mismatches"
	fi
	array_down stock
	stock_windows_down
}

whole() {
	local slot=$((RANDOM % n)) sums

	crash
	restore
	devs=$copies
	# Read-only first: not one sector is written, whole, degraded or with a member that dies.
	sums=$(checksums)
	array_up array "$(line read_only)" --readonly
	flushed "read-only"
	must_fail dd if=/dev/zero of=/dev/mapper/array bs=4096 count=1 oflag=direct
	must_fail dmsetup message array 0 resync
	break_member c$slot
	# Its rows are torn, so some of what it held cannot be answered.
	dd if=/dev/mapper/array of=/dev/null bs=1M iflag=direct conv=noerror status=none 2>/dev/null || true
	sync /dev/mapper/array || true
	array_down array
	heal_member c$slot
	expect "$what: checksums after reading only" "$sums" "$(checksums)"
	devs=$(without $slot "$copies")
	array_refused array "$(line read_only)" --readonly
	array_up array "$(line read_only force)" --readonly
	flushed "read-only, without member $slot"
	sync /dev/mapper/array || true
	array_down array
	expect "$what: checksums after reading only, without member $slot" "$sums" "$(checksums)"
	array_refused array "$(line)"
	expect "$what: checksums after being refused" "$sums" "$(checksums)"

	# All members.
	devs=$copies
	log_mark
	array_up array "$(line)"
	expect "$what: health after a crash" AAAA "$(status_word array 3)"
	expect "$what: lines logged" "1 1" "$(kernel_lines 'not stopped in order: all parity is made right again') $(
		kernel_lines "resync from member sector 0 of $data")"
	flushed "at once"
	fio_verify /dev/mapper/array --size=$half
	wait_sync array idle
	expect "$what: progress after a crash" "$data/$data" "$(status_word array 4)"
	flushed "after resync"
	checked "after resync"
	log_mark
	array_up array "$(line)"
	expect "$what: a stop in order is remembered" 0 "$(kernel_lines 'not stopped in order')"
	array_down array
}

# Without a member: refused; forced; and then accepted for good.
without_one() {
	local slot=$((RANDOM % n)) health=AAAA

	restore
	devs=$(without $slot "$copies")
	log_mark
	array_refused array "$(line)"
	expect "$what: lines logged when refused" 1 "$(kernel_lines "array sectors 0 to $((length - 1)) may hold wrong data")"
	array_up array "$(line force)"
	expect "$what: health, forced" "${health:0:slot}-${health:slot+1}" "$(status_word array 3)"
	flushed "forced without member $slot"
	fio_verify /dev/mapper/array --size=$half
	flushed "forced without member $slot, after writes"
	# The line that it tells can be loaded, and a suspend be ended.
	must dmsetup load array --table "$(dmsetup table array)"
	must dmsetup suspend array
	must dmsetup resume array
	must dmsetup suspend array
	must dmsetup resume array
	flushed "forced without member $slot, loaded again"
	checked "forced without member $slot" $slot
	array_up array "$(line)"
	flushed "forced once, started again"
	array_down array
	# The member that was away missed writes.
	devs=$copies
	array_up array "$(line)"
	expect "$what: health with the member that was away" "${health:0:slot}D${health:slot+1}" "$(status_word array 3)"
	flushed "with the member that was away"
	array_down array
}

# A member dies while rows are still torn; that must not keep a suspended array from being resumed.
dies_while_torn() {
	local slot=$((RANDOM % n)) health=AAAA

	restore
	devs=$copies
	modprobe -q dm-delay || true
	dm_swap c0 "0 $size delay ${DISKS[2 * n]} 0 200"
	array_up array "$(line)"
	must dmsetup message array 0 frozen
	wait_sync array frozen 10
	must dmsetup message array 0 fail $slot
	must dmsetup suspend array
	must dmsetup resume array
	expect "$what: health, failed while torn" "${health:0:slot}D${health:slot+1}" "$(status_word array 3)"
	flushed "member $slot failed while rows were torn"
	array_down array
	heal_member c0
}

# The xor of a torn row is garbage: a bad block in it is an error, not an answer, until it is written and all is synced.
bad_block_while_torn() {
	local at

	restore
	devs=$copies
	# Block 5 of member 0, row 0: block 5 of the array, which the load writes.
	bad_blocks c0 $((DATA_START / 8 + 5))
	at=5
	log_mark
	array_up array "$(line)"
	wait_sync array idle
	expect "$what: lines logged of a resync that cannot go on" 1 "$(kernel_lines 'resync stopped at member sector 0')"
	must_fail dd if=/dev/mapper/array of=/dev/null bs=4096 skip=$at count=1 iflag=direct
	must dd if=/dev/mapper/array of=/dev/null bs=4096 skip=$((at + 1)) count=1 iflag=direct
	expect "$what: health with a bad block in a torn row" AAAA "$(status_word array 3)"
	expect "$what: bad blocks in a torn row" 1 "$(count_bad_blocks c0)"
	must_fail dd if=/dev/zero of=/dev/mapper/array bs=512 seek=$((at * 8)) count=1 oflag=direct
	must dd if=/dev/zero of=/dev/mapper/array bs=4096 seek=$at count=1 oflag=direct
	expect "$what: bad blocks after writing it" 0 "$(count_bad_blocks c0)"
	must dmsetup message array 0 resync
	wait_sync array idle
	expect "$what: progress after writing the bad block" "$data/$data" "$(status_word array 4)"
	flushed "after a bad block in a torn row"
	checked "after a bad block in a torn row"
	heal_blocks c0
}

# A start that finds torn rows needs what all members hold: one that cannot be written is not put out behind the user's
# back, and is asked again when it can.
cannot_be_written() {
	local slot=$((RANDOM % n)) health=AAAA

	restore
	devs=$copies
	break_member_writes c$slot
	log_mark
	array_refused array "$(line)"
	expect "$what: lines logged of member $slot that cannot be written" 1 \
		"$(kernel_lines "member $slot .*does not start without it")"
	array_up array "$(line read_only)" --readonly
	expect "$what: health, read-only, after member $slot could not be written" AAAA "$(status_word array 3)"
	flushed "read-only, after member $slot could not be written"
	array_down array
	array_up array "$(line force)"
	expect "$what: health, forced, with member $slot that cannot be written" "${health:0:slot}D${health:slot+1}" \
		"$(status_word array 3)"
	array_down array
	restore
	heal_member c$slot
	# Torn rows are the same after a stop in order.
	modprobe -q dm-delay || true
	dm_swap c0 "0 $size delay ${DISKS[2 * n]} 0 200"
	array_up array "$(line)"
	must dmsetup message array 0 frozen
	wait_sync array frozen 10
	array_down array
	heal_member c0
	break_member_writes c$slot
	array_refused array "$(line)"
	heal_member c$slot
	array_up array "$(line)"
	expect "$what: health, after member $slot can be written again" AAAA "$(status_word array 3)"
	expect "$what: progress of what was frozen" 1 "$(($(status_word array 4 | cut -d / -f 1) < data))"
	must dmsetup message array 0 resync
	wait_sync array idle
	checked "after member $slot could not be written for a time"
}

# A write beside a bad block far above leaves its row torn, which is nothing to the walker below: it gets there.
bad_block_far_above() {
	local row=$((data / chunk - n)) at

	restore
	devs=$copies
	at=$((row * (n - 1) * chunk / 8 + 5))
	modprobe -q dm-delay || true
	bad_blocks c0 $((DATA_START / 8 + row * chunk / 8 + 5))
	# The walker waits for parity on member 3 in each window; the writes below do not.
	dm_swap c3 "0 $size delay ${DISKS[2 * n + 3]} 0 0 ${DISKS[2 * n + 3]} 0 1000"
	log_mark
	array_up array "$(line)"
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 skip=$((at + chunk / 8)) seek=$((at + chunk / 8)) count=1 \
		oflag=direct status=none
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 skip=$at seek=$at count=1 oflag=direct status=none
	heal_member c3
	wait_sync array idle
	expect "$what: progress with a bad block that was written in time" "$data/$data" "$(status_word array 4)"
	expect "$what: lines logged of a resync that stopped" 0 "$(kernel_lines 'resync stopped')"
	checked "after a bad block far above"
	heal_blocks c0
}

# The crash of an array without a member.
degraded() {
	local slot=$((RANDOM % n)) health=AAAA

	crash $slot
	restore
	devs=$copies
	array_refused array "$(line)"
	array_up array "$(line force)"
	expect "$what: health after a degraded crash" "${health:0:slot}D${health:slot+1}" "$(status_word array 3)"
	flushed "crashed without member $slot"
	checked "crashed without member $slot" $slot
}

whole
without_one
dies_while_torn
cannot_be_written
bad_block_while_torn
bad_block_far_above
degraded
