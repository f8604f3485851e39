#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# create --dry-run: the array it would make, and what it refuses, on image files.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_mkimage

truncate -s 40M a b c d
truncate -s 41M larger
truncate -s 17M small

# Rows of three members of 40 MiB: 16 MiB reserved, 1 MiB slack.
run create x --level raid5 --dry-run a b c
expect_status 0
expect_err "cascadesetup: a: is an image file"
expect_out "x: raid5, 3 members, chunk 64 KiB"
expect_out "slot 0   a (40 MiB, 1 MiB left free at its end)"
expect_out "size     46 MiB (94208 sectors)"
expect_line "0 94208 cascade raid5 128 3 a b c 3 create name x"

run create x --level 5 --chunk 16M --assume-clean --force --dry-run a b c
expect_status 0
expect_line "0 65536 cascade raid5 32768 3 a b c 5 create name x assume_clean force"

# The smallest member decides; options may stand anywhere; K and M are KiB and MiB.
run create --dry-run --chunk=4K x larger --level=raid0 a
expect_status 0
expect_out "slot 0   larger (41 MiB, 2 MiB left free at its end)"
expect_line "0 94208 cascade raid0 8 2 larger a 3 create name x"
run create --dry-run --chunk 4 x a --level 0
expect_status 0
expect_line "0 47104 cascade raid0 8 1 a 3 create name x"

run create x --level raid5 --dry-run a missing c
expect_status 0
expect_out "slot 1   missing"
expect_line "0 94208 cascade raid5 128 3 a - c 3 create name x"

# Sixty-four members are the most.
mkdir many
truncate -s 40M many/{10..73}
run create x --level raid5 --dry-run many/*
expect_status 0
expect_out "slot 63 "

refused()
{
	local text=$1

	shift
	run create x --level raid5 "$@"
	expect_status 1
	expect_err "cascadesetup: $text"
	expect_no_out
}

refused "b: is given twice" --dry-run a b b
ln -s a link
refused "link: is given twice (as a before)" --dry-run a b link
refused "none: cannot open: No such file" --dry-run a b none
refused "/dev/null: is neither a block device nor an image file" --dry-run a b /dev/null
refused "many: is neither" --dry-run a b many
cp --sparse=always a 'a b'
refused "a b: no table line can hold this path: one without blanks and backslashes is accepted" --dry-run a 'a b' c
rm 'a b'
refused "small: is too small: it has 34816 sectors" --dry-run a b small
refused "a: is an image file: a block device is needed" a b c

# Known signatures.
image d
refused "d: holds the superblock of cascade array 'test': use --force" --dry-run a b d
image d damage=3
refused "d: holds the superblock of a cascade array (checksum is wrong)" --dry-run a b d
image d copies=2
refused "d: holds the superblock of cascade array 'test'" --dry-run a b d
run create x --level raid5 --dry-run --force a b d
expect_status 0
expect_err "d: holds the superblock of cascade array 'test': it would be overwritten"
truncate -s 0 d
truncate -s 40M d
PATH=$PATH:/usr/sbin:/sbin mke2fs -q -L old d 2> /dev/null
refused "d: holds ext2 filesystem labelled 'old': use --force" --dry-run a b d
# A partition table: an MBR with one entry.
truncate -s 0 d
truncate -s 40M d
printf '\200\1\1\0\203\376\377\377\0\10\0\0\0\40\0\0' | dd of=d bs=1 seek=446 conv=notrunc status=none
printf '\125\252' | dd of=d bs=1 seek=510 conv=notrunc status=none
refused "d: holds a partition table (dos): use --force" --dry-run a b d

# A dry run writes nothing.
cmp -n 41943040 a /dev/zero || fail "a was written to"
finish
