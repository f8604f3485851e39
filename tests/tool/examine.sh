#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# examine: both superblock copies of a device, for people and as JSON.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_mkimage

image a slot=1 events=7 name=data clean=0 synced=512
run examine a
expect_status 0
expect_no_err
expect_out "copy 0 at 1 MiB: valid, events 7"
expect_out "valid, events 7"
expect_out "name            data"
expect_out "array uuid      aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
expect_out "level           raid5, 3 members"
expect_out "state           dirty"
expect_out "chunk           128 sectors (64 KiB)"
expect_out "11111111-1111-1111-1111-111111111111  in sync  (this device)"
expect_out "1 (00000000000003e9, from 0000000000000000)"

run examine --json a
expect_status 0
expect_json 'j[0]["device"] == "a" and j[0]["size_sectors"] == 65536'
expect_json '[c["valid"] for c in j[0]["copies"]] == [True, True]'
expect_json '[c["events"] for c in j[0]["copies"]] == [7, 7]'
expect_json 'j[0]["superblock"]["name"] == "data" and j[0]["superblock"]["slot"] == 1'
expect_json 'j[0]["superblock"]["clean"] is False and j[0]["superblock"]["synced_sectors"] == 512'
expect_json 'j[0]["superblock"]["epochs"] == [{"counter": 1, "id": "00000000000003e9", "parent_id": "0" * 16}]'
expect_json '[s["state"] for s in j[0]["superblock"]["slots"]] == ["in sync"] * 3'

image t torn=1
run examine t
expect_out "state           clean, torn"

# The newer of two valid copies speaks; a torn one does not.
image a events=8 copies=1
run examine --json a
expect_json 'j[0]["superblock"]["events"] == 8'
image a events=9 copies=2
run examine --json a
expect_json 'j[0]["superblock"]["events"] == 9'
image a events=10 copies=1 damage=1
run examine --json a
expect_status 0
expect_json 'j[0]["copies"][0]["fault"] == "checksum is wrong" and j[0]["superblock"]["events"] == 9'

# Slots and epochs in other states.
image b slot=0 epoch=3:33:22 epoch=2:22:11 state=1:3:3 state=2:2:0:640
run examine b
expect_out "3 (0000000000000021, from 0000000000000016)"
expect_out "failed since epoch 3"
expect_out "rebuilding, 640 sectors done"

# No superblock, none whole, a later version's, too short, no such device.
truncate -s 40M blank
truncate -s 1M short
image bad damage=3
image later incompat=4
for device in blank short bad later; do
	run examine "$device"
	expect_status 1
	expect_err "cascadesetup: $device: is no member of an array"
	run examine --json "$device"
	expect_status 1
	expect_json 'j[0]["superblock"] is None and not any(c["valid"] for c in j[0]["copies"])'
done
run examine later
expect_out "an incompatible feature is not known"
run examine none
expect_status 1
expect_err "cascadesetup: none: cannot open: No such file or directory"
run examine none a
expect_status 1
expect_out "a:"

# Noise where superblocks are.
head -c 33554432 /dev/urandom > noise
run examine noise
expect_status 1
finish
