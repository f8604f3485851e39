#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cascadesetup fail, frozen, idle, status --watch and monitor against the real module: what they do, say and refuse,
# and that changes are told at once. Prints "status --json" in every state for the host to judge.
# judge: tests/tool/status-schema --states
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

scratch_dir
load_cascade
ramdisks 4 20
for i in 0 1 2; do member m$i "${DISKS[i]}"; done
members=(/dev/mapper/m0 /dev/mapper/m1 /dev/mapper/m2)
on_exit dm_remove t
on_exit dm_remove z

# tool CODE ARGUMENT...: runs it; it must end with that code. Leaves $out (stdout) and $err.
tool() {
	local want=$1 r=0

	shift
	out=$(timeout 60 cascadesetup "$@" 2>"$SCRATCH/err") || r=$?
	err=$(cat "$SCRATCH/err")
	[ $r -eq "$want" ] || fail "cascadesetup $*"$'\n'"  expected: exit code $want"$'\n'"  got:      $r: $out $err"
}

says() {
	[[ $2 == *"$1"* ]] || fail "expected: a text with: $1"$'\n'"  got:    $2"
}

# judged STATE NAME: the host judges.
judged() {
	say "json $1"
	cascadesetup status --json "$2" || true
	say "json end"
}

# start_tool NAME ARGUMENT...: in the background; its output is in $SCRATCH/NAME. stop_tool ends it with SIGTERM.
declare -A pids=()
start_tool() {
	cascadesetup "${@:2}" >"$SCRATCH/$1" 2>"$SCRATCH/$1.err" &
	pids[$1]=$!
	on_exit kill_tool "$1"
}

kill_tool() {
	kill -9 "${pids[$1]}" 2>/dev/null || true
}

# stop_tool NAME CODE
stop_tool() {
	local r=0

	kill -TERM "${pids[$1]}"
	wait "${pids[$1]}" || r=$?
	expect "exit code of the $1" "$2" $r
	expect "what the $1 said on stderr" "" "$(cat "$SCRATCH/$1.err")"
}

# told FILE REGEX: a line of it, without its time, is this.
told() {
	wait_for 60 _told "$1" "$2"
}

_told() {
	grep -qE "^[-0-9T:+]+ $2\$" "$SCRATCH/$1"
}

cat >"$SCRATCH/program" <<'PROGRAM'
#!/bin/bash
echo "$* | $CASCADE_NAME $CASCADE_OLD>$CASCADE_NEW $CASCADE_HEALTH $CASCADE_MEMBERS $CASCADE_SYNC ${CASCADE_MEMBER:--}" >>"$0.log"
PROGRAM
chmod 755 "$SCRATCH/program"

start_tool monitor monitor --exec "$SCRATCH/program"
start_tool named monitor t
wait_for 60 grep -q "t: is not running: waiting for its start" "$SCRATCH/named.err"
: >"$SCRATCH/named.err"

say "--- a resync that stands still"
# The first window waits for a member that answers nothing; the array is made before.
tool 0 create t --level raid5 --chunk 16 --force "${members[@]}"
told monitor "t: new: healthy"
told named "t: new: healthy"
wait_sync t idle
judged healthy t
start_tool watch status --watch t
told watch "t: healthy, AAA, idle"
must dmsetup suspend --noflush --nolockfs m0
must dmsetup message t 0 resync
wait_sync t resync
told monitor "t: sync: idle -> resync"
told watch "t: healthy, AAA, resync 0 %.*"
judged syncing t
tool 0 frozen t
says "t: background work is frozen until 'cascadesetup idle t'; parity is made right up to 0.0 %" "$out"
must dmsetup resume m0
wait_sync t frozen
told monitor "t: sync: resync -> frozen"
told watch "t: healthy, AAA, frozen [0-9]+ %"
tool 0 status t
judged frozen t
tool 0 idle t
expect_match "idle" "t: background work has ended; parity is made right up to [0-9.]+ %, the rest at the next start" "$out"
expect "sync action after idle" idle "$(status_word t 5)"
told monitor "t: sync: frozen -> idle"
must dmsetup message t 0 resync
wait_sync t idle
tool 0 idle t
expect "idle where nothing is to be done" "t: background work has ended" "$out"

say "--- a suspended array"
must dmsetup suspend t
judged suspended t
told watch "t: healthy, suspended, AAA, idle"
for command in "fail t ${members[1]}" "idle t" "frozen t"; do
	# shellcheck disable=SC2086
	tool 1 $command
	says "cascadesetup: t: cannot" "$err"
	says "it is suspended: see 'dmsetup resume'" "$err"
done
must dmsetup resume t

say "--- fail"
tool 1 fail t "${DISKS[3]}"
expect "fail of a foreign device" \
	"cascadesetup: ${DISKS[3]}: cannot fail it: it is no member of 't', see 'cascadesetup status t'" "$err"
tool 1 fail t /dev/none
says "cascadesetup: /dev/none: cannot fail it: it is no member of 't'" "$err"
tool 1 fail none "${members[1]}"
says "cascadesetup: none: cannot read its status: there is no device of that name" "$err"
event=$(event_number t)
# By another name of the same device.
must mknod "$SCRATCH/alias" b $((0x$(stat -L -c %t "${members[1]}"))) $((0x$(stat -L -c %T "${members[1]}")))
tool 0 fail t "$SCRATCH/alias"
expect "fail" "t: slot 1 ($SCRATCH/alias) has failed; the array is degraded now (ADA)" "$out"
[ "$(event_number t)" -gt "$event" ] || fail "no event was raised by the failure"
told monitor "t: member 1 \(${members[1]}\): in sync -> failed"
told monitor "t: health: healthy -> degraded"
told watch "t: degraded, ADA, idle"
tool 1 fail t "${members[1]}"
expect "fail of one that is out" "cascadesetup: ${members[1]}: cannot fail it: slot 1 of 't' is out already" "$err"
tool 1 fail t "${members[0]}"
expect "fail of one that is needed" \
	"cascadesetup: ${members[0]}: cannot fail it: the array needs that member: 't' is a raid5 that lacks slot 1 already" "$err"
expect "health" ADA "$(status_word t 3)"
judged degraded t

say "--- a raid0 beside it"
tool 0 create z --level raid0 --force "${DISKS[3]}"
told monitor "z: new: healthy"
judged raid0 z
tool 1 fail z "${DISKS[3]}"
says "cascadesetup: ${DISKS[3]}: cannot fail it: the array needs that member: 'z' is a raid0, which bears no loss" "$err"
for verb in idle frozen; do
	tool 1 $verb z
	says "a raid0 has no parity, so there is no background work" "$err"
done
start_tool stream status --watch --json
wait_for 60 grep -q '"name": "z"' "$SCRATCH/stream"
tool 0 stop z
told monitor "z: gone"

say "--- too much is lost"
break_member m0
must_fail dd if=/dev/zero of=/dev/mapper/t bs=64K count=4 oflag=direct
told monitor "t: health: degraded -> failed"
told watch "t: failed, DDA, idle"
tool 4 status t
judged failed t
tool 0 stop t
told monitor "t: gone"
told named "t: gone"
told watch "t: gone"
# What it named is gone, so it has ended by itself.
r=0
wait "${pids[watch]}" || r=$?
expect "exit code of the watch" 4 $r
heal_member m0
tool 0 status
expect "status of nothing" "" "$out$err"

say "--- without the failed one, read-only"
tool 0 assemble --force "${members[0]}" "${members[2]}"
told monitor "t: new: degraded"
judged missing t
tool 0 stop t
tool 0 assemble --force --read-only "${members[0]}" "${members[2]}"
judged read-only t
tool 1 frozen t
says "cascadesetup: t: cannot freeze its background work: it is read-only: assemble it without --read-only first" "$err"
tool 0 stop t

say "--- on a terminal"
tool 0 create t --level raid5 --chunk 16 --force "${members[@]}"
wait_sync t idle
must dmsetup suspend --noflush --nolockfs m0
must dmsetup message t 0 resync
wait_sync t resync
script -q -e -c "cascadesetup status --watch t" "$SCRATCH/screen" </dev/null >/dev/null 2>&1 &
screen=$!
wait_for 60 grep -qsF "[>                             ] 0 KiB/s, stalled" "$SCRATCH/screen"
must dmsetup resume m0
wait_for 60 grep -qsE "sync +idle.?$" "$SCRATCH/screen"
tool 0 stop t
wait_for 60 grep -qs "t: gone" "$SCRATCH/screen"
wait $screen || fail "status --watch on a terminal: exit code $?"

say "--- to the end"
told monitor "t: gone"
wait_for 60 grep -qx "gone t | t healthy> healthy AAA idle -" "$SCRATCH/program.log"
stop_tool monitor 0
stop_tool named 0
stop_tool stream 0
! grep -q "z:" "$SCRATCH/named" || fail "an array was told of that was not named: $(cat "$SCRATCH/named")"
# Its first resync may be over by then.
expect_match "first run of the program" "new t \| t >healthy healthy AAA (resync|idle) -" "$(head -n 1 "$SCRATCH/program.log")"
for line in "sync t | t idle>resync healthy AAA resync -" \
	"member t ${members[1]} | t in sync>failed degraded ADA idle ${members[1]}" \
	"health t | t healthy>degraded degraded ADA idle -" "new z | z >healthy healthy A idle -" \
	"gone z | z healthy> healthy A idle -"; do
	grep -qxF -e "$line" "$SCRATCH/program.log" ||
		fail "of the program was expected: $line"$'\n'"  got: $(cat "$SCRATCH/program.log")"
done
expect "first line of the stream" 2 "$(head -n 1 "$SCRATCH/stream" | grep -o '"uuid"' | wc -l)"
expect "last line of the stream" "[ ]" "$(tail -n 1 "$SCRATCH/stream")"
for i in 0 1 2; do dm_remove m$i; done
