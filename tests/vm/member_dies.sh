#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Members die, one, two, and all at once, under load: the users of the array see nothing of the first, errors in
# bounded time after the second; nothing hangs. After all died together the array starts with all of them.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((3 * 2048))
size=$((24 * 2048))
members="/dev/mapper/m0 /dev/mapper/m1 /dev/mapper/m2 /dev/mapper/m3"
what="raid5, $n members, chunk $chunk, SEED=$SEED"
# shellcheck source=tests/vm/lib/deaths.sh
. "$CASCADE_TESTS/lib/deaths.sh"

# same_piece WHAT FILE SECTOR SECTORS: the file must hold what the array holds there.
same_piece() {
	must dd if="$SCRATCH/data" of="$SCRATCH/piece" bs=512 skip="$3" count="$4" status=none
	same "$what: $1" "$SCRATCH/piece" "$2"
}

# forget: the array keeps no rows in memory.
forget() {
	must dmsetup suspend array
	must dmsetup resume array
}

# live_chunks WHEN: what dead members hold is lost, unless it happens to be in memory; the rest is read.
live_chunks() {
	local c

	for ((c = half / 512 / chunk; c < half / 512 / chunk + 12; c++)); do
		slot_of $c $n
		if dd if=/dev/mapper/array of="$SCRATCH/chunk" bs=$((chunk * 512)) skip=$c count=1 iflag=direct status=none; then
			same_piece "chunk $c $1" "$SCRATCH/chunk" $((c * chunk)) $chunk
		elif [ "$slot" != 1 ] && [ "$slot" != 2 ]; then
			fail "$what: chunk $c on member $slot cannot be read $1"
		fi
	done
}

one_by_one() {
	local events

	begin
	load_start /dev/mapper/array --size=$half
	more_writes 300
	events=$(event_number array)
	break_member m1
	must timeout 30 dmsetup wait array "$events"
	expect "$what: health after one death" ADAA "$(status_word array 3)"
	more_writes 300
	load_stop
	expect "$what: lines logged" 1 "$(failed_lines)"
	check_rest "after one death"
	fio_verify /dev/mapper/array --size=$half

	run_into_errors $half
	more_writes 100
	events=$(event_number array)
	break_member m2
	errors_came "$what"
	must timeout 10 dmsetup wait array "$events"
	expect "$what: health after two deaths" ADDA "$(status_word array 3)"
	live_chunks "after the deaths of 1 and 2"
	within 10 must_fail dd if=/dev/zero of=/dev/mapper/array bs=4096 count=1 oflag=direct
	within 10 try sync /dev/mapper/array
	within 10 must_fail dmsetup message array 0 fail 0
	within 20 must dmsetup suspend array
	within 20 must dmsetup resume array
	expect "$what: health after two deaths and a resume" ADDA "$(status_word array 3)"
	live_chunks "after the deaths of 1 and 2 and a resume"
	within 10 must_fail dd if=/dev/zero of=/dev/mapper/array bs=4096 count=1 oflag=direct
	within 20 array_down array

	# The second death is not recorded: that member counts, the first does not.
	heal_member m1
	heal_member m2
	forced_start "after two deaths and a new start" ADAA
}

# Nothing is written: reads alone find the dead.
only_read() {
	begin
	wait_sync array idle
	break_member m1
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: with a dead member" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: health after a death that reads found" ADAA "$(status_word array 3)"
	break_member m2
	must_fail dd if=/dev/mapper/array of=/dev/null bs=1M iflag=direct status=none
	expect "$what: health after two deaths that reads found" ADDA "$(status_word array 3)"
	within 20 array_down array
	heal_member m1
	heal_member m2
	forced_start "after two deaths that reads found" ADAA
}

all_at_once() {
	begin
	wait_sync array idle
	run_into_errors $half
	more_writes 300
	break_member base
	errors_came "$what"
	within 10 must_fail dd if=/dev/zero of=/dev/mapper/array bs=4096 count=1 oflag=direct
	within 10 try dd if=/dev/mapper/array of=/dev/null bs=4096 count=1 iflag=direct status=none
	within 10 try sync /dev/mapper/array
	within 20 array_down array
	array_refused array "$(start_line)"

	heal_member base
	log_mark
	array_up array "$(start_line)"
	expect "$what: health after all died" AAAA "$(status_word array 3)"
	expect "$what: lines logged of a dirty start" 1 "$(kernel_lines 'not stopped in order: all parity is made right')"
	check_rest "after all died"
	wait_sync array idle
	array_down array
	# shellcheck disable=SC2086
	stock_windows $data /dev/ram1 $members
	stock_up raid5 $chunk $length
	stock_check
	expect "$what: mismatches after all died" 0 "$mismatches"
	array_down stock
	stock_windows_down
}

# A range of a member takes neither reads nor writes: that costs the member.
range_dies() {
	begin
	wait_sync array idle
	break_member_range m2 $((DATA_START + data - 8)) 8
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: with a range that cannot be repaired" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: health with a range that cannot be repaired" AADA "$(status_word array 3)"
	expect "$what: lines logged" 1 "$(failed_lines)"
	array_down array
	heal_member m2
}

# bad MEMBER BLOCK...: blocks of its data area.
bad() {
	local name=$1 b list=()

	shift
	for b; do list+=($((DATA_START / 8 + b))); done
	bad_blocks "$name" "${list[@]}"
}

# block_on SLOT ROW BLOCK: sets $at to the array's 4 KiB block that is a block of a member's chunk; row has data there.
block_on() {
	local d

	for ((d = 0; d < n - 1; d++)); do
		slot_of $(($2 * (n - 1) + d)) $n
		[ "$slot" -ne "$1" ] || at=$((($2 * (n - 1) + d) * chunk / 8 + $3))
	done
}

one_bad_block_a_row() {
	local i row first nr_data=0 list=()

	# A row each, of all four kinds.
	for ((i = 0; i < 12; i++)); do
		row=$((i * 4 + i % 4))
		random_below $((chunk / 8))
		list+=($((row * chunk / 8 + random)))
		slot_of $((row * (n - 1))) $n
		[ "$parity" -eq 1 ] || nr_data=$((nr_data + 1))
		[ $i -gt 0 ] || first=$random
	done
	bad m1 "${list[@]}"
	forget
	block_on 1 0 "$first"
	must dd if=/dev/mapper/array of="$SCRATCH/block" bs=512 skip=$((at * 8 + 3)) count=1 iflag=direct
	same_piece "a sector of a bad block" "$SCRATCH/block" $((at * 8 + 3)) 1
	expect "$what: read errors fixed by reading a sector" 1 "$(status_value array read_errors_fixed)"
	expect "$what: bad blocks after that" 11 "$(count_bad_blocks m1)"
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: with bad blocks" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: read errors fixed" $nr_data "$(status_value array read_errors_fixed)"
	expect "$what: bad blocks, all of parity" $((12 - nr_data)) "$(count_bad_blocks m1)"
	must dmsetup message array 0 resync
	wait_sync array idle
	expect "$what: bad blocks after resync" 0 "$(count_bad_blocks m1)"
	expect "$what: health after bad blocks" AAAA "$(status_word array 3)"
	expect "$what: lines logged of failures" 0 "$(failed_lines)"
}

# Reads of single blocks of the whole array must fail at $1 blocks, these being $2..., and be right elsewhere.
read_all_blocks() {
	local nr=$1 b

	shift
	dd if=/dev/mapper/array of="$SCRATCH/got" bs=4096 iflag=direct conv=noerror,sync 2>"$SCRATCH/errors" || true
	expect "$what: errors of reads of single blocks" "$nr" "$(grep -c 'error reading' "$SCRATCH/errors" || true)"
	cp "$SCRATCH/data" "$SCRATCH/expected"
	for b; do
		must dd if=/dev/zero of="$SCRATCH/expected" bs=4096 seek="$b" count=1 conv=notrunc status=none
	done
	same "$what: reads of single blocks" "$SCRATCH/expected" "$SCRATCH/got"
}

# Two bad blocks in one column are lost, and nothing else is.
two_bad_blocks_a_row() {
	local at first second row block

	# Of a row with parity on 3.
	random_below $((data / chunk)); row=$((random / 4 * 4))
	random_below $((chunk / 8)); block=$random
	bad m0 $((row * chunk / 8 + block))
	bad m1 $((row * chunk / 8 + block))
	block_on 0 $row "$block"; first=$at
	block_on 1 $row "$block"; second=$at
	forget
	read_all_blocks 2 "$first" "$second"
	must_fail dd if=/dev/mapper/array of=/dev/null bs=512 skip=$((first * 8 + 5)) count=1 iflag=direct
	must_fail dd if=/dev/mapper/array of=/dev/null bs=$((chunk * 512)) skip=$((first * 8 / chunk)) count=1 iflag=direct
	expect "$what: health with lost blocks" AAAA "$(status_word array 3)"
	expect "$what: lines logged of failures" 0 "$(failed_lines)"
	# Writes of other blocks of these chunks go on.
	for at in $((first ^ 1)) $((second ^ 1)); do
		must dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 skip=$at seek=$at count=1 oflag=direct status=none
	done
	forget
	read_all_blocks 2 "$first" "$second"
	# The whole row, written, is whole again.
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=$((chunk * (n - 1) * 512)) skip=$row seek=$row count=1 \
		oflag=direct status=none
	forget
	read_all_blocks 0
	expect "$what: bad blocks after writing their row" "0 0" "$(count_bad_blocks m0) $(count_bad_blocks m1)"
}

# One of two lost blocks is written. That may be refused, since nothing tells that the other stays lost; it must not
# make the other one readable, whose bytes nobody knows. Both written by one request are whole again.
lost_block_rewritten() {
	local at first second

	bad m0 17
	bad m1 17
	block_on 0 1 1; first=$at
	block_on 1 1 1; second=$at
	forget
	if dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 skip="$first" seek="$first" count=1 oflag=direct \
		status=none 2>/dev/null; then
		forget
		read_all_blocks 1 "$second"
	else
		forget
		read_all_blocks 2 "$first" "$second"
	fi
	# Chunks that follow each other: from one block to the other.
	[ "$second" -eq $((first + chunk / 8)) ] || fail "blocks $first and $second are not in neighbouring chunks"
	must dd if="$SCRATCH/data" of=/dev/mapper/array iflag=skip_bytes,count_bytes oflag=seek_bytes,direct \
		bs=$(((second - first + 1) * 4096)) skip=$((first * 4096)) seek=$((first * 4096)) \
		count=$(((second - first + 1) * 4096)) status=none
	forget
	read_all_blocks 0
}

# A write in part of a bad block reads what is bad first.
partial_write() {
	local at

	bad m2 3
	block_on 2 0 3
	forget
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=512 skip=$((at * 8 + 6)) seek=$((at * 8 + 6)) count=1 \
		oflag=direct status=none
	expect "$what: bad blocks after writing a sector of one" 0 "$(count_bad_blocks m2)"
	read_all_blocks 0
}

# Read-only, bad blocks are answered and not repaired.
bad_blocks_read_only() {
	array_down array
	bad m1 5 100
	array_up array "$(start_line read_only)" --readonly
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: bad blocks, read-only" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: bad blocks, read-only" 2 "$(count_bad_blocks m1)"
	expect "$what: health, read-only" AAAA "$(status_word array 3)"
	array_down array
	array_up array "$(start_line)"
	wait_sync array idle
}

# A write that fails once is tried again; one that fails twice costs the member. Where there is dm-dust.
failing_repairs() {
	modprobe -q dm-dust || return 0
	heal_blocks m2
	dm_swap m2 "0 $size dust /dev/mapper/base $((2 * size)) 4096"
	must dmsetup message m2 0 quiet
	must dmsetup message m2 0 enable
	forget
	# It counts blocks of the device below.
	must dmsetup message m2 0 addbadblock $(((2 * size + DATA_START) / 8 + 3)) 1
	must dmsetup message m2 0 addbadblock $(((2 * size + DATA_START) / 8 + 40)) 1
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: repairs that fail once" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: health after repairs that fail once" AAAA "$(status_word array 3)"
	forget
	must dmsetup message m2 0 addbadblock $(((2 * size + DATA_START) / 8 + 3)) 2
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: a repair that fails twice" "$SCRATCH/data" "$SCRATCH/got"
	expect "$what: health after a repair that fails twice" AADA "$(status_word array 3)"
	expect "$what: lines logged" 1 "$(failed_lines)"
}

bad_blocks_everywhere() {
	local i

	begin
	wait_sync array idle
	one_bad_block_a_row
	bad_blocks_read_only
	two_bad_blocks_a_row
	lost_block_rewritten
	partial_write
	failing_repairs
	array_down array
	for ((i = 0; i < n; i++)); do
		heal_blocks m$i
		heal_member m$i
	done
}

# No write that missed a member is acknowledged unless its absence is on disk: here that cannot be written. Member 0
# fails one write; the others take a while to fail their superblocks, and member 3 even longer for its data.
record_fails() {
	local c pid

	begin
	wait_sync array idle
	must modprobe dm-delay
	dm_create nothing "0 $size error"
	for c in 1 2 3; do
		dm_swap m$c "0 2048 linear /dev/mapper/base $((c * size))
2048 8 delay /dev/mapper/nothing 0 1000
2056 28664 linear /dev/mapper/base $((c * size + 2056))
30720 8 delay /dev/mapper/nothing 0 1000
30728 2040 linear /dev/mapper/base $((c * size + 30728))
32768 $((size - 32768)) $([ $c -eq 3 ] && echo delay || echo linear) /dev/mapper/base $((c * size + 32768))$(
			[ $c -ne 3 ] || echo " 0 /dev/mapper/base $((c * size + 32768)) 6000")"
	done
	# Chunk 4 is on member 0, its parity on 2; chunk 12 is on member 0, its parity on 3.
	slot_of 4 $n
	expect "members of chunk 4" "0 2" "$slot $parity"
	slot_of 12 $n
	expect "members of chunk 12" "0 3" "$slot $parity"
	break_member_range m0 $((DATA_START + chunk)) $chunk
	dd if=/dev/zero of=/dev/mapper/array bs=$((chunk * 512)) seek=4 count=1 oflag=direct status=none 2>/dev/null &
	pid=$!
	wait_health array DAAA 10
	if dd if=/dev/zero of=/dev/mapper/array bs=4096 seek=$((12 * chunk / 8)) count=1 oflag=direct status=none; then
		acknowledged=1
	else
		acknowledged=
	fi
	wait $pid && fail "$what: a write was acknowledged that missed a member, and no record of that could be written"
	within 20 array_down array
	for c in 0 1 2 3; do
		heal_member m$c
	done
	array_up array "$(start_line force)"
	must dd if=/dev/mapper/array of="$SCRATCH/chunk" bs=4096 skip=$((12 * chunk / 8)) count=1 iflag=direct status=none
	[ -z "$acknowledged" ] ||
		same "$what: a write that was acknowledged after a member had failed, health $(status_word array 3)" \
			/dev/zero "$SCRATCH/chunk" 4096
	array_down array
	dm_remove nothing
}

ramdisks 2 $((n * 24))
member base /dev/ram0
for ((i = 0; i < n; i++)); do
	member m$i /dev/mapper/base $size $((i * size))
done
one_by_one
only_read
all_at_once
range_dies
bad_blocks_everywhere
record_fails

event_is() {
	[ "$(event_number array)" -eq "$1" ]
}

# RAID-0: what is on the dead member is gone, the rest is read and written.
array_up array "$(array_line raid0 $chunk $((data * n)) "$members" create force)"
fill "$SCRATCH/data" $((data * n / 2048))
must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct status=none
# A bad block is an error for whoever reads it, and no more; a member of which nothing can be read is dead.
break_member_range m1 32768 8
must_fail dd if=/dev/mapper/array of=/dev/null bs=$((chunk * 512)) skip=1 count=1 iflag=direct
expect "raid0: health with a bad block" "$(printf 'A%.0s' $(seq $n))" "$(status_word array 3)"
event=$(event_number array)
log_mark
break_member m1
must_fail dd if=/dev/mapper/array of=/dev/null bs=$((chunk * 512)) skip=1 count=1 iflag=direct
health=AD$(printf 'A%.0s' $(seq 3 $n))
expect "raid0: health with a dead member" "$health" "$(status_word array 3)"
expect "raid0: exit code of status" 4 "$(cascadesetup status array >/dev/null; echo $?)"
wait_for 10 event_is $((event + 1))
for ((c = 0; c < n; c++)); do
	if [ $c -eq 1 ]; then
		must_fail dd if=/dev/mapper/array of=/dev/null bs=$((chunk * 512)) skip=$c count=1 iflag=direct
		must_fail dd if=/dev/zero of=/dev/mapper/array bs=$((chunk * 512)) seek=$c count=1 oflag=direct
	else
		must dd if=/dev/mapper/array of=/dev/null bs=$((chunk * 512)) skip=$c count=1 iflag=direct
		must dd if="$SCRATCH/data" of=/dev/mapper/array bs=$((chunk * 512)) seek=$c skip=$c count=1 oflag=direct
	fi
done
within 10 try sync /dev/mapper/array
expect "raid0: log lines" 1 "$(kernel_lines 'cascade: .*: failed, what it holds is lost')"
expect "raid0: events" $((event + 1)) "$(event_number array)"
within 20 array_down array
heal_member m1
# A write that fails is enough.
array_up array "$(array_line raid0 $chunk $((data * n)) "$members")"
break_member_writes m1
must_fail dd if="$SCRATCH/data" of=/dev/mapper/array bs=$((chunk * 512)) seek=1 skip=1 count=1 oflag=direct
expect "raid0: health after a write error" "$health" "$(status_word array 3)"
within 20 must dmsetup suspend array
within 20 must dmsetup resume array
expect "raid0: health after a write error and a resume" "$health" "$(status_word array 3)"
must dd if="$SCRATCH/data" of=/dev/mapper/array bs=$((chunk * 512)) seek=2 skip=2 count=1 oflag=direct
array_down array
heal_member m1
array_up array "$(array_line raid0 $chunk $((data * n)) "$members")"
same "raid0 after a death, SEED=$SEED" "$SCRATCH/data" /dev/mapper/array
array_down array
