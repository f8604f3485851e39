#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cascadesetup against the real module: create and what it refuses, status and its exit codes, JSON, table, fail,
# stop, assemble and what it refuses, examine, and rescue tables whose data the stock targets judge.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade
# 16 MiB before the data, 3 of data, 1 after it.
ramdisks 6 20
length=$((3 * 3 * 2048))
big=("${DISKS[@]:0:4}")
other=("${DISKS[@]:4}")
m=/dev/mapper/t
on_exit dm_remove t
on_exit dm_remove t2
for i in 0 1 2 3; do on_exit dm_remove t-rescue-$i; done
on_exit dm_remove t-rescue
on_exit unmount

unmount() {
	! mountpoint -q /mnt/m || umount /mnt/m
}

# tool CODE ARGUMENT...: runs it; it must end with that code. Leaves $out (stdout) and $err.
tool() {
	local want=$1 r=0

	shift
	out=$(cascadesetup "$@" 2>"$SCRATCH/err") || r=$?
	err=$(cat "$SCRATCH/err")
	[ $r -eq "$want" ] || fail "cascadesetup $*"$'\n'"  expected: exit code $want"$'\n'"  got:      $r: $out $err"
}

# says TEXT WHERE: TEXT stands in it.
says() {
	[[ $2 == *"$1"* ]] || fail "expected: a text with: $1"$'\n'"  got:    $2"
}

# silent TEXT: nothing was said.
silent() {
	expect "output" "" "$1"
}

gone() {
	! dmsetup info "$1" >/dev/null 2>&1 || fail "$1 is there"
}

# refused TEXT ARGUMENT...: create or assemble ends with 1, says so, leaves no device.
refused() {
	local text=$1

	shift
	tool 1 "$@"
	says "$text" "$err"
	gone t
}

# blank DEVICE...: as new.
blank() {
	local d

	for d; do must dd if=/dev/zero of="$d" bs=64K oflag=direct,seek_bytes count=$(($(sectors_of "$d") / 128)) status=none; done
}

sum() {
	# Piping would double the cost.
	md5sum "$@" | md5sum
}

# json_flat: pretty-printed JSON as lines PATH=VALUE, such as 0.members.2.state=failed; the guest has no parser of
# its own. What breaks the grammar is a line with BAD.
json_flat() {
	awk '
		function put(v) { if (v ~ /^".*"$/) v = substr(v, 2, length(v) - 2); print p[d] k "=" v }
		function open_it(c) { d++; kind[d] = c; n[d] = 0; p[d] = d == 1 ? "" : p[d - 1] k "." }
		function element() { if (kind[d] == "[") { k = n[d]++ } }
		function bad(why) { print "BAD " NR ": " why ": " $0; wrong = 1; exit 1 }
		{
			line = $0
			sub(/^[ \t]+/, "", line)
			comma = sub(/,[ \t]*$/, "", line)
			# The comma stands after every element but the last of its kind.
			closing = line ~ /^[\]}]/
			if (NR > 1 && !closing && !fresh && !had) bad("no comma before this line")
			if (closing && had) bad("a comma before the end")
			fresh = 0
			had = comma
			if (closing) {
				if ((line == "]") != (kind[d] == "[") || line !~ /^[\]}]$/) bad("ends what did not begin")
				d--
				next
			}
			if (d == 0 || kind[d] == "[") element()
			else {
				if (!match(line, /^"[a-z_A-Z0-9]+": ?/)) bad("no key")
				k = substr(line, 2, index(substr(line, 2), "\"") - 1)
				line = substr(line, RLENGTH + 1)
			}
			if (line == "[" || line == "{") { if (comma) bad("a comma too early"); open_it(line); fresh = 1; next }
			if (line == "[]" || line == "{}") { print p[d] k "=" line; next }
			if (line !~ /^("([^"\\]|\\.)*"|-?[0-9]+(\.[0-9]+)?|true|false|null)$/) bad("no value")
			put(line)
		}
		END { if (!wrong && d != 0) print "BAD: ends too early" }'
}

json_read() {
	flat=$(json_flat <<<"$1")
	[[ $flat != *BAD* ]] || fail "no valid JSON: $flat"$'\n'"$1"
}

# json_is PATH VALUE
json_is() {
	grep -qxF -- "$1=$2" <<<"$flat" || fail "JSON: $1"$'\n'"  expected: $2"$'\n'"  got:      $(grep "^$1=" <<<"$flat")"
}

json_value() {
	sed -n "s/^$1=//p" <<<"$flat"
}

# --- create

what_create_refuses() {

	blank "${big[@]}"
	before=$(sum "${big[@]}")
	must mkfs.ext4 -q "${other[0]}"
	refused "${other[0]}: holds ext4 filesystem: use --force to overwrite it" create t --level raid5 "${big[@]:0:2}" "${other[0]}"
	mkdir -p /mnt/m
	must mount "${other[0]}" /mnt/m
	refused "is mounted on /mnt/m" create t --level raid5 --force "${big[@]:0:2}" "${other[0]}"
	must umount /mnt/m
	must mkswap "${other[0]}"
	must swapon "${other[0]}"
	refused "is in use as swap" create t --level raid5 --force "${big[@]:0:2}" "${other[0]}"
	must swapoff "${other[0]}"
	dm_create held "0 2048 linear ${other[0]} 0"
	refused "is held by" create t --level raid5 --force "${big[@]:0:2}" "${other[0]}"
	dm_remove held
	sectors=$(blockdev --getsz "${other[0]}")
	dm_create bad_end "0 $((sectors - 8)) linear ${other[0]} 0
$((sectors - 8)) 8 error"
	refused "/dev/mapper/bad_end: holds what cannot be told (Input/output error): use --force to overwrite it" \
		create t --level raid5 "${big[@]:0:2}" /dev/mapper/bad_end
	dm_remove bad_end
	refused "${big[0]}: is given twice" create t --level raid5 "${big[@]}" "${big[0]}"
	must mknod "$SCRATCH/alias" b $((0x$(stat -c %t "${big[0]}"))) $((0x$(stat -c %T "${big[0]}")))
	refused "is given twice" create t --level raid5 "${big[@]}" "$SCRATCH/alias"
	blank "${other[0]}"
	dm_create small "0 34943 linear ${other[0]} 0"
	refused "small: is too small" create t --level raid5 "${big[@]:0:2}" /dev/mapper/small
	dm_remove small
	must blockdev --setro "${big[1]}"
	refused "${big[1]}: is read-only" create t --level raid5 "${big[@]}"
	must blockdev --setrw "${big[1]}"
	refused "/dev/none: " create t --level raid5 "${big[@]}" /dev/none
	truncate -s 40M "$SCRATCH/file"
	refused "is an image file" create t --level raid5 "${big[@]:0:2}" "$SCRATCH/file"
	rm "$SCRATCH/file"
	for words in "--level raid5" "--level raid5 ${big[0]}" "--level raid5 missing missing ${big[0]}" \
		"--level raid0 missing ${big[*]}" "--level raid7 ${big[*]}" "${big[*]}" "--level raid5 --chunk 3K ${big[*]}" \
		"--level raid5 --chunk 32M ${big[*]}" "--level raid6 ${big[*]}" "--level raid5 --frob ${big[*]}"; do
		# shellcheck disable=SC2086
		tool 2 create t $words
		[ -n "$err" ] || fail "no word of why: create t $words"
		gone t
	done
	tool 2 create '../x' --level raid5 "${big[@]}"
	expect "what the devices hold after all these refusals" "$before" "$(sum "${big[@]}")"
	blank "${other[0]}"
}

create_and_dry_run() {
	local line d

	tool 0 create t --level 5 --chunk 16 --dry-run "${big[@]}"
	gone t
	expect "what the devices hold after --dry-run" "$before" "$(sum "${big[@]}")"
	says "t: raid5, 4 members, chunk 16 KiB" "$out"
	line=$(tail -n 1 <<<"$out")
	expect "the line of --dry-run" "0 $length cascade raid5 32 4 ${big[*]} 3 create name t" "$line"

	tool 0 create t --level 5 --chunk 16 "${big[@]}"
	silent "$err"
	says "t: created as $m" "$out"
	[ -b $m ] || fail "there is no $m"
	expect "length" $length "$(sectors_of $m)"
	wait_sync t idle
	expect "uuid of the mapped device" "CASCADE-$(uuid_of t)" "$(dmsetup info -c --noheadings -o uuid t)"
	tool 1 create t --level raid5 "${other[@]}" missing
	says "t: this device-mapper name is taken" "$err"
	tool 1 create t2 --level raid5 --force "${big[0]}" "${other[@]}"
	says "${big[0]}: is held by" "$err"
	gone t2
	tool 0 stop t
	silent "$out$err"
	gone t
	# A name that the array has already is in its superblocks.
	refused "${big[2]}: holds the superblock of cascade array 't': use --force" create t --level raid5 "${big[2]}" "${other[@]}"

	tool 0 create t --level raid5 --force "${big[@]:0:3}" missing
	says "${big[0]}: holds the superblock of cascade array 't': it is overwritten" "$err"
	says "slot 3   missing" "$out"
	expect "health" "AAA-" "$(status_word t 3)"
	tool 0 stop t

	# Signatures at both ends go.
	must mkfs.ext4 -q "${other[0]}"
	must mdadm --create --run --level=1 --metadata=1.0 --raid-devices=2 /dev/md9 "${other[1]}" missing
	must mdadm --stop /dev/md9
	refused "holds linux_raid_member raid member" create t --level raid0 "${other[@]}"
	tool 0 create t --level raid0 --force "${other[@]}"
	tool 0 stop t
	for d in "${other[@]}"; do
		expect "signatures on $d" "" "$(wipefs -n "$d")"
	done
}

# --- what a running array shows

show_running() {
	local line word

	tool 0 create t --level raid5 --force "${big[@]}"
	wait_sync t idle
	tool 0 create t2 --level raid0 --force "${other[@]}"
	tool 0 status t t2
	says "t: healthy" "$out"
	tool 0 status
	says "t2: healthy" "$out"
	tool 0 list
	expect_match "list" "NAME +LEVEL +MEMBERS +SIZE +HEALTH"$'\n'"t +raid5 +4 +9 MiB +healthy"$'\n'"t2 +raid0 +2 +6 MiB +healthy" "$out"
	tool 0 list --json
	json_read "$out"
	for line in 0.name=t 0.level=raid5 0.nr_members=4 0.size_sectors=$length 0.health=healthy 1.name=t2 1.level=raid0; do
		json_is "${line%%=*}" "${line#*=}"
	done

	must dd if=/dev/urandom of=$m bs=64K count=40 oflag=direct status=none
	tool 0 status --json t
	json_read "$out"
	line=$(cascade_status t)
	read -r -a words <<<"$line"
	json_is 0.name t
	json_is 0.level "${words[0]}"
	json_is 0.nr_members "${words[1]}"
	json_is 0.chunk_sectors 128
	json_is 0.uuid "$(uuid_of t)"
	json_is 0.read_only false
	json_is 0.suspended false
	json_is 0.sync.done_sectors "${words[3]%/*}"
	json_is 0.sync.total_sectors "${words[3]#*/}"
	json_is 0.sync.action "${words[4]}"
	json_is 0.mismatch_blocks "${words[5]}"
	for i in 0 1 2 3; do
		json_is 0.members.$i.slot $i
		json_is 0.members.$i.device "${big[i]}"
		json_is 0.members.$i.state "in sync"
	done
	expect "counted pairs" "$(((${#words[@]} - 7) / 2))" "${words[6]}"
	for ((i = 7; i < ${#words[@]}; i += 2)); do
		json_is "0.counters.${words[i]}" "${words[i + 1]}"
	done
	[ "$(json_value 0.counters.writes)" -gt 0 ] || fail "no writes are counted: $line"

	tool 0 table t
	expect "table" "$(dmsetup table t)" "$out"
	expect_match "table" "0 $length cascade raid5 128 4( [0-9]+:[0-9]+){4} 2 uuid [0-9a-f-]{36}" "$out"
	line=$out
	sum_before=$(sum $m)
	# It can be loaded again as it is: over itself, and after a stop.
	dm_swap t "$line"
	expect "data after a reload" "$sum_before" "$(sum $m)"
	tool 0 stop t
	array_up t "$line"
	expect "table after a start from it" "$line" "$(dmsetup table t)"
	expect "data after a start from it" "$sum_before" "$(sum $m)"
	wait_sync t idle

	tool 0 stop --all
	gone t
	gone t2
	tool 0 status
	silent "$out$err"
	tool 0 list --json
	json_read "$out"
	for word in status table stop; do
		tool 1 $word t
		says "there is no device of that name" "$err"
	done
	dm_create foreign "0 2048 zero"
	tool 1 status foreign
	says "it is not a cascade array" "$err"
	tool 1 stop foreign
	must dmsetup info foreign
	dm_remove foreign
	expect_match "version" "cascadesetup [0-9.]+"$'\n'"cascade target [0-9.]+" "$(cascadesetup version)"
}

# --- fail, stop, assemble, rescue

busy() {
	tool 0 assemble "${big[@]}"
	tool 1 assemble "${big[@]}"
	says "t: the array is running already as /dev/mapper/t" "$err"
	wait_sync t idle
	must mkfs.ext4 -q $m
	must mount $m /mnt/m
	tool 1 stop t
	says "t: cannot stop: it is mounted on /mnt/m" "$err"
	expect "health" AAAA "$(status_word t 3)"
	must umount /mnt/m
	exec 7<$m
	tool 1 stop t
	says "t: cannot stop: it is open in process" "$err"
	exec 7<&-
	must dd if=/dev/urandom of=$m bs=1M oflag=direct status=none count=9
	image $m "$SCRATCH/data"
	tool 0 stop t
}

# shuffled DEVICE...: in $order.
shuffled() {
	mapfile -t order < <(printf '%s\n' "$@" | shuf --random-source=<(while :; do echo "$SEED"; done))
}

# rescued WHAT DEVICE...: the stock targets must show $SCRATCH/data, through read-only devices.
rescued() {
	local what=$1

	shift
	tool 0 rescue-table "$@"
	must dmsetup create --concise "$out"
	expect "$what: writable devices" "" "$(dmsetup info -c --noheadings -o name,attr | grep rescue | grep -v 'r$' || true)"
	expect "$what: length" $(($(stat -c %s "$SCRATCH/data") / 512)) "$(sectors_of $m-rescue)"
	same "$what" "$SCRATCH/data" $m-rescue
	expect "stock targets only" "" "$(dmsetup table | grep cascade || true)"
	# shellcheck disable=SC2046
	must dmsetup remove --retry t-rescue $(grep -o 't-rescue-[0-9]' <<<"$out" | sort -u)
}

assemble() {
	local i

	for ((i = 0; i < 3; i++)); do
		SEED=$((SEED + 1)) shuffled "${big[@]}"
		tool 0 assemble "${order[@]}"
		expect "t: started as $m" "t: started as $m" "$out"
		same "assembled from ${order[*]}" "$SCRATCH/data" $m
		tool 1 assemble "${order[@]}"
		says "$m" "$err"
		tool 1 rescue-table "${order[@]}"
		says "stop the array that uses it first" "$err"
		silent "$out"
		tool 0 stop t
	done
	tool 0 assemble --name u "${big[@]}"
	on_exit dm_remove u
	tool 1 assemble "${big[@]}"
	gone t
	tool 0 stop u
	tool 0 assemble --dry-run "${order[@]}"
	expect_match "the line of assemble --dry-run" "0 $length cascade raid5 128 4 ${big[*]} 2 uuid [0-9a-f-]{36}" "$out"
	gone t

	blank "${other[0]}"
	refused "${other[0]}: is no member of an array" assemble "${big[@]}" "${other[0]}"
	tool 0 create t2 --level raid5 --force "${other[@]}" missing
	wait_sync t2 idle
	tool 0 stop t2
	refused "belongs to array 't2'" assemble "${big[@]:0:3}" "${other[0]}"
	refused "is the same device" assemble "${big[@]}" "${big[0]}"
	# A copy of a member.
	must dd if="${big[0]}" of="${other[0]}" bs=1M oflag=direct status=none
	refused "one is a copy of the other" assemble "${big[@]}" "${other[0]}"

	before=$(sum "${big[@]}")
	tool 0 assemble --read-only "${big[@]}"
	says "read-only" "$out"
	expect "read-only device" 1 "$(blockdev --getro $m)"
	same "assembled read-only" "$SCRATCH/data" $m
	tool 0 status --json t
	json_read "$out"
	json_is 0.read_only true
	tool 0 stop t
	expect "what the devices hold after --read-only" "$before" "$(sum "${big[@]}")"
}

degraded() {
	local victim=${big[1]} rest=("${big[3]}" "${big[0]}" "${big[2]}")

	rescued "read by the stock target, whole" "${big[@]}"
	# Without each member in turn, which nobody has told the others.
	for i in 0 1 2 3; do
		mapfile -t order < <(printf '%s\n' "${big[@]}" | grep -vxF "${big[i]}")
		rescued "read by the stock target, without member $i" "${order[@]}"
	done

	tool 0 assemble "${big[@]}"
	event=$(event_number t)
	tool 1 fail t "${other[1]}"
	says "is no member of 't'" "$err"
	tool 0 fail t "$victim"
	expect "fail" "t: slot 1 ($victim) has failed; the array is degraded now (ADAA)" "$out"
	[ "$(event_number t)" -gt "$event" ] || fail "no event was raised by the failure"
	tool 3 status t
	says "t: degraded" "$out"
	tool 3 status --json t
	json_read "$out"
	json_is 0.health degraded
	json_is 0.members.1.state failed
	json_is 0.members.0.state "in sync"
	expect "health" ADAA "$(status_word t 3)"
	tool 1 fail t "$victim"
	says "out already" "$err"
	tool 1 fail t "${big[0]}"
	says "the array needs that member" "$err"
	tool 0 create t2 --level raid0 --force "${other[@]}"
	tool 3 status
	tool 0 status t2
	tool 0 stop t2
	# The failed one misses a write.
	must dd if=/dev/urandom of=$m bs=1M count=9 oflag=direct status=none
	image $m "$SCRATCH/data"
	tool 0 stop t

	refused "it would be degraded (slot 1); name the missing devices too, or use --run" assemble "${rest[@]}"
	refused "it would be degraded (slot 1)" assemble "${big[@]}"
	says "$victim: left out: slot 1 missed writes" "$err"
	refused "too many members are gone" assemble --run "${big[@]:0:2}"
	tool 1 rescue-table "${big[@]:0:2}"
	says "more members are gone than a raid5 bears" "$err"
	silent "$out"

	rescued "read by the stock target, with a stale member" "${big[@]}"
	says "$victim: left out" "$err"
	rescued "read by the stock target, degraded" "${rest[@]}"
	tool 0 assemble --run "${rest[@]}"
	says "degraded" "$out"
	same "assembled degraded" "$SCRATCH/data" $m
	expect "health" "A-AA" "$(status_word t 3)"
	tool 0 stop t
	tool 0 assemble --run "${big[@]}"
	expect "health" "A-AA" "$(status_word t 3)"
	same "assembled degraded, a stale member named" "$SCRATCH/data" $m
	tool 3 status t
	tool 0 stop t
}

# The loss of more than the level bears is status 4; nothing of it is recorded.
failed() {
	local i

	for i in 0 1 2; do member part$i "${big[i]}"; done
	tool 0 create t2 --level raid5 --force /dev/mapper/part0 /dev/mapper/part1 /dev/mapper/part2
	wait_sync t2 idle
	tool 0 fail t2 /dev/mapper/part0
	break_member part1
	must_fail dd if=/dev/zero of=/dev/mapper/t2 bs=1M count=4 oflag=direct
	tool 4 status t2
	says "t2: failed" "$out"
	tool 4 status --json
	json_read "$out"
	json_is 0.health failed
	tool 0 stop t2
	for i in 0 1 2; do dm_remove part$i; done
}

raid0_rescue() {
	blank "${big[@]}"
	tool 0 create t --level raid0 --chunk 4 --force "${big[@]:0:3}"
	must dd if=/dev/urandom of=$m bs=1M count=9 oflag=direct status=none
	image $m "$SCRATCH/data"
	tool 0 stop t
	rescued "a raid0 read by the stock target" "${big[2]}" "${big[0]}" "${big[1]}"
	refused "too many members are gone" assemble --run "${big[@]:0:2}"
}

examine() {
	tool 0 examine "${big[1]}"
	says "copy 0 at 1 MiB: valid" "$out"
	expect_match "name in examine" ".*name +t"$'\n'".*" "$out"
	tool 0 examine --json "${big[@]:0:3}"
	json_read "$out"
	for i in 0 1 2; do
		json_is $i.device "${big[i]}"
		json_is $i.superblock.name t
		json_is $i.superblock.level raid0
		json_is $i.superblock.slot $i
		json_is $i.superblock.chunk_sectors 8
		json_is $i.superblock.data_offset_sectors "$DATA_START"
		json_is $i.superblock.clean true
		json_is $i.copies.0.valid true
		json_is $i.copies.1.valid true
	done
	# One copy wrong: the other serves.
	must dd if=/dev/zero of="${big[1]}" bs=1M seek=1 count=1 oflag=direct status=none
	tool 0 examine "${big[1]}"
	says "copy 0 at 1 MiB: not valid" "$out"
	tool 0 assemble "${big[@]:0:3}"
	same "started from second copies" "$SCRATCH/data" $m
	tool 0 stop t
	tool 0 examine "${big[1]}"
	says "copy 0 at 1 MiB: valid" "$out"
	blank "${other[0]}"
	tool 1 examine "${other[0]}"
	tool 1 examine /dev/none
}

for part in what_create_refuses create_and_dry_run show_running busy assemble degraded failed raid0_rescue examine; do
	began=$SECONDS
	$part
	say "$part: $((SECONDS - began)) s"
done
