#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What is written to a RAID-5 array lies on the members as the stock raid target lays it out, and what the stock
# target writes is read back: every number of members, every chunk, every member missing in turn. Parity is
# judged by the stock target's own check. CASCADE_LONG=1 tries all pairs of both.
# timeout: 900
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

# MEMBERS:CHUNK_SECTORS, a cover of both; of the pairs after the bar only one member is missing in its turn.
pairs="3:2048 4:1024 5:512 6:256 7:8 8:128 | 3:64 4:16 3:32"
if [ -n "${CASCADE_LONG:-}" ]; then
	pairs=
	for chunk in 8 16 32 64 128 256 512 1024 2048; do
		for n in 3 4 5 6 7 8; do pairs+=" $n:$chunk"; done
	done
fi

ramdisks 9 26
meta=${DISKS[8]}

# At least a row a member, and 512 KiB.
shape() {
	n=$1 chunk=$2
	rows=$((1024 / chunk > n ? 1024 / chunk : n))
	length=$((rows * (n - 1) * chunk))
	devs=${DISKS[*]:0:n}
	what="raid5, $n members, chunk $chunk, SEED=$SEED"
}

# zero_ranges: writes zeroes of random place and length, and does the same to the image $1.
zero_ranges() {
	local i from nr

	for ((i = 0; i < 3; i++)); do
		random_below "$length"; from=$random
		random_below "$(((length - from) / (i + 1) + 1))"; nr=$((random ? random : 1))
		must blkdiscard -z -o $((from * 512)) -l $((nr * 512)) /dev/mapper/array
		must dd if=/dev/zero of="$1" bs=512 seek="$from" count="$nr" conv=notrunc status=none
	done
}

# write_stock FILE: writes all of it through the stock target in pieces of an odd size.
write_stock() {
	random_below 200
	must dd if="$1" of=/dev/mapper/stock bs=$(((random + 1) * 512)) oflag=direct status=none
}

healthy() {
	local line m

	array_up array "$(array_line raid5 "$chunk" "$length" "$devs" create name data force)"
	fio_verify /dev/mapper/array
	image /dev/mapper/array "$SCRATCH/got"
	zero_ranges "$SCRATCH/got"
	same "$what: after writing zeroes" "$SCRATCH/got" /dev/mapper/array
	wait_sync array idle
	expect "$what: health" "$(printf 'A%.0s' $(seq "$n"))" "$(status_word array 3)"
	line=$(dmsetup table array)
	array_down array

	stock_up raid5 "$chunk" "$length"
	same "$what: read by the stock target" "$SCRATCH/got" /dev/mapper/stock
	stock_check
	expect "$what: mismatches counted by the stock target" 0 "$mismatches"
	write_stock "$SCRATCH/random"
	array_down stock

	array_up array "$line"
	same "$what: written by the stock target" "$SCRATCH/random" /dev/mapper/array "$((length * 512))"
	array_down array
	for ((m = 0; m < n; m++)); do
		array_up array "$(array_line raid5 "$chunk" "$length" "$(without $m "$devs")" read_only)" --readonly
		same "$what: written by the stock target, read without member $m" "$SCRATCH/random" /dev/mapper/array \
			"$((length * 512))"
		array_down array
	done
}

# without_member M [REVERSE]
without_member() {
	local m=$1 line health

	array_up array "$(array_line raid5 "$chunk" "$length" "$(without "$m" "$devs")" create force assume_clean)"
	health=$(printf 'A%.0s' $(seq "$n"))
	expect "$what: health" "${health:0:m}-${health:m+1}" "$(status_word array 3)"
	fio_verify /dev/mapper/array
	image /dev/mapper/array "$SCRATCH/got"
	line=$(dmsetup table array)
	array_down array
	stock_up raid5 "$chunk" "$length" "$m"
	same "$what: written without member $m, read by the stock target" "$SCRATCH/got" /dev/mapper/stock
	if [ -n "${2:-}" ]; then
		write_stock "$SCRATCH/random"
		array_down stock
		array_up array "$line"
		same "$what: written without member $m by the stock target" "$SCRATCH/random" /dev/mapper/array \
			"$((length * 512))"
		array_down array
	else
		array_down stock
	fi
}

each=1
for pair in $pairs; do
	if [ "$pair" = "|" ]; then
		each=
		continue
	fi
	shape "${pair%:*}" "${pair#*:}"
	# shellcheck disable=SC2086
	stock_windows $((rows * chunk)) "$meta" $devs
	fill "$SCRATCH/random" $((length / 2048 + 1))
	truncate -s $((length * 512)) "$SCRATCH/random"
	say "$what, length $length"
	healthy
	random_below "$n"
	chosen=$random
	for ((m = 0; m < n; m++)); do
		if [ $m -eq "$chosen" ]; then
			without_member $m reverse
		elif [ -n "$each" ]; then
			without_member $m
		fi
	done
	stock_windows_down
done

# The same with so little memory that rows have to wait for it.
unload_cascade
load_cascade row_memory_mib=1
shape 8 128
# shellcheck disable=SC2086
stock_windows $((rows * chunk)) "$meta" $devs
fill "$SCRATCH/random" $((length / 2048 + 1))
truncate -s $((length * 512)) "$SCRATCH/random"
what+=", little memory"
healthy
without_member 3
stock_windows_down
