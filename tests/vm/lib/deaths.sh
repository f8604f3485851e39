# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests in which members of /dev/mapper/array die under load, beside lib.sh.
# shellcheck shell=bash

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
