#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# ext4 and xfs live on an array: files are copied to it while a member fails, then every file has the checksum of
# its original; so after the next mount, after a start with the member in its place, and after one without it. The
# filesystem's own check finds nothing at any time.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

# Real files: programs of all sizes, as many as fit, and links.
source=$SCRATCH/source
mkdir "$source"
(
	cd /usr/bin
	find . -type f -printf '%s %p\n' | sort -k 2 |
		awk '{ if (sum + $1 < 48 * 1048576) { sum += $1; sub(/^[0-9]+ /, ""); print } }'
	find . -type l
) >"$SCRATCH/files"
(cd /usr/bin && xargs -d '\n' cp -a --parents -t "$source" <"$SCRATCH/files")
(cd "$source" && find . -type f -exec md5sum {} +) >"$SCRATCH/sums"
(cd "$source" && find . -type l -printf '%p -> %l\n' | sort) >"$SCRATCH/links"
say "$(wc -l <"$SCRATCH/sums") files, $(wc -l <"$SCRATCH/links") links"

mkdir -p /mnt/array

unmount() {
	! mountpoint -q /mnt/array || umount /mnt/array
}
on_exit unmount

# copy NAME: all files into a folder, down to the disks.
copy() {
	must cp -a "$source" "/mnt/array/$1"
	must sync -f /mnt/array
}

# compare WHAT NAME: every file of the folder.
compare() {
	(cd "/mnt/array/$2" && md5sum --quiet -c "$SCRATCH/sums") >"$SCRATCH/differ" 2>&1 ||
		fail "$1: files of $2"$'\n'"  expected: the checksums of the originals"$'\n'"  got:      $(head -n 20 "$SCRATCH/differ")"
	(cd "/mnt/array/$2" && find . -type l -printf '%p -> %l\n' | sort) | cmp -s "$SCRATCH/links" - ||
		fail "$1: links of $2 are not those of the originals"
}

check_filesystem() {
	local out r=0

	case $fs in
	ext4) out=$(e2fsck -f -n /dev/mapper/array 2>&1) || r=$? ;;
	xfs) out=$(xfs_repair -n /dev/mapper/array 2>&1) || r=$? ;;
	esac
	[ $r -eq 0 ] || fail "$1: the check of $fs"$'\n'"  expected: exit code 0"$'\n'"  got:      $r: $(tail -n 20 <<<"$out")"
}

# mounted_again WHAT NAME...: check, mount, compare; leaves it mounted.
mounted_again() {
	local what=$1

	shift
	check_filesystem "$what"
	must mount -t "$fs" /dev/mapper/array /mnt/array
	for name; do compare "$what" "$name"; done
}

make_filesystem() {
	case $fs in
	ext4) must mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/array ;;
	xfs) must mkfs.xfs -q -f -K /dev/mapper/array ;;
	esac
	must mount -t "$fs" /dev/mapper/array /mnt/array
}

# Not less than 300 MiB: mkfs.xfs makes none.
chunk=128
rows=$((152 * 2048 / chunk))

# On RAID-0 without faults, the discards of a mounted filesystem included.
say "--- ext4 on raid0"
fs=ext4
data=$((80 * 2048))
loopdisks 3 $((DATA_START + data + SLACK))
array_up array "$(array_line raid0 $chunk $((3 * data)) "${DISKS[*]}" create)"
make_filesystem
copy one
copy two
must rm -r /mnt/array/one
must fstrim /mnt/array
must unmount
line=$(dmsetup table array)
array_down array
array_up array "$line"
mounted_again "raid0, started again" two
must unmount
array_down array

ramdisks 3 170
devs="${DISKS[*]}"
for fs in ext4 xfs; do
	say "--- $fs on raid5"
	array_up array "$(array_line raid5 $chunk $((2 * rows * chunk)) "$devs" create force name "$fs")"
	line=$(dmsetup table array)
	make_filesystem
	copy healthy
	cp -a "$source" /mnt/array/failing &
	copy_pid=$!
	wait_for 60 test -d /mnt/array/failing
	random_below 3; failed=$random
	must dmsetup message array 0 fail "$failed"
	wait $copy_pid || fail "$fs: the copy failed, exit code $?, when member $failed failed"
	copy degraded
	must rm -r /mnt/array/healthy
	compare "$fs, while member $failed is out" failing
	compare "$fs, while member $failed is out" degraded
	must unmount
	mounted_again "$fs, mounted again without member $failed" failing degraded
	copy healthy
	must unmount
	array_down array

	array_up array "$line"
	expect "health, started with member $failed in its place" 2 "$(status_word array 3 | tr -dc A | wc -c)"
	mounted_again "$fs, started with member $failed in its place" healthy failing degraded
	must unmount
	array_down array
	array_up array "$(array_line raid5 $chunk $((2 * rows * chunk)) "$(without "$failed" "$devs")")"
	mounted_again "$fs, started without member $failed" degraded
	must unmount
	array_down array
done
