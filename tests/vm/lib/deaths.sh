# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests in which members of /dev/mapper/array, a RAID-5, die under load, beside lib.sh. The test sets, for all
# of these: n and chunk, data (sectors of each member that are used), members (in order), what (for messages).
# shellcheck shell=bash disable=SC2154

length=$((data * (n - 1)))
# The load has the first half, so many bytes; the rest is known.
half=$((length * 256))

# begin: a new array with data in it.
begin() {
	array_up array "$(array_line raid5 "$chunk" $length "$members" create force name data)"
	uuid=$(uuid_of array)
	fill "$SCRATCH/data" $((length / 2048))
	must dd if="$SCRATCH/data" of=/dev/mapper/array bs=1M oflag=direct status=none
	log_mark
}

# check_rest WHEN: the half that the load leaves alone.
check_rest() {
	image /dev/mapper/array "$SCRATCH/got"
	same "$what: $1" "$SCRATCH/data" "$SCRATCH/got" 0 $half
}

# start_line [OPTIONAL]...: of an array that is there.
start_line() {
	array_line raid5 "$chunk" $length "$members" uuid "$uuid" "$@"
}

# forced_start WHEN HEALTH: all members are back, but those that HEALTH leaves out missed something. The array was not
# stopped in order, so that a start is at the user's risk.
forced_start() {
	array_refused array "$(start_line)"
	array_up array "$(start_line force)"
	expect "$what: health $1" "$2" "$(status_word array 3)"
	check_rest "$1"
	array_down array
}

# How many members failed since log_mark, by the kernel's log.
failed_lines() {
	kernel_lines 'cascade: .*: failed, the array goes on without it'
}

# try COMMAND...: whatever it returns. A flush ends well where no member has a cache to flush, a read where the row is
# in memory.
try() {
	"$@" 2>/dev/null || true
}

# run_into_errors BYTES: reads and writes in so much of it until there is an error. errors_came WHAT: that must be soon.
run_into_errors() {
	fio_start /dev/mapper/array --rw=randrw --bsrange=512-64k --fsync=16 --size="$1" --time_based --runtime=3600
}

load_ended() {
	! load_running
}

errors_came() {
	wait_for 10 load_ended
	! wait "$LOAD_PID" || fail "$1: the load met no error: $(cat "$LOAD_LOG")"
	grep -q 'err= *5' "$LOAD_LOG" || fail "$1: the load ended without EIO: $(cat "$LOAD_LOG")"
}
