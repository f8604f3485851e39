#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rescue-table: tables of stock targets, and when none are printed, on image files.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_mkimage

refused()
{
	local text=$1

	shift
	run rescue-table "$@"
	expect_status 1
	expect_err "cascadesetup: $text"
	expect_no_out
}

# helper SLOT FILE
helper()
{
	printf 'test-rescue-%s,,,ro,0 30720 linear %s 32768;' "$1" "$2"
}

m=/dev/mapper/test-rescue

fresh
run rescue-table c a b
expect_status 0
expect_no_err
expect_line "$(helper 0 a)$(helper 1 b)$(helper 2 c)test-rescue,,,ro,0 61440 raid raid5_ls 2 128 nosync 3 - $m-0 - $m-1 - $m-2"

run rescue-table c a
expect_status 0
expect_err "test: degraded: slot 1 missing, stale or not yet rebuilt"
expect_line "$(helper 0 a)$(helper 2 c)test-rescue,,,ro,0 61440 raid raid5_ls 2 128 nosync 3 - $m-0 - - - $m-2"
refused "test: cannot be read: more members are gone than a raid5 bears (slots 1, 2)" --force a

# Dirty: whole is harmless, degraded is a risk to the whole array.
fresh clean=0
run rescue-table a b c
expect_status 0
expect_no_err
refused "test: no table is printed: name the missing devices too, or accept the risk with --force" a b
expect_err "test: at risk: array sectors 0 to 61439, in them the blocks of slot 2: the array was not stopped in order"
run rescue-table --force a b
expect_status 0
expect_err "test: at risk: array sectors 0 to 61439"
expect_line "$(helper 0 a)$(helper 1 b)test-rescue,,,ro,0 61440 raid raid5_ls 2 128 nosync 3 - $m-0 - $m-1 - -"

# The first sync has come to ten rows: parity of what was written is right behind them, too.
fresh synced=1300
run rescue-table a b c
expect_status 0
expect_no_err
run rescue-table a c
expect_status 0

# The same after a crash.
fresh synced=1300 torn=1
run rescue-table a b c
expect_status 0
refused "test: no table is printed" a c
expect_err "test: at risk: array sectors 2560 to 61439, in them the blocks of slot 1: the array was not stopped in order"

# Stale and rebuilding members count as missing.
rm -f a b c
image a slot=0 epoch=2:22:1001 epoch=1:1001:0 state=1:3:2
image b slot=1 events=9
image c slot=2 epoch=2:22:1001 epoch=1:1001:0 state=1:3:2
run rescue-table a b c
expect_status 0
expect_err "b: left out: slot 1 missed writes since epoch 2"
expect_line "$(helper 0 a)$(helper 2 c)test-rescue,,,ro,0 61440 raid raid5_ls 2 128 nosync 3 - $m-0 - - - $m-2"
refused "test: cannot be read" a b
rm -f a b c
image a slot=0 state=1:2:0:640
image b slot=1 state=1:2:0:640
image c slot=2 state=1:2:0:640
run rescue-table a b c
expect_status 0
expect_line "$(helper 0 a)$(helper 2 c)test-rescue,,,ro,0 61440 raid raid5_ls 2 128 nosync 3 - $m-0 - - - $m-2"

# raid0 is "striped".
fresh level=raid0
run rescue-table b a c
expect_status 0
expect_line "$(helper 0 a)$(helper 1 b)$(helper 2 c)test-rescue,,,ro,0 92160 striped 3 128 $m-0 0 $m-1 0 $m-2 0"
refused "test: cannot be read: more members are gone than a raid0 bears (slot 2)" a b

# Other levels, no name, names that a concise table must escape, wrong devices.
for slot in 0 1 2 3; do
	image m$slot slot=$slot members=4 level=raid6
done
refused "test: is a raid6: this version knows raid0 and raid5" m0 m1 m2 m3
fresh name=
run rescue-table a b c
expect_status 0
expect_out "cascade-aaaaaaaa-rescue,,,ro,0 61440 raid"
fresh
mv a 'x,y;z'
run rescue-table 'x,y;z' b c
expect_status 0
expect_out 'linear x\,y\;z 32768;'
mv 'x,y;z' 'x y'
refused "x y: no table line can hold this path" 'x y' b c
truncate -s 40M blank
refused "blank: is no member of an array" b c blank
image other slot=0 array=187 name=other
refused "b: belongs to array 'test'" other b c
finish
