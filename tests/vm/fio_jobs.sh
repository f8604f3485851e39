#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The jobs of tests/fio run on an array as they are, and those that verify find every byte right: healthy, and with a
# member missing.
# timeout: 900
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

scratch_dir
load_cascade
ramdisks 4 64
data=$((46 * 2048))
line=$(array_line raid5 128 $((3 * data)) "${DISKS[*]}" create force)

# run_jobs FILE...
run_jobs() {
	local file job

	for file; do
		job="$(basename "$file"), health $(status_word array 3)"
		say "$job"
		DEVICE=/dev/mapper/array fio --size=16m --thread --output="$SCRATCH/out" "$file" 2>"$SCRATCH/err" ||
			fail "$job: fio ended with $?: $(cat "$SCRATCH/err" "$SCRATCH/out")"
		expect "$job: what fio warns of" "" "$(cat "$SCRATCH/err")"
		expect "$job: parts that met an error" 0 "$(grep -c 'err=[^:]*[1-9]' "$SCRATCH/out" || true)"
		grep -q 'err= 0' "$SCRATCH/out" || fail "$job: no part ended: $(cat "$SCRATCH/out")"
	done
}

array_up array "$line"
run_jobs "$CASCADE_TESTS"/fio/*.fio
must dmsetup message array 0 fail 2
run_jobs "$CASCADE_TESTS"/fio/verify-*.fio
array_down array
