#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Disks are pulled out of the running machine under load. The first costs the users of the array nothing; after the
# second there are errors, soon, and no hang; what is left can be removed. Put back, the disks make the array again.
# bed: qemu
# disk: 24M:u0
# disk: 24M:u1
# disk: 24M:u2
# disk: 24M:u3
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

n=4 chunk=128 data=$((6 * 2048))
what="raid5 of $n virtio disks, chunk $chunk, SEED=$SEED"
pulled=()
# shellcheck source=tests/vm/lib/deaths.sh
. "$CASCADE_TESTS/lib/deaths.sh"

# members: sets $members to the disks, wherever they are by now.
members() {
	local i

	members=
	for ((i = 0; i < n; i++)); do members+=" $(disk_by_name u$i)"; done
}

pull() {
	host_unplug "$1"
	pulled+=("$1")
}

put_all_back() {
	local disk

	for disk in "${pulled[@]}"; do host_plug "$disk"; done
	pulled=()
	members
}
on_exit put_all_back

begin_in_sync() {
	members
	begin
	wait_sync array idle
}

# errors_everywhere: each in bounded time.
errors_everywhere() {
	within 10 must_fail dd if=/dev/zero of=/dev/mapper/array bs=4096 count=1 oflag=direct status=none
	within 10 try dd if=/dev/mapper/array of=/dev/null bs=4096 count=1 iflag=direct status=none
	within 10 try sync /dev/mapper/array
}

one_then_another() {
	local events

	begin_in_sync
	load_start /dev/mapper/array --size=$half
	more_writes 300
	events=$(event_number array)
	pull u1
	must timeout 30 dmsetup wait array "$events"
	expect "$what: health without u1" ADAA "$(status_word array 3)"
	more_writes 300
	load_stop
	expect "$what: lines logged" 1 "$(failed_lines)"
	expect "$what: events" $((events + 1)) "$(event_number array)"
	check_rest "without u1"

	# A stop and a start: the disk that is gone is not named.
	array_down array
	members=${members/ $(cut -d ' ' -f 3 <<<"$members")/ -}
	array_up array "$(start_line)"
	check_rest "started without u1"
	fio_verify /dev/mapper/array --size=$half

	run_into_errors $half
	more_writes 100
	events=$(event_number array)
	pull u2
	errors_came "$what"
	must timeout 10 dmsetup wait array "$events"
	expect "$what: health without u1 and u2" A-DA "$(status_word array 3)"
	errors_everywhere
	within 20 array_down array

	# The second death is not recorded: u2 counts, u1 does not.
	put_all_back
	forced_start "with all put back" ADAA
}

all() {
	local i

	begin_in_sync
	run_into_errors $half
	more_writes 300
	for ((i = 0; i < n; i++)); do pull u$i; done
	errors_came "$what"
	errors_everywhere
	within 20 array_down array

	# u0 was gone before the others, and they know it.
	put_all_back
	forced_start "after all were pulled" DAAA
}

one_then_another
all
