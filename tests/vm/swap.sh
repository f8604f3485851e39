#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Swap on an array: more is written to memory than there is, and comes back as it was; on the array itself and in a
# file of an ext4 on it, while a member fails and without it. Memory is short all the time: what the
# array needs it has set aside.
# mem: 256M
# disk: 176M:swap0
# disk: 176M:swap1
# disk: 176M:swap2
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

load_cascade
# Programs and libraries stay: to read them again and again takes time and proves nothing.
echo 200 >/proc/sys/vm/swappiness

meminfo() {
	awk -v key="$1:" '$1 == key { print int($2 / 1024) }' /proc/meminfo
}

swapped_out() {
	awk '$1 == "pswpout" { print int($2 * '"$(getconf PAGESIZE 2>/dev/null || echo 4096)"' / 1048576) }' /proc/vmstat
}

unmount() {
	! mountpoint -q "$1" || umount "$1"
}

swap_off() {
	swapoff -a
}

mkdir -p /mnt/memory /mnt/array
on_exit unmount /mnt/array
on_exit swap_off
on_exit unmount /mnt/memory

# write_files: random bytes in files of 4 MiB, and their checksums, the last first: what was written last is in
# memory yet, so that reading it all again need not bring each page back from swap.
write_files() {
	local i

	for ((i = 0; i < mib / 4; i++)); do
		dd if=/dev/urandom bs=1M count=4 iflag=fullblock status=none | tee "/mnt/memory/$i" | md5sum |
			sed "s/-/$i/"
	done >/run/sums.up
	tac /run/sums.up >/run/sums
}

compare() {
	(cd /mnt/memory && md5sum --quiet -c /run/sums) >/run/differ 2>&1 ||
		fail "$1: what was in memory has changed: $(cat /run/differ)"
}

# pressure WHAT [FUNCTION]: writes more than there is room for, calls the function, reads it back.
pressure() {
	local before

	mib=$((($(meminfo MemAvailable) + 24) / 4 * 4))
	say "$1: $mib MiB to keep in memory, $((mib - 24)) MiB available, $(meminfo SwapFree) MiB of swap"
	must mount -t tmpfs -o size=$((mib + 16))m memory /mnt/memory
	before=$(swapped_out)
	write_files
	[ $(($(swapped_out) - before)) -ge 16 ] ||
		fail "$1: swapped out $(($(swapped_out) - before)) MiB, expected 16 or more: nothing is proved"
	[ -z "${2:-}" ] || "$2"
	compare "$1"
	say "$1: $(($(swapped_out) - before)) MiB swapped out, $((SECONDS - started)) s"
	must umount /mnt/memory
}
started=$SECONDS

fail_member() {
	must dmsetup message array 0 fail 2
	wait_health array AAD
}

devs="$(disk_by_name swap0) $(disk_by_name swap1) $(disk_by_name swap2)"
chunk=128
length=$((2 * 158 * 2048))
array_up array "$(array_line raid5 $chunk $length "$devs" create assume_clean)"
line=$(dmsetup table array)

must mkswap /dev/mapper/array
must swapon /dev/mapper/array
pressure "swap on the array, member 2 fails with memory swapped out" fail_member
must swapoff /dev/mapper/array
array_down array

array_up array "$(array_line raid5 $chunk $length "$devs" create force assume_clean)"
line=$(dmsetup table array)
must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/array
must mount /dev/mapper/array /mnt/array
must fallocate -l 240M /mnt/array/swapfile
must chmod 600 /mnt/array/swapfile
must mkswap /mnt/array/swapfile
must swapon /mnt/array/swapfile
pressure "swap in a file, member 2 fails with memory swapped out" fail_member
must swapoff /mnt/array/swapfile
must umount /mnt/array
array_down array
array_up array "$line"
must e2fsck -f -n /dev/mapper/array
array_down array
