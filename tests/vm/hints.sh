#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The hints that filesystems go by: io_min is the chunk, io_opt a full row of data, the logical block size that of
# create for life. RAID-0 passes discards and zeroes on, each member sees its own ranges and nothing beside them;
# RAID-5 takes zeroes, which leaves right parity, and offers no discards, which would not. Odd ranges throughout.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

# limit DEVICE NAME: a limit of its queue.
limit() {
	cat "/sys/dev/block/$(mountpoint -x "$1")/queue/$2"
}

# expect_hints WHAT CHUNK DATA_MEMBERS BLOCK_BYTES
expect_hints() {
	expect "$1: io_min, io_opt, logical block size" "$(($2 * 512)) $(($2 * 512 * $3)) $4" \
		"$(limit /dev/mapper/array minimum_io_size) $(limit /dev/mapper/array optimal_io_size) $(
			limit /dev/mapper/array logical_block_size)"
}

say "--- io_min and io_opt"
ramdisks 8 50
# LEVEL:MEMBERS:CHUNK_SECTORS
for shape in raid0:1:8 raid0:8:128 raid0:3:32768 raid5:3:8 raid5:5:128 raid5:3:32768 raid5:8:1024; do
	IFS=: read -r level n chunk <<<"$shape"
	nr_data=$([ "$level" = raid0 ] && echo "$n" || echo $((n - 1)))
	devs=${DISKS[*]:0:n}
	array_up array "$(array_line "$level" "$chunk" $((nr_data * chunk)) "$devs" create force assume_clean)"
	expect_hints "$level of $n, chunk $chunk" "$chunk" "$nr_data" 512
	line=$(dmsetup table array)
	[ "$shape" != raid5:5:128 ] || {
		must dmsetup message array 0 fail 0
		array_down array
		array_up array "$line"
		expect_hints "$level of $n, chunk $chunk, degraded" "$chunk" "$nr_data" 512
		array_down array
		array_up array "$(array_line "$level" "$chunk" $((nr_data * chunk)) "$(without 0 "$devs")")"
		expect_hints "$level of $n, chunk $chunk, a member missing" "$chunk" "$nr_data" 512
	}
	array_down array
done

say "--- logical block size"
four=$(nulldisk four 22 blocksize=4096)
chunk=64 length=$((2 * 32 * chunk))
array_up array "$(array_line raid5 $chunk $length "$four ${DISKS[1]} ${DISKS[2]}" create force)"
expect_hints "created with a member of 4096" $chunk 2 4096
must_fail dd if=/dev/zero of=/dev/mapper/array bs=512 count=1 oflag=direct status=none
must_fail dd if=/dev/mapper/array of=/dev/null bs=512 count=1 iflag=direct status=none
must fio_run /dev/mapper/array --rw=randwrite --bsrange=4k-128k --blockalign=4k --verify=crc32c --do_verify=1 \
	--verify_fatal=1 --verify_state_save=0
image /dev/mapper/array "$SCRATCH/image"
wait_sync array idle
array_down array
array_up array "$(array_line raid5 $chunk $length "- ${DISKS[1]} ${DISKS[2]}")"
expect_hints "the member of 4096 missing" $chunk 2 4096
same "the member of 4096 missing" "$SCRATCH/image" /dev/mapper/array
array_down array

# Loop devices: what is discarded or written with zeroes reads as zeroes, down to single sectors. On files of ext4,
# which takes both; a tmpfs takes no zeroes.
n=3 chunk=64 rows=61
data=$((rows * chunk))
sectors=$((DATA_START + data + SLACK))
loops=()
release() {
	local r=0

	[ ${#loops[@]} -eq 0 ] || losetup -d "${loops[@]}" || r=1
	! mountpoint -q /mnt/disks || umount /mnt/disks || r=1
	return $r
}
on_exit release
ramdisks 1 100
must mkfs.ext4 -q -F -b 4096 "${DISKS[0]}"
mkdir -p /mnt/disks
must mount "${DISKS[0]}" /mnt/disks
modprobe -q loop || true
for ((i = 0; i < n; i++)); do
	truncate -s $((sectors * 512)) /mnt/disks/$i
	loops+=("$(losetup --find --show /mnt/disks/$i)")
done
DISKS=("${loops[@]}")
devs=${DISKS[*]}
fill "$SCRATCH/random" $(((sectors + 2047) / 2048))
for dev in "${DISKS[@]}"; do
	[ "$(limit "$dev" discard_max_bytes)" -gt 0 ] || fail "$dev does not discard"
	[ "$(limit "$dev" write_zeroes_max_bytes)" -gt 0 ] || fail "$dev does not write zeroes"
done

# start LEVEL: /dev/mapper/array over members full of random bytes; images of them in m0 ..., of the array in image.
start() {
	local i

	for ((i = 0; i < n; i++)); do
		must dd if="$SCRATCH/random" of="${DISKS[i]}" bs=1M iflag=count_bytes,skip_bytes count=$((sectors * 512)) \
			skip=$((i * 512)) oflag=direct status=none
	done
	array_up array "$(array_line "$1" $chunk "$length" "$devs" create force)"
	must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M iflag=count_bytes count=$((length * 512)) oflag=direct status=none
	wait_sync array idle
	must dmsetup suspend array
	for ((i = 0; i < n; i++)); do image "${DISKS[i]}" "$SCRATCH/m$i"; done
	must dmsetup resume array
	image /dev/mapper/array "$SCRATCH/image"
}

# odd_range: sets from and nr, up to six rows.
odd_range() {
	random_below $((length - 1)); from=$random
	random_below $((6 * chunk * n)); nr=$((random + 1))
	[ $((from + nr)) -le "$length" ] || nr=$((length - from))
}

# zero FILE FROM COUNT
zero() {
	must dd if=/dev/zero of="$1" bs=512 seek="$2" count="$3" conv=notrunc status=none
}

# zero_members FROM COUNT: what this range of the array is on the members of a RAID-0, in their images.
zero_members() {
	local at=$1 end=$(($1 + $2)) row within piece

	while [ "$at" -lt $end ]; do
		row=$((at / chunk / n)) within=$((at % chunk))
		piece=$((chunk - within < end - at ? chunk - within : end - at))
		zero "$SCRATCH/m$((at / chunk % n))" $((DATA_START + row * chunk + within)) $piece
		at=$((at + piece))
	done
}

# clear HOW FROM COUNT: in one of the ways there are for block devices.
clear() {
	local range=(-o $(($2 * 512)) -l $(($3 * 512)))

	case $1 in
	discard) must blkdiscard "${range[@]}" /dev/mapper/array ;;
	zeroout) must blkdiscard -z "${range[@]}" /dev/mapper/array ;;
	zero-range) must fallocate -n -z "${range[@]}" /dev/mapper/array ;;
	punch-hole) must fallocate -n -p "${range[@]}" /dev/mapper/array ;;
	esac
}

say "--- raid0: discards and zeroes, SEED=$SEED"
length=$((n * data))
start raid0
[ "$(limit /dev/mapper/array discard_max_bytes)" -gt 0 ] || fail "raid0 on devices that discard: it offers no discards"
[ "$(limit /dev/mapper/array write_zeroes_max_bytes)" -gt 0 ] || fail "raid0 on devices that write zeroes: it does not"
# WHAT=FROM,COUNT: a sector, a chunk, across a chunk's end, across a row's end, the ends of the array; then by chance.
ranges="1,1 0,1 $chunk,$chunk $((chunk - 1)),2 $((n * chunk - 3)),7 $((length - 1)),1 $((5 * chunk + 1)),$((n * chunk))"
for _ in 1 2 3 4 5; do
	odd_range
	ranges+=" $from,$nr"
done
hows=(discard zeroout zero-range punch-hole)
i=0
for range in $ranges; do
	how=${hows[i++ % 4]}
	clear "$how" "${range%,*}" "${range#*,}"
	zero "$SCRATCH/image" "${range%,*}" "${range#*,}"
	zero_members "${range%,*}" "${range#*,}"
done
same "raid0 after discards and zeroes of $ranges" "$SCRATCH/image" /dev/mapper/array
array_down array
for ((m = 0; m < n; m++)); do
	# From the data area to the device's end: the superblocks before it are not the same after a stop.
	must cmp -i $((DATA_START * 512)) "$SCRATCH/m$m" "${DISKS[m]}"
done

say "--- raid0: all of it"
array_up array "$(array_line raid0 $chunk $length "$devs")"
for how in discard zeroout; do
	must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M iflag=count_bytes count=$((length * 512)) oflag=direct status=none
	clear $how 0 $length
	must cmp -n $((length * 512)) /dev/zero /dev/mapper/array
done
array_down array
for ((m = 0; m < n; m++)); do
	zero "$SCRATCH/m$m" $DATA_START $data
	must cmp -i $((DATA_START * 512)) "$SCRATCH/m$m" "${DISKS[m]}"
done

say "--- raid0: a member that does not discard"
null=$(nulldisk plain $((sectors / 2048 + 1)))
expect "discard_max_bytes of the null_blk device" 0 "$(limit "$null" discard_max_bytes)"
array_up array "$(array_line raid0 $chunk $length "${DISKS[0]} $null ${DISKS[2]}" create force)"
expect "discard_max_bytes of the array" 0 "$(limit /dev/mapper/array discard_max_bytes)"
must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M iflag=count_bytes count=$((length * 512)) oflag=direct status=none
clear zeroout 3 $((length - 7))
image /dev/mapper/array "$SCRATCH/got"
truncate -s 0 "$SCRATCH/image"
must dd if="$SCRATCH/random" of="$SCRATCH/image" bs=1M iflag=count_bytes count=$((length * 512)) status=none
zero "$SCRATCH/image" 3 $((length - 7))
same "zeroes written where a member does not take them" "$SCRATCH/image" "$SCRATCH/got"
array_down array

# parity_is_right WHAT: each member missing in turn.
parity_is_right() {
	local m

	for ((m = 0; m < n; m++)); do
		array_up array "$(array_line raid5 $chunk $length "$(without $m "$devs")" read_only)" --readonly
		same "$1, read without member $m" "$SCRATCH/image" /dev/mapper/array
		array_down array
	done
}

say "--- raid5: zeroes, SEED=$SEED"
length=$(((n - 1) * data))
start raid5
expect "discard_max_bytes of the RAID-5 array" 0 "$(limit /dev/mapper/array discard_max_bytes)"
[ "$(limit /dev/mapper/array write_zeroes_max_bytes)" -gt 0 ] || fail "raid5 on devices that write zeroes: it does not"
must_fail blkdiscard /dev/mapper/array
ranges="1,1 0,1 $chunk,$chunk $((chunk - 1)),2 $(((n - 1) * chunk - 3)),7 $((length - 1)),1 $((5 * chunk + 1)),$((2 * chunk)) 1,$((9 * chunk))"
for _ in 1 2 3 4 5; do
	odd_range
	ranges+=" $from,$nr"
done
hows=(zeroout zero-range punch-hole)
for range in $ranges; do
	how=${hows[i++ % 3]}
	clear "$how" "${range%,*}" "${range#*,}"
	zero "$SCRATCH/image" "${range%,*}" "${range#*,}"
done
same "raid5 after zeroes over $ranges" "$SCRATCH/image" /dev/mapper/array
line=$(dmsetup table array)
array_down array
for ((m = 0; m < n; m++)); do
	must cmp -i $(((DATA_START + data) * 512)) "$SCRATCH/m$m" "${DISKS[m]}"
done
parity_is_right "raid5 after zeroes over $ranges"
# shellcheck disable=SC2086
stock_windows $data - $devs
stock_up raid5 $chunk $length
same "raid5 after zeroes over $ranges, read by the stock target" "$SCRATCH/image" /dev/mapper/stock
array_down stock
stock_windows_down

say "--- raid5: all of it, then degraded"
array_up array "$line"
clear zeroout 0 $length
must cmp -n $((length * 512)) /dev/zero /dev/mapper/array
zero "$SCRATCH/image" 0 $length
array_down array
parity_is_right "raid5 after zeroes over all of it"
array_up array "$line"
must dd if="$SCRATCH/random" of=/dev/mapper/array bs=1M iflag=count_bytes count=$((length * 512)) oflag=direct status=none
image /dev/mapper/array "$SCRATCH/image"
must dmsetup message array 0 fail 1
expect "discard_max_bytes of the degraded array" 0 "$(limit /dev/mapper/array discard_max_bytes)"
for range in $ranges; do
	how=${hows[i++ % 3]}
	clear "$how" "${range%,*}" "${range#*,}"
	zero "$SCRATCH/image" "${range%,*}" "${range#*,}"
done
same "degraded raid5 after zeroes over $ranges" "$SCRATCH/image" /dev/mapper/array
array_down array
array_up array "$(array_line raid5 $chunk $length "$(without 1 "$devs")")"
same "degraded raid5 after zeroes over $ranges, started again" "$SCRATCH/image" /dev/mapper/array
array_down array
