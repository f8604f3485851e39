#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A member is failed by message under load; what was written before, meanwhile and afterwards is read, with the
# failed member named in the table (shown D, neither read nor written) and with "-" in its place. CASCADE_LONG=1
# fails each member in turn. So is what was written to an array that was never synced.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((3 * 2048))
length=$((data * (n - 1)))
ramdisks $n 24
devs=${DISKS[*]}
# The load has the first half; the ledger knows every byte of the rest.
half=$((length / 2))

# ledger_write NAME COUNT: writes pieces of random size, place and content to NAME and to the ledger.
ledger_write() {
	local i from nr skip script=$SCRATCH/script

	for ((i = 0; i < $2; i++)); do
		random_below $((length - half)); from=$((half + random))
		random_below $((length - from > 300 ? 300 : length - from)); nr=$((random + 1))
		random_below 4096; skip=$random
		echo "pwrite -q -i $SCRATCH/random -s $((skip * 512)) $((from * 512)) $((nr * 512))"
	done >"$script"
	must xfs_io -d "/dev/mapper/$1" <"$script"
	must xfs_io "$SCRATCH/ledger" <"$script"
}

# ledger_check WHAT NAME: the ledger's half of NAME.
ledger_check() {
	image "/dev/mapper/$2" "$SCRATCH/got"
	same "$what: $1" "$SCRATCH/ledger" "$SCRATCH/got" 0 $((half * 512))
}

checksum() {
	sha256sum <"$1"
}

fail_under_load() {
	local slot=$1 events

	array_up array "$(array_line raid5 $chunk $length "$devs" create name data force)"
	uuid=$(uuid_of array)
	must dd if="$SCRATCH/ledger" of=/dev/mapper/array bs=1M oflag=direct status=none
	ledger_write array 20
	load_start /dev/mapper/array --size=$((half * 512))
	more_writes 200
	events=$(event_number array)
	log_mark
	must dmsetup message array 0 fail "$slot"
	must timeout 30 dmsetup wait array "$events"
	expect "$what: health after fail" "$degraded" "$(status_word array 3)"
	expect "$what: lines logged" 1 "$(kernel_lines "member $slot .*asked to fail: failed, the array goes on without it")"
	must_fail dmsetup message array 0 fail "$slot"
	must_fail dmsetup message array 0 fail $(((slot + 1) % n))
	must_fail dmsetup message array 0 fail $n
	must_fail dmsetup message array 0 fail x
	must_fail dmsetup message array 0 resync
	expect "$what: health after refused messages" "$degraded" "$(status_word array 3)"
	more_writes 200
	sum=$(checksum "${DISKS[slot]}")
	ledger_write array 20
	more_writes 200
	load_stop
	ledger_check "read degraded" array
	fio_verify /dev/mapper/array --size=$((half * 512))
	expect "$what: the failed member was not written" "$sum" "$(checksum "${DISKS[slot]}")"
}

# reload LINE HEALTH WHAT: starts the array, reads, writes, reads.
reload() {
	log_mark
	array_up array "$1"
	expect "$what, $3: health" "$2" "$(status_word array 3)"
	[[ $2 != *D* ]] || expect "$what, $3: lines logged of a stale member" 1 \
		"$(kernel_lines "member $slot .*missed writes: it is not used")"
	ledger_check "$3" array
	ledger_write array 20
	ledger_check "$3, after writes" array
	must dmsetup suspend array
	must dmsetup resume array
	expect "$what, $3: health after suspend and resume" "$2" "$(status_word array 3)"
	ledger_check "$3, after suspend and resume" array
	array_down array
	expect "$what, $3: the failed member was not written" "$sum" "$(checksum "${DISKS[slot]}")"
}

one_slot() {
	local slot=$1 line named other

	what="raid5, $n members, member $slot failed, SEED=$SEED"
	say "$what"
	degraded=$(printf 'A%.0s' $(seq $n))
	degraded=${degraded:0:slot}D${degraded:slot+1}
	fill "$SCRATCH/random" 3
	fill "$SCRATCH/ledger" $((length / 2048))
	fail_under_load "$slot"
	line=$(dmsetup table array)
	array_down array

	named=$(array_line raid5 $chunk $length "$devs" uuid "$uuid")
	reload "$named" "$degraded" "named"
	reload "$line" "$degraded" "by the line that dmsetup table told"
	reload "$(array_line raid5 $chunk $length "$(without "$slot" "$devs")" uuid "$uuid")" "${degraded/D/-}" "absent"
	reload "$named" "$degraded" "named again"

	# The stock target has the same to say of it.
	# shellcheck disable=SC2086
	stock_windows $data - $devs
	stock_up raid5 $chunk $length "$slot"
	ledger_check "read by the stock target" stock
	array_down stock
	stock_windows_down

	# A stale member does not stand in for a missing one.
	other=$(((slot + 1) % n))
	array_refused array "$(array_line raid5 $chunk $length "$(without $other "$devs")" uuid "$uuid")"
	array_refused array "$(array_line raid5 $chunk $length "$(without $other "$devs")" uuid "$uuid" force)"
}

# Whatever is written has right parity at once: here on members whose parity is wrong, and nothing is synced.
before_first_sync() {
	local i slot word from nr pieces=() windows=''

	what="raid5, $n members, not synced, SEED=$SEED"
	say "$what"
	modprobe -q dm-delay || true
	for ((i = 0; i < n; i++)); do
		must dd if=/dev/urandom of="${DISKS[i]}" bs=1M seek=16 count=3 oflag=direct status=none
		member slow$i "${DISKS[i]}"
		dm_swap slow$i "0 $(sectors_of "${DISKS[i]}") delay ${DISKS[i]} 0 500"
		windows+=" /dev/mapper/slow$i"
	done
	array_up array "$(array_line raid5 $chunk $length "$windows" create force)"
	must dmsetup message array 0 frozen
	wait_sync array frozen 20
	word=$(status_word array 4)
	[ "${word%/*}" -le $((data / 2)) ] || fail "$what: $word sectors were synced before the resync was stopped"
	for ((i = 0; i < n; i++)); do heal_member slow$i; done
	# In the last third.
	for ((i = 0; i < 20; i++)); do
		random_below $((length / 3 - 300)); from=$((length * 2 / 3 + random))
		random_below 300; nr=$((random + 1))
		pieces+=("$from,$nr")
		must dd if="$SCRATCH/ledger" of=/dev/mapper/array bs=512 skip=$from seek=$from count=$nr oflag=direct status=none
	done
	array_down array
	for ((slot = 0; slot < n; slot++)); do
		array_up array "$(array_line raid5 $chunk $length "$(without $slot "$windows")")" --readonly
		image /dev/mapper/array "$SCRATCH/got"
		for i in "${pieces[@]}"; do
			cmp -s -i $((${i%,*} * 512)) -n $((${i#*,} * 512)) "$SCRATCH/ledger" "$SCRATCH/got" ||
				fail "$what: read without member $slot: sectors $i (from,count) are not what was written: ${pieces[*]}"
		done
		array_down array
	done
	for ((i = 0; i < n; i++)); do dm_remove slow$i; done
}

if [ -n "${CASCADE_LONG:-}" ]; then
	for ((s = 0; s < n; s++)); do one_slot $s; done
else
	random_below $n
	one_slot "$random"
fi
before_first_sync
