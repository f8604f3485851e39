#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# assemble --dry-run: order, and what is left out or refused, on image files.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_mkimage

uuid="uuid aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"

# assemble ARGUMENT...
assemble()
{
	run assemble --dry-run "$@"
}

refused()
{
	local text=$1

	shift
	assemble "$@"
	expect_status 1
	expect_err "cascadesetup: $text"
	expect_no_out
}

fresh
for order in "a b c" "c b a" "b c a"; do
	# shellcheck disable=SC2086 # three words
	assemble $order
	expect_status 0
	expect_no_err
	expect_line "0 61440 cascade raid5 128 3 a b c 2 $uuid"
done
assemble --read-only a b c
expect_status 0
expect_line "0 61440 cascade raid5 128 3 a b c 3 $uuid read_only"

# Degraded.
refused "test: cannot start: it would be degraded (slot 1); name the missing devices too, or use --run" c a
assemble --run c a
expect_status 0
expect_err "test: starts degraded: slot 1"
expect_line "0 61440 cascade raid5 128 3 a - c 2 $uuid"
refused "test: cannot start: too many members are gone (slots 0, 1); name more of them" --run --force c

# Dirty: no matter while nothing is missing.
fresh clean=0
assemble a b c
expect_status 0
expect_no_err
refused "test: cannot start: it is dirty and degraded" --run a b
expect_err "test: at risk: array sectors 0 to 61439, in them the blocks of slot 2"
assemble --force a b
expect_status 0
expect_err "test: at risk: array sectors 0 to 61439"
expect_line "0 61440 cascade raid5 128 3 a b - 3 force $uuid"

# Clean, but the first sync came to ten rows only: parity of what was written is right behind them, too.
fresh synced=1280
assemble --run a b
expect_status 0
expect_line "0 61440 cascade raid5 128 3 a b - 2 $uuid"

# Stopped in order since, but not made right again: still a risk, behind those ten rows.
fresh synced=1280 torn=1
assemble a b c
expect_status 0
expect_no_err
refused "test: cannot start: it is dirty and degraded" --run a b
expect_err "test: at risk: array sectors 2560 to 61439, in them the blocks of slot 2: the array was not stopped in order"
assemble --force a b
expect_status 0

# Started so and stopped in order: the same start is accepted from then on, one without another member is not.
fresh synced=1280 torn=1 epoch=2:22:1001 epoch=1:1001:0 state=2:3:2
assemble --run a b
expect_status 0
expect_err "test: at risk: array sectors 2560 to 61439, in them the blocks of slot 2"

# A stale member is left out, whatever its events counter says.
rm -f a b c
image a slot=0 epoch=2:22:1001 epoch=1:1001:0 state=1:3:2 events=5
image b slot=1 events=6
image c slot=2 epoch=2:22:1001 epoch=1:1001:0 state=1:3:2 events=5
refused "b: left out: slot 1 missed writes since epoch 2" a b c
expect_err "test: cannot start: it would be degraded (slot 1)"
assemble --run b c a
expect_status 0
expect_err "b: left out: slot 1 missed writes since epoch 2"
expect_line "0 61440 cascade raid5 128 3 a - c 2 $uuid"

# A member that is being rebuilt stays, and counts as missing.
rm -f a b c
image a slot=0 state=1:2:0:640
image b slot=1 state=1:2:0:640
image c slot=2 state=1:2:0:640
assemble --run a b c
expect_status 0
expect_err "test: starts degraded: slot 1"
expect_line "0 61440 cascade raid5 128 3 a b c 2 $uuid"
refused "test: cannot start: too many members are gone (slots 0, 1)" --run b c

# Two halves that lived apart.
rm -f a b c
image a slot=0 epoch=2:22:1001 epoch=1:1001:0 state=1:3:2
image b slot=1 epoch=2:33:1001 epoch=1:1001:0 state=0:3:2 state=2:1
image c slot=2 epoch=2:33:1001 epoch=1:1001:0 state=0:3:2
assemble --run --force a b c
expect_status 1
expect_err "a: slot 0, epoch 2 (0000000000000016): parts of the array were used apart"
expect_err "b: slot 1, epoch 2 (0000000000000021): parts of the array were used apart"
expect_err "name only the devices of the part to keep"
expect_no_out
assemble --run b c
expect_status 0
expect_line "0 61440 cascade raid5 128 3 - b c 2 $uuid"

# Wrong devices are named, with the reason.
fresh
truncate -s 40M blank
refused "blank: is no member of an array: there is no superblock on it; leave it out" a b blank
image damaged slot=2 damage=3
refused "damaged: is no member of an array: checksum is wrong" a b damaged
image other slot=2 array=187 name=other
refused "other: belongs to array 'other' (bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb), uuid differs" a b other
image shape slot=2 chunk=64
refused "shape: belongs to array 'test' (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa), chunk differs" a b shape
refused "a: is the same device as a: name it once" a b a
cp c copy
refused "copy: claims slot 2, as c does: one is a copy of the other" a b c copy
image old slot=2 device=99 events=0
refused "old: no longer belongs to the array: slot 2 is that of c now; leave it out" a b c old
refused "old: no longer belongs to the array" a old c b
refused "old: no longer belongs to the array: slot 2 is that of another device now" a b old
refused "./none: cannot open: No such file" a b ./none
refused "none: is no device: this version starts an array by its devices, not by its name" none
mv c 'a c'
refused "a c: no table line can hold this path" a b 'a c'
mv 'a c' c

# A device that was cut off.
fresh size=31
truncate -s 30M c
refused "c: is too small: it has 61440 sectors, the array needs 63488" a b c

# Names.
fresh name=
refused "a: the array has no name: give one with --name" a b c
assemble --name mine a b c
expect_status 0
expect_line "0 61440 cascade raid5 128 3 a b c 2 $uuid"

# A feature that only a later version may write.
fresh rocompat=1
refused "test: cannot start: it has features of a later version (ro-compat 0000000000000001)" a b c
assemble --read-only a b c
expect_status 0

# raid0 bears nothing.
fresh level=raid0
assemble a b c
expect_status 0
expect_line "0 92160 cascade raid0 128 3 a b c 2 $uuid"
refused "test: cannot start: too many members are gone (slot 1)" --run --force a c

# Image files cannot be started.
fresh
run assemble a b c
expect_status 1
expect_err "a: is an image file: attach it as a block device first"
finish
