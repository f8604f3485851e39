#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What is written to a RAID-0 array lies on the members as the stock striped target lays it out, and what the
# stock target writes is read back: every number of members, every chunk. Zeroes and discards reach their range
# and nothing else. CASCADE_LONG=1 tries all pairs.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

# MEMBERS:CHUNK_SECTORS, a cover of both.
pairs="1:8 2:2048 3:1024 4:512 5:256 6:16 7:128 8:64 2:32"
if [ -n "${CASCADE_LONG:-}" ]; then
	pairs=
	for chunk in 8 16 32 64 128 256 512 1024 2048; do
		for n in 1 2 3 4 5 6 7 8; do pairs+=" $n:$chunk"; done
	done
fi

# Loop devices: these discard, and what was discarded reads as zeroes.
loopdisks 8 $((22 * 2048))

shape() {
	n=$1 chunk=$2
	rows=$((1024 / chunk > 3 ? 1024 / chunk : 3))
	length=$((rows * n * chunk))
	devs=${DISKS[*]:0:n}
	what="raid0, $n members, chunk $chunk, SEED=$SEED"
}

# clear_ranges zeroes|discard UNIT IMAGE: of random place and length in units of UNIT sectors.
clear_ranges() {
	local i from nr how=()

	[ "$1" = discard ] || how=(-z)
	for ((i = 0; i < 3; i++)); do
		random_below "$((length / $2))"; from=$((random * $2))
		random_below "$(((length - from) / $2 / (i + 1) + 1))"; nr=$((random ? random * $2 : $2))
		must blkdiscard "${how[@]}" -o $((from * 512)) -l $((nr * 512)) /dev/mapper/array
		must dd if=/dev/zero of="$3" bs=512 seek="$from" count="$nr" conv=notrunc status=none
	done
	same "$what: after $1" "$3" /dev/mapper/array
}

for pair in $pairs; do
	shape "${pair%:*}" "${pair#*:}"
	say "$what, length $length"
	# shellcheck disable=SC2086
	stock_windows $((rows * chunk)) - $devs
	fill "$SCRATCH/random" $((length / 2048 + 1))
	truncate -s $((length * 512)) "$SCRATCH/random"

	array_up array "$(array_line raid0 "$chunk" "$length" "$devs" create name data force)"
	expect "$what: health" "$(printf 'A%.0s' $(seq "$n"))" "$(status_word array 3)"
	fio_verify /dev/mapper/array
	image /dev/mapper/array "$SCRATCH/got"
	clear_ranges zeroes 1 "$SCRATCH/got"
	clear_ranges discard 8 "$SCRATCH/got"
	line=$(dmsetup table array)
	array_down array

	stock_up raid0 "$chunk" "$length"
	same "$what: read by the stock target" "$SCRATCH/got" /dev/mapper/stock
	random_below 200
	must dd if="$SCRATCH/random" of=/dev/mapper/stock bs=$(((random + 1) * 512)) oflag=direct status=none
	array_down stock

	array_up array "$line"
	same "$what: written by the stock target" "$SCRATCH/random" /dev/mapper/array
	array_down array
	stock_windows_down
done

# Without a member there is nothing to start.
shape 3 128
array_up array "$(array_line raid0 "$chunk" "$length" "$devs" create force)"
array_down array
array_refused array "$(array_line raid0 "$chunk" "$length" "$(without 1 "$devs")")"
