#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Flushes and FUA writes reach all members that they have to reach, and what they promise outlives a power cut: the
# members are disks with a write cache that loses what was not flushed.
# allow-dmesg: Buffer I/O error
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((2 * 2048)) size=$((24 * 2048))
length=$((data * (n - 1)))
half=$((length * 256))
what="raid5, $n members, chunk $chunk, SEED=$SEED"
names=() members='' disks=()

for ((i = 0; i < n; i++)); do
	disks+=("$(nulldisk cut$i 24 cache_size=32 discard=1)")
	member m$i "${disks[i]}"
	names+=("m$i")
	members+=" /dev/mapper/m$i"
done

# begin: a new array on disks that were never written. Of these, a power cut takes back all that was not flushed; a
# block that is overwritten goes through null_blk's cache.
begin() {
	local i

	for ((i = 0; i < n; i++)); do must blkdiscard "/dev/mapper/m$i"; done
	array_up array "$(array_line raid5 $chunk $length "$members" create name data assume_clean)"
	uuid=$(uuid_of array)
	line=$(array_line raid5 $chunk $length "$members" uuid "$uuid")
}

# cut_power [COMMAND]: all members lose what their caches hold. The array, which is removed, sees no more than that all of them
# are gone; nothing reaches them once the first cache is lost.
cut_power() {
	local i table

	must dmsetup suspend --noflush --nolockfs "${names[@]}"
	for ((i = 0; i < n; i++)); do
		echo 0 >/sys/kernel/config/nullb/cut$i/power
		must dmsetup load m$i --table "0 $size error"
	done
	must dmsetup resume "${names[@]}"
	"${@:-:}"
	within 20 array_down array
	for ((i = 0; i < n; i++)); do
		echo 1 >/sys/kernel/config/nullb/cut$i/power
		wait_for 10 test -b "${disks[i]}"
		heal_member m$i
	done
}

flushes() {
	local i

	for ((i = 0; i < n; i++)); do
		awk '{ printf "%s ", $16 }' "/sys/block/${disks[i]#/dev/}/stat"
	done
}

# more_flushes WHAT BEFORE SLOT...: these members must have been flushed since, others not.
more_flushes() {
	local i now before what2=$1

	read -r -a before <<<"$2"
	read -r -a now <<<"$(flushes)"
	shift 2
	for ((i = 0; i < n; i++)); do
		if [[ " $* " == *" $i "* ]]; then
			[ "${now[i]}" -gt "${before[i]}" ] || fail "$what: $what2: member $i was not flushed: ${before[*]}, ${now[*]}"
		else
			expect "$what: $what2: flushes of member $i, which is out" "${before[i]}" "${now[i]}"
		fi
	done
}

# put FILE BLOCK [COUNT [FLAG]]: writes blocks of the file to the array, where they belong.
put() {
	must dd if="$1" of=/dev/mapper/array bs=4096 skip="$2" seek="$2" count="${3:-1}" oflag="direct${4:+,$4}" status=none
}

# --- what is passed on

passed_on() {
	local before dir=/sys/kernel/tracing fua

	begin
	queue=$(sysfs_of /dev/mapper/array)/queue
	expect "write cache of the array" "write back" "$(cat "$queue/write_cache")"
	expect "FUA of the array" 1 "$(cat "$queue/fua")"
	before=$(flushes)
	must sync /dev/mapper/array
	more_flushes "a flush" "$before" 0 1 2 3

	if [ -e $dir/events/block/block_bio_queue/enable ]; then
		echo >$dir/trace
		echo 1 >$dir/events/block/block_bio_queue/enable
		# Block 0 is on member 0, its parity on 3.
		put "$SCRATCH/data" 0 1 dsync
		echo 0 >$dir/events/block/block_bio_queue/enable
		for i in 0 3; do
			fua=$(grep -c "block_bio_queue: $(stat -c '%Hr,%Lr' /dev/mapper/m$i) WF" $dir/trace || true)
			expect "$what: FUA writes that reached member $i" 1 "$fua"
		done
	fi
}

# --- what a power cut leaves

healthy() {
	put "$SCRATCH/data" 0 $((half / 4096))
	must sync /dev/mapper/array
	# More, without a flush, which is lost: that shows that the power is cut in earnest.
	put "$SCRATCH/data" $((half / 4096)) $((half / 4096))
	cut_power
	log_mark
	array_up array "$line"
	expect "$what: health after a power cut" AAAA "$(status_word array 3)"
	expect "$what: dirty after a power cut" 1 "$(kernel_lines 'not stopped in order')"
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: flushed, then a power cut" "$SCRATCH/data" "$SCRATCH/got" $half
	! cmp -s "$SCRATCH/data" "$SCRATCH/got" || fail "the power cut lost nothing"
	wait_sync array idle
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: flushed, then a power cut and a resync" "$SCRATCH/data" "$SCRATCH/got" $half
	array_down array
}

# expect_blocks WHAT BLOCK...: these blocks of the array must hold what is in data.
expect_blocks() {
	local b what2=$1

	shift
	for b; do
		must dd if=/dev/mapper/array of="$SCRATCH/block" bs=4096 skip="$b" count=1 iflag=direct status=none
		must dd if="$SCRATCH/data" of="$SCRATCH/expected" bs=4096 skip="$b" count=1 status=none
		same "$what: $what2, block $b, health $(status_word array 3)" "$SCRATCH/expected" "$SCRATCH/block"
	done
}

# fua_write BLOCK: writes it with FUA. The writer goes on to flush: that is kept back by a delay above the array.
fua_write() {
	local block=$1 stat before

	array_up top "0 $length delay /dev/mapper/array 0 0 /dev/mapper/array 0 0 /dev/mapper/array 0 3600000"
	stat=$(sysfs_of /dev/mapper/top)/stat
	before=$(awk '{ print $5 }' "$stat")
	dd if="$SCRATCH/data" of=/dev/mapper/top bs=4096 skip="$block" seek="$block" count=1 oflag=direct,dsync \
		status=none 2>/dev/null &
	writer=$!
	wait_for 10 written "$stat" "$before"
}

written() {
	[ "$(awk '{ print $5 }' "$1")" -gt "$2" ]
}

fua_writer_down() {
	must dmsetup suspend --noflush --nolockfs top
	must dmsetup resume top
	wait $writer || true
	array_down top
}

fua_healthy() {
	begin
	fua_write 5
	put "$SCRATCH/data" 6
	cut_power fua_writer_down
	array_up array "$line"
	expect_blocks "FUA, then a power cut" 5
	wait_sync array idle
	expect_blocks "FUA, then a power cut and a resync" 5
	array_down array
}

# A flush must not end before the absence of a member that just failed is on the other members: here writing that
# takes seconds. Else the failed member, which was not flushed, is taken for current after the power cut.
flush_waits_for_record() {
	local i slow=''

	begin
	array_down array
	for ((i = 0; i < n; i++)); do
		array_up slow$i "0 2048 linear /dev/mapper/m$i 0
2048 8 delay /dev/mapper/m$i 2048 0 /dev/mapper/m$i 2048 2000 /dev/mapper/m$i 2048 0
2056 28664 linear /dev/mapper/m$i 2056
30720 8 delay /dev/mapper/m$i 30720 0 /dev/mapper/m$i 30720 2000 /dev/mapper/m$i 30720 0
30728 $((size - 30728)) linear /dev/mapper/m$i 30728"
		slow+=" /dev/mapper/slow$i"
	done
	array_up array "$(array_line raid5 $chunk $length "$slow" uuid "$uuid")"
	must sync /dev/mapper/array
	# Block 3 is on member 0.
	put "$SCRATCH/data" 3
	must dmsetup message array 0 fail 0
	must sync /dev/mapper/array
	cut_power
	for ((i = 0; i < n; i++)); do array_down slow$i; done
	array_up array "$(array_line raid5 $chunk $length "$members" uuid "$uuid" force)"
	expect_blocks "flushed after its member had failed, then a power cut" 3
	array_down array
}

# Member 0 is out, so its block lives on in the sum of the others: a FUA write of it needs them flushed, since they
# hold what was written without.
fua_degraded() {
	local before

	begin
	must dmsetup message array 0 fail 0
	must sync /dev/mapper/array
	before=$(flushes)
	must sync /dev/mapper/array
	more_flushes "a flush without member 0" "$before" 1 2 3
	# The first chunks of row 0 are on 0, 1, 2: write on 1 and 2, then with FUA on 0.
	put "$SCRATCH/data" $((chunk / 8 + 7))
	put "$SCRATCH/data" $((2 * chunk / 8 + 7))
	before=$(flushes)
	fua_write 7
	more_flushes "a FUA write without member 0" "$before" 1 2 3
	cut_power fua_writer_down
	array_refused array "$line"
	array_up array "$(array_line raid5 $chunk $length "$members" uuid "$uuid" force)"
	expect "$what: health" DAAA "$(status_word array 3)"
	expect_blocks "FUA without member 0, then a power cut" 7 $((chunk / 8 + 7)) $((2 * chunk / 8 + 7))
	array_down array
}

# A member that fails a flush has lost writes: it is out, and the others hold what the flush was asked for.
flush_fails() {
	array_up array "$(array_line raid5 $chunk $length "$members" create force name data)"
	put "$SCRATCH/data" 0 $((length / 8))
	wait_sync array idle
	modprobe -q dm-flakey || true
	dm_swap m2 "0 $((size - 8)) linear ${disks[2]} 0
$((size - 8)) 8 flakey ${disks[2]} $((size - 8)) 0 3600 1 error_writes"
	log_mark
	must sync /dev/mapper/array
	expect "$what: health after a failed flush" AADA "$(status_word array 3)"
	expect "$what: lines logged" 1 "$(kernel_lines 'member 2 .*flush error: failed, the array goes on without it')"
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: after a failed flush" "$SCRATCH/data" "$SCRATCH/got"
	array_down array
	heal_member m2
}

# broken_now DEVICE BLOCK: whether a write fails there.
broken_now() {
	! dd if=/dev/zero of="$1" bs=4096 seek="$2" count=1 oflag=direct status=none 2>/dev/null
}

works_now() {
	! broken_now "$@"
}

# A flush that fails once and would do well the second time has lost writes all the same. The superblocks are asked for,
# so it is their flush. Writes to the first of these last blocks fail in every other stretch of 4 s, and a flush takes 4 s.
flush_fails_once() {
	array_up array "$(array_line raid5 $chunk $length "$members" create force name data assume_clean)"
	dm_swap m2 "0 $((size - 16)) linear ${disks[2]} 0
$((size - 16)) 8 flakey ${disks[2]} $((size - 16)) 4 4 1 error_writes
$((size - 8)) 8 delay ${disks[2]} $((size - 8)) 0 ${disks[2]} $((size - 8)) 0 ${disks[2]} $((size - 8)) 4000"
	wait_for 10 broken_now /dev/mapper/m2 $((size / 8 - 2))
	must dmsetup message array 0 frozen
	wait_health array AADA 20
	array_down array
	heal_member m2
}

# So has a FUA write that fails on a device without FUA, which is sent a flush for it.
fua_write_fails_once() {
	local block=$((2 * chunk / 8)) disk

	disk=$(loopdisk no-fua $size)
	dm_swap m2 "0 $size linear $disk 0"
	array_up array "$(array_line raid5 $chunk $length "$members" create force name data assume_clean)"
	dm_create once "0 $size flakey $disk 0 4 4 1 error_writes"
	dm_swap m2 "0 $size delay /dev/mapper/once 0 0 /dev/mapper/once 0 4000 /dev/mapper/once 0 0"
	wait_for 10 broken_now /dev/mapper/once $((size / 8 - 1))
	wait_for 10 works_now /dev/mapper/once $((size / 8 - 1))
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=4096 skip=$block seek=$block count=1 oflag=direct,dsync status=none
	expect "$what: health after a FUA write that failed once" AADA "$(status_word array 3)"
	array_down array
	heal_member m2
	dm_remove once
}

raid0() {
	local before line i

	for ((i = 0; i < n; i++)); do must blkdiscard "/dev/mapper/m$i"; done
	line=$(array_line raid0 $chunk $((data * n)) "$members")
	array_up array "$(array_line raid0 $chunk $((data * n)) "$members" create force)"
	fill "$SCRATCH/raid0" $((data * n / 2048))
	must dd if="$SCRATCH/raid0" of=/dev/mapper/array bs=1M oflag=direct status=none
	before=$(flushes)
	must sync /dev/mapper/array
	more_flushes "raid0, a flush" "$before" 0 1 2 3
	cut_power
	array_up array "$line"
	same "raid0, flushed, then a power cut, SEED=$SEED" "$SCRATCH/raid0" /dev/mapper/array
	array_down array
}

must modprobe dm-delay
fill "$SCRATCH/data" $((length / 2048))
passed_on
healthy
fua_healthy
fua_degraded
flush_fails
flush_fails_once
fua_write_fails_once
raid0
flush_waits_for_record
