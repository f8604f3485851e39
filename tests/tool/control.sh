#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fail, idle and frozen: what they send, say and refuse, with a stand-in for device-mapper.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_fakedm

# refused TEXT ARGUMENT...: nothing is sent.
refused()
{
	rm -f "$work/dm/data.messages"
	run "${@:2}"
	expect_status 1
	expect_err "cascadesetup: $1"
	expect_no_out
	[ ! -e "$work/dm/data.messages" ] || fail "sent: $(cat "$work/dm/data.messages")"
}

# sent TEXT ARGUMENT...: just this, and the array is said to be as it is after it.
sent()
{
	rm -f "$work/dm/data.messages"
	run "${@:2}"
	expect_status 0
	expect_no_err
	[ "$(cat "$work/dm/data.messages")" = "$1" ] || fail "message '$1' was expected"
}

# after STATE...: how a message will leave the array that is like that now.
after()
{
	array data raid5 "$@"
	mv "$work/dm/data.status" "$work/dm/data.after"
	array data raid5 AAAA 100/100 idle
}

refused "data: cannot read its status: there is no device of that name" fail data 7:100
refused "data: cannot read its status: there is no device of that name" idle data
after ADAA 100/100 idle
sent "fail 1" fail data 7:101
expect_line "data: slot 1 (7:101) has failed; the array is degraded now (ADAA)"
refused "7:101: cannot fail it: slot 1 of 'data' is out already" fail data 7:101
refused "7:100: cannot fail it: the array needs that member: 'data' is a raid5 that lacks slot 1 already" fail data 7:100
refused "7:104: cannot fail it: it is no member of 'data', see 'cascadesetup status data'" fail data 7:104
refused "/dev/null: cannot fail it: it is no member of 'data'" fail data /dev/null
refused "/none: cannot fail it: it is no member of 'data'" fail data /none
array data raid6 AaAD 10/100 recover
refused "7:100: cannot fail it: the array needs that member: 'data' is a raid6 that lacks slots 1, 3 already" fail data 7:100
array data raid0 AAA 100/100 idle
refused "7:100: cannot fail it: the array needs that member: 'data' is a raid0, which bears no loss" fail data 7:100
refused "data: cannot end its background work: a raid0 has no parity" idle data
refused "data: cannot freeze its background work: a raid0 has no parity" frozen data

array data raid5 AAAA 10/100 resync
for command in "fail data 7:100" "idle data" "frozen data"; do
	echo suspended > "$work/dm/data.flags"
	# shellcheck disable=SC2086 # words of a command line
	refused "data: cannot " $command
	expect_err "it is suspended: see 'dmsetup resume'"
	echo read_only > "$work/dm/data.flags"
	# shellcheck disable=SC2086 # words of a command line
	refused "data: cannot " $command
	expect_err "it is read-only: assemble it without --read-only first"
	rm "$work/dm/data.flags"
	# What the tool did not see coming.
	touch "$work/dm/data.refuses"
	# shellcheck disable=SC2086 # words of a command line
	refused "" $command
	expect_err ": the kernel refuses the message \""
	rm "$work/dm/data.refuses"
done

after AAAA 123/1000 idle
sent idle idle data
expect_line "data: background work has ended; parity is made right up to 12.3 %, the rest at the next start"
after AAAA 1000/1000 idle
sent idle idle data
expect_line "data: background work has ended"
after AAAA 123/1000 frozen
sent frozen frozen data
expect_line "data: background work is frozen until 'cascadesetup idle data'; parity is made right up to 12.3 %"
finish
