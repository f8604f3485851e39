#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Writes into rows with a block that cannot be read: the write that finds it makes it anew, and a write that cannot be
# carried out takes none with it that came at the same time.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

chunk=128 data=$((3 * 2048))
ramdisks 4 24
for ((i = 0; i < 4; i++)); do member m$i "${DISKS[i]}"; done

# up N: an array of N members m0... whose rows are synced, and its content in $SCRATCH/data.
up() {
	n=$1 length=$((data * ($1 - 1)))
	devs=$(printf '/dev/mapper/m%d ' $(seq 0 $((n - 1))))
	what="raid5, $n members, SEED=$SEED"
	fill "$SCRATCH/data" $((length / 2048))
	array_up array "$(array_line raid5 $chunk $length "$devs" create force)"
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct status=none
	wait_sync array idle
}

down() {
	local i

	array_down array
	for ((i = 0; i < n; i++)); do heal_blocks m$i; done
}

# Rows that a resume has forgotten: what is in memory is not read.
forget() {
	must dmsetup suspend array
	must dmsetup resume array
}

# ledger_write BLOCK: writes a block of other content to the array and to the ledger.
ledger_write() {
	fill "$SCRATCH/block" 1
	truncate -s 4096 "$SCRATCH/block"
	must dd if="$SCRATCH/block" of="$SCRATCH/data" bs=4096 seek="$1" count=1 conv=notrunc status=none
	must dd if="$SCRATCH/block" of=/dev/mapper/array bs=4096 seek="$1" count=1 oflag=direct status=none
}

# The block is mended, so the write outlives the member that it went to.
mended_by_a_write() {
	local image=$SCRATCH/got block=5

	up 3
	bad_blocks m1 $((DATA_START / 8 + block))
	forget
	ledger_write $block
	expect "$what: bad blocks after a write beside one" 0 "$(count_bad_blocks m1)"
	expect "$what: read errors fixed" 1 "$(status_value array read_errors_fixed)"
	forget
	must dmsetup message array 0 fail 0
	image /dev/mapper/array "$image"
	same "$what: without the member that was written" "$SCRATCH/data" "$image"
	down
}

in_flight() {
	local nr

	read -r -a nr <"$(sysfs_of /dev/mapper/array)/inflight"
	[ "${nr[1]}" -eq "$1" ]
}

# Of two writes to one column, of which one cannot be carried out, the other one is.
each_for_itself() {
	local image=$SCRATCH/got block=5 other

	up 4
	must dmsetup message array 0 fail 2
	bad_blocks m1 $((DATA_START / 8 + block))
	forget
	fill "$SCRATCH/block" 1
	truncate -s 4096 "$SCRATCH/block"
	# The row is busy with block 0 of member 0 until both are there.
	must dmsetup suspend --noflush --nolockfs m0
	dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 count=1 oflag=direct status=none &
	wait_for 20 in_flight 1
	dd if="$SCRATCH/block" of=/dev/mapper/array bs=4096 seek=$block count=1 oflag=direct status=none &
	other=$!
	wait_for 20 in_flight 2
	dd if="$SCRATCH/block" of=/dev/mapper/array bs=512 seek=$((chunk + block * 8)) count=1 oflag=direct status=none \
		2>"$SCRATCH/errors" &
	wait_for 20 in_flight 3
	must dmsetup resume m0
	wait $! && fail "$what: a write to a lost block was acknowledged"
	wait $other || fail "$what: a write was refused because of another one"
	wait
	must dd if=/dev/mapper/array of="$image" bs=4096 skip=$block count=1 iflag=direct status=none
	same "$what: the write that could be carried out" "$SCRATCH/block" "$image"
	expect "$what: health" AADA "$(status_word array 3)"
	down
}

mended_by_a_write
each_for_itself
