#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# monitor: a line and a run of the program for each change, with the environment and the
# arguments that the manual promises; a stand-in plays device-mapper.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_fakedm
trap 'kill "$pid" 2> /dev/null; rm -rf "$work"' EXIT

cat > "$work/program" <<'PROGRAM'
#!/bin/bash
echo "$#: $*" >> "$0.log"
env | sed -n 's/^CASCADE_//p' | sort | paste -sd ' ' >> "$0.log"
[ "$1" != cache ] || exit 3
PROGRAM
chmod 755 "$work/program"

# told LINE...: all lines so far, without their times.
told()
{
	local i

	printf '%s\n' "$@" > "$work/want"
	for ((i = 0; i < 300 && $(wc -l < "$work/out") < $#; i++)); do sleep 0.1; done
	sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{4} //' "$work/out" > "$work/got"
	diff "$work/want" "$work/got" > "$work/diff" || fail "lines expected (<) and told (>): $(cat "$work/diff")"
}

# ran_with ARGUMENTS ENVIRONMENT: a run of the program.
ran_with()
{
	local i

	soon "$1" "$work/program.log"
	for ((i = 0; i < 300; i++)); do
		grep -xF -A 1 -e "$1" "$work/program.log" | sed -n 2p > "$work/got"
		[ ! -s "$work/got" ] || break
		sleep 0.1
	done
	[ "$(cat "$work/got")" = "$2" ] || fail "of the run '$1' was expected: $2; it had: $(cat "$work/got")"
}

uuid=6f1c7a52-0d3e-4b8a-9c41-5e2f7d90b3a6
always="DEVICE=/dev/mapper/data"
array data raid6 AAAA 100/100 idle ok
background monitor --exec "$work/program" data later
soon "later: is not running: waiting for its start" "$work/err"
lines=("data: new: healthy")
told "${lines[@]}"
ran_with "2: new data" "CACHE=ok $always EVENT=new HEALTH=healthy MEMBERS=AAAA NAME=data NEW=healthy OLD= SYNC=idle UUID=$uuid"
array other raid5 AAA 100/100 idle
array data raid6 ADAA 10/100 recover ok
lines+=("data: member 1 (7:101): in sync -> failed" "data: health: healthy -> degraded" "data: sync: idle -> recover")
told "${lines[@]}"
state="HEALTH=degraded MEMBER=7:101 MEMBERS=ADAA NAME=data NEW=failed OLD=in sync SLOT=1 SYNC=recover UUID=$uuid"
ran_with "3: member data 7:101" "CACHE=ok $always EVENT=member $state"
state="HEALTH=degraded MEMBERS=ADAA NAME=data NEW=degraded OLD=healthy SYNC=recover UUID=$uuid"
ran_with "2: health data" "CACHE=ok $always EVENT=health $state"
array data raid6 AaAA 20/100 recover degraded
lines+=("data: member 1 (7:101): failed -> rebuilding" "data: health: degraded -> rebuilding" "data: cache: ok -> degraded")
told "${lines[@]}"
soon "$work/program: failed for 'data', event cache: exit status 3" "$work/err"
# Progress and counters are no changes; another member is one, though health stays.
array data raid6 AaAA 30/100 recover degraded
# A table is read member by member when it starts.
echo suspended > "$work/dm/later.flags"
array later raid0 A- 100/100 idle
looked_at later
array later raid0 AA 100/100 idle
rm "$work/dm/later.flags"
lines+=("later: new: healthy")
told "${lines[@]}"
array data raid6 DaAA 30/100 recover degraded
lines+=("data: member 0 (7:100): in sync -> failed")
told "${lines[@]}"
array data raid6 D-DA 30/100 idle degraded
lines+=("data: member 1: rebuilding -> missing" "data: member 2 (7:102): in sync -> failed" "data: health: rebuilding -> failed"
	"data: sync: recover -> idle")
told "${lines[@]}"
# Another array of the same name.
uuid=aaaaaaaa-0d3e-4b8a-9c41-5e2f7d90b3a6 array data raid5 AAA 100/100 idle
lines+=("data: gone" "data: new: healthy")
told "${lines[@]}"
rm "$work/dm"/later.*
lines+=("later: gone")
told "${lines[@]}"
ran_with "2: gone later" \
	"CACHE=none DEVICE=/dev/mapper/later EVENT=gone HEALTH=healthy MEMBERS=AA NAME=later NEW= OLD=healthy SYNC=idle UUID=$uuid"
kill -TERM "$pid"
ended
expect_status 0
! grep -q other "$work/out" || fail "another array was told of"

# All arrays; a program that cannot be run.
background monitor --exec no-such-program
soon "data: new: healthy"
soon "other: new: healthy"
soon "no-such-program: cannot be run for 'data', event new: No such file or directory" "$work/err"
kill -INT "$pid"
ended
expect_status 0
run monitor --exec "$work/none"
expect_status 1
expect_err "cascadesetup: $work/none: cannot be run: No such file or directory"
finish
