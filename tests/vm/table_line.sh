#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What "dmsetup table" prints is loaded again as it is, under load too, and says neither create, name, assume_clean
# nor force; with 64 members it fits. A failed member keeps its place and its device. The status line has the form
# that programs rely on. A table that is loaded and cleared writes nothing.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

use_seed
scratch_dir
load_cascade

keys="reads writes full_rows rmw rcw stripe_hits member_reads member_writes intent_writes dirty_regions
	unwritten_regions journal read_errors_fixed lost_blocks spares_idle spares_total cache_state cache_used
	cache_total cache_hits cache_misses cache_bypassed cache_fills cache_evictions cache_errors cache_old_data
	cache_old_parity cache_rescues"

# strict_status NAME LENGTH LEVEL HEALTH TOTAL: the whole line against the contract; keys may only be appended.
strict_status() {
	local line wrong

	line=$(dmsetup status "$1")
	wrong=$(echo "$line" | awk -v length_="$2" -v level="$3" -v health="$4" -v total="$5" -v keys="$keys" '
		function bad(what) { print what }
		function number(text) { return text ~ /^(0|[1-9][0-9]*)$/ }
		{
			if ($0 ~ /^ | $|  /) bad("blanks are not single")
			if ($1 != 0 || $2 != length_ || $3 != "cascade") bad("begins with " $1 " " $2 " " $3)
			if ($4 != level) bad("level " $4)
			if ($5 != length(health)) bad("#members " $5)
			if ($6 != health) bad("health " $6)
			if (split($7, part, "/") != 2 || !number(part[1]) || part[2] != total || part[1] + 0 > total)
				bad("done/total " $7)
			if ($8 !~ /^(idle|resync|recover|check|repair|frozen)$/) bad("sync action " $8)
			if (!number($9)) bad("mismatch blocks " $9)
			if (!number($10) || NF != 10 + 2 * $10) bad("#pairs " $10 ", words " NF)
			nr = split(keys, key, /[ \t\n]+/)
			if ($10 < nr) bad("#pairs " $10 ", keys of the contract " nr)
			for (i = 1; i <= $10; i++) {
				k = $(9 + 2 * i); v = $(10 + 2 * i)
				if (seen[k]++) bad("key " k " twice")
				if (k !~ /^[a-z][a-z0-9_]*$/) bad("key " k)
				if (i <= nr && k != key[i]) bad("key number " i " is " k ", not " key[i])
				if (k == "journal" && v !~ /^(none|ok|replaying|failed)$/ ||
				    k == "cache_state" && v !~ /^(none|warming|ok|degraded|failed)$/ ||
				    i <= nr && k != "journal" && k != "cache_state" && !number(v))
					bad("value of " k ": " v)
			}
		}
		END { if (NR != 1) bad(NR " lines") }')
	[ -z "$wrong" ] || fail "status line: $line"$'\n'"  expected: the form of the contract, health $4, total $5"$'\n'"  got:      $wrong"
}

# numbers DEVICE...: their major:minor.
numbers() {
	local dev list=()

	for dev; do
		if [ "$dev" = - ]; then
			list+=(-)
		else
			list+=("$(dmsetup info -c --noheadings -o major,minor --separator : "${dev##*/}" 2>/dev/null ||
				cat "/sys/class/block/${dev##*/}/dev")")
		fi
	done
	echo "${list[*]}"
}

# expect_line WHAT LEVEL LENGTH "DEVICE..." [ARGUMENT]...: what the table of array must be; left in $line.
expect_line() {
	local what=$1 level=$2 length=$3 devs=$4

	shift 4
	line=$(dmsetup table array)
	# shellcheck disable=SC2086
	expect "$what: table line" "$(array_line "$level" $chunk "$length" "$(numbers $devs)" uuid "$uuid" "$@")" "$line"
}

# reload OPTION...: the printed line in place of the running table, which prints the same then.
reload() {
	must dmsetup load array --table "$line"
	expect "table line of the loaded table" "$line" "$(dmsetup table --inactive array)"
	must dmsetup suspend "$@" array
	must dmsetup resume array
	expect "table line after suspend $*, resume" "$line" "$(dmsetup table array)"
}

unchanged() {
	md5sum "${DISKS[@]}" | diff "$SCRATCH/sums" - >"$SCRATCH/changed" ||
		fail "$1: the disks have changed: < before, > after"$'\n'"$(cat "$SCRATCH/changed")"
}

chunk=64
ramdisks 4 24
three="${DISKS[*]:0:3}"

say "--- loaded and cleared"
md5sum "${DISKS[@]}" >"$SCRATCH/sums"
must dmsetup create array --notable
on_exit dm_remove array
for level in raid0 raid5; do
	must dmsetup load array --table "$(array_line $level $chunk $((6 * 32 * chunk)) "$three" create name data)"
	dmsetup status --inactive array >/dev/null
	must dmsetup clear array
done
unchanged "create on blank disks, loaded and cleared"
array_down array

# fio's verification in the background while the table is replaced, each way of suspending twice.
for level in raid0 raid5; do
	nr_data=$([ $level = raid0 ] && echo 3 || echo 2)
	total=$((128 * chunk)) length=$((nr_data * 128 * chunk))
	say "--- $level: 3 members, length $length"
	array_up array "$(array_line $level $chunk $length "$three" create name data force)"
	uuid=$(uuid_of array)
	expect_match "uuid" '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' "$uuid"
	expect_line "$level after create" $level $length "$three"
	strict_status array $length $level AAA $total
	load_start /dev/mapper/array --size=4M
	for option in --noflush --nolockfs '' --noflush --nolockfs ''; do
		# shellcheck disable=SC2086
		reload $option
		strict_status array $length $level AAA $total
		load_running || break
	done
	load_stop
	wait_sync array idle
	strict_status array $length $level AAA $total
	expect "$level: done/total when idle" $total/$total "$(status_word array 4)"
	must dd if=/dev/zero of=/dev/mapper/array bs=64k count=16 oflag=direct status=none
	must dd if=/dev/mapper/array of=/dev/null bs=64k count=16 iflag=direct status=none
	for key in reads writes member_reads member_writes; do
		[ "$(status_value array $key)" -gt 0 ] ||
			fail "$level: $key after reads and writes: expected > 0, got $(cascade_status array)"
	done
	array_down array

	say "--- $level: other lines"
	array_up array "$line"
	expect_line "$level assembled" $level $length "$three"
	array_down array
	array_up array "${line/ 2 uuid/ 3 no_journal uuid}"
	expect_line "$level with no_journal" $level $length "$three" no_journal
	reload
	array_down array
	array_up array "$(array_line $level $chunk $length "$three")" --readonly
	expect_line "$level with a read-only table" $level $length "$three" read_only
	strict_status array $length $level AAA $total
	array_down array
	array_up array "$line" --readonly
	array_down array

	md5sum "${DISKS[@]}" >"$SCRATCH/sums"
	must dmsetup create array --notable
	for args in "create force assume_clean" ""; do
		# shellcheck disable=SC2086
		must dmsetup load array --table "$(array_line $level $chunk $length "$three" $args)"
		must dmsetup table --inactive array
		must dmsetup clear array
	done
	unchanged "$level: tables over an array, loaded and cleared"
	array_down array
done

say "--- raid5: a failed member"
array_up array "$(array_line raid5 $chunk "$length" "$three" create force assume_clean)"
uuid=$(uuid_of array)
must dmsetup message array 0 fail 1
wait_health array ADA
expect_line "after fail 1" raid5 "$length" "$three"
strict_status array "$length" raid5 ADA "$total"
reload
strict_status array "$length" raid5 ADA "$total"
array_down array
array_up array "$line"
expect_line "assembled with the failed member in its place" raid5 "$length" "$three"
strict_status array "$length" raid5 ADA "$total"
array_down array
array_up array "$(array_line raid5 $chunk "$length" "$(without 1 "$three")")"
expect_line "assembled without it" raid5 "$length" "$(without 1 "$three")"
strict_status array "$length" raid5 A-A "$total"
reload
array_down array
array_up array "$(array_line raid5 $chunk "$length" "$(without 2 "$three")" create force)"
uuid=$(uuid_of array)
expect_line "created without a member" raid5 "$length" "$(without 2 "$three")"
strict_status array "$length" raid5 AA- "$total"
array_down array

# 64 windows of a RAM disk, with the longest names that major:minor makes here.
ramdisks 1 $((64 * 18))
many() {
	local i windows='' names=()

	for ((i = 0; i < 64; i++)); do
		windows+="m$i,,$((1048000 + i)),rw,0 $((18 * 2048)) linear ${DISKS[0]} $((i * 18 * 2048));"
		names+=("/dev/mapper/m$i")
	done
	must dmsetup create --concise "$windows"
	all=${names[*]}
}
# shellcheck disable=SC2046
few() {
	dmsetup info m0 >/dev/null 2>&1 || return 0
	dmsetup remove --retry $(seq -f m%.0f 0 63)
}
on_exit few
many
for level in raid0 raid5; do
	nr_data=$([ $level = raid0 ] && echo 64 || echo 63)
	length=$((nr_data * 2048))
	say "--- $level: 64 members, length $length"
	array_up array "$(array_line $level $chunk $length "$all" create name many assume_clean force)"
	uuid=$(uuid_of array)
	expect_line "$level of 64" $level $length "$all"
	strict_status array $length $level "$(printf 'A%.0s' $(seq 64))" 2048
	must dd if=/dev/urandom of=/dev/mapper/array bs=1M oflag=direct count=8 status=none
	image /dev/mapper/array "$SCRATCH/image" $((8 << 20))
	reload
	same "$level of 64 after reload" "$SCRATCH/image" /dev/mapper/array $((8 << 20))
	[ $level = raid0 ] || {
		must dmsetup message array 0 fail 63
		wait_health array "$(printf 'A%.0s' $(seq 63))D"
		reload
		strict_status array $length $level "$(printf 'A%.0s' $(seq 63))D" 2048
	}
	array_down array
done
few
