#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# status --watch: a line for each change into a pipe, JSON on a line each, a picture with a
# bar, speed and time left on a terminal; a stand-in plays device-mapper.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_fakedm
trap 'kill "$pid" 2> /dev/null; rm -rf "$work"' EXIT

# line N REGEX: the Nth line comes, and is that behind its time.
line()
{
	local i got

	for ((i = 0; i < 300 && $(wc -l < "$work/out") < $1; i++)); do sleep 0.1; done
	got=$(sed -n "$1p" "$work/out")
	[[ $got =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{4}\ ($2)$ ]] || fail "as line $1 was expected: $2"
}

run status --watch data
expect_status 1
expect_err "cascadesetup: data: cannot read its status: there is no device of that name"
array data raid5 AAAA 1000000/100000000 resync
array other raid0 AA 100/100 idle
background status --watch data
line 1 "data: healthy, AAAA, resync 1 %"
array data raid5 AAAA 1009000/100000000 resync
looked_at data
array data raid5 AAAA 2100000/100000000 resync
line 2 "data: healthy, AAAA, resync 2 %, [0-9.]+ MiB/s, [0-9]+ min left"
array data raid5 ADAA 2100000/100000000 idle
line 3 "data: degraded, ADAA, idle 2 %"
array data raid5 ADAA 100/100 idle ok
line 4 "data: degraded, ADAA, idle, cache ok"
echo "suspended read_only" > "$work/dm/data.flags"
line 5 "data: degraded, read-only, suspended, ADAA, idle, cache ok"
rm "$work/dm"/data.*
line 6 "data: gone"
ended
expect_status 3
[ "$(wc -l < "$work/out")" -eq 6 ] || fail "6 lines were expected"
expect_no_err

# All arrays, as JSON; an end by a signal tells how they were.
array data raid5 AAAA 100/100 idle
background status --watch --json
soon '"name": "data"'
array data raid5 A--A 100/100 idle
soon '"health": "failed"'
kill -INT "$pid"
ended
expect_status 4
python3 - "$work/out" << 'PYTHON' || fail "other JSON was expected"
import json, sys
looks = [json.loads(line) for line in open(sys.argv[1])]
assert len(looks) == 2, looks
assert [[a["health"] for a in look] for look in looks] == [["healthy", "healthy"], ["failed", "healthy"]]
assert looks[1][0]["members"][1]["state"] == "missing"
PYTHON
rm "$work/dm"/*
background status --watch --json
soon "[ ]"
kill -TERM "$pid"
ended
expect_status 0

# A terminal of 80 columns.
array data raid5 AAAA 1000/1000000 resync
ran="status --watch on a terminal"
script -q -e -c "stty cols 80; ${tool[*]} status --watch data" "$work/screen" > "$work/out" 2> "$work/err" < /dev/null &
pid=$!
soon "[>                             ]" "$work/screen"
looked_at data
array data raid5 AAAA 501000/1000000 resync
soon "[===============>              ] " "$work/screen"
grep -qE '\] [0-9.]+ [MG]iB/s, [0-9]+ s left' "$work/screen" || fail "no speed and time left"
array data raid5 AAAA 501000/1000000 idle
rm "$work/dm"/data.*
soon "data: gone" "$work/screen"
ended
expect_status 0
finish
