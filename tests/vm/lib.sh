# SPDX-License-Identifier: GPL-2.0-only
#
# Library of the guest tests, for bash. A test begins with
#
#   #!/bin/bash
#   # SPDX-License-Identifier: GPL-2.0-only
#   # What the test proves.
#   # shellcheck source=tests/vm/lib.sh
#   . "$CASCADE_TESTS/lib.sh"
#
# and runs unchanged on both beds. Comment lines of it that scripts/vm reads:
#
#   # timeout: 900         seconds until it counts as hung (default 600)
#   # bed: qemu            only there
#   # kernel: 6.12         only on that series
#   # smp: 4   # mem: 4G   what its guest must have (it then gets a boot of its own, shared with its like)
#   # disk: 256M:disk3     a virtio disk, found with disk_by_name disk3; may be repeated
#   # append: WORDS        more of the kernel's command line (in a boot shared with its like)
#   # icount: yes          a guest with one CPU whose clock counts instructions (QEMU): for what is measured. Its
#                          timeout counts virtual seconds
#   # boots: 2             a boot of its own, so many times; lines that it prints with FIGURE as their first word
#                          must be the same each time
#   # simdisk: yes         dm-simdisk.ko, for simdisks
#   # add: README.md       a file or folder of the project, put into the guest as $CASCADE_HOME/README.md
#   # judge: FILE WORD...   a program of the project that the host runs when the test has passed, its log as standard
#                          input; where it ends with another code than 0 the test has failed
#   # allow-dmesg: REGEX   kernel messages that would fail a test and are meant here; may be repeated
#
# Exit codes: 0 passed, 77 skipped (the last line printed is the reason), else failed. What a helper makes it
# removes at exit, last first, and nothing else; then the module must unload.
# shellcheck shell=bash
set -euo pipefail

SECTOR_BYTES=512
# Set by ramdisks and loopdisks.
DISKS=()
_undo=()

say() {
	echo "$*"
}

# fail MESSAGE: ends the test.
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# expect WHAT EXPECTED GOT: both must be the same text.
expect() {
	[ "$2" = "$3" ] || fail "$1"$'\n'"  expected: $2"$'\n'"  got:      $3"
}

# expect_match WHAT REGEX GOT: GOT must match the extended regular expression as a whole.
expect_match() {
	[[ $3 =~ ^($2)$ ]] || fail "$1"$'\n'"  expected: a match of $2"$'\n'"  got:      $3"
}

# must COMMAND...: runs it, shows its output only if it fails, and then ends the test.
must() {
	local out r=0

	out=$("$@" 2>&1) || r=$?
	[ $r -eq 0 ] || fail "$*"$'\n'"  expected: exit code 0"$'\n'"  got:      $r: $out"
}

# must_fail COMMAND...: the opposite; its output is left in $out.
must_fail() {
	out=$("$@" 2>&1) && fail "$*"$'\n'"  expected: a failure"$'\n'"  got:      exit code 0: $out"
	return 0
}

# wait_for SECONDS COMMAND...: until the command succeeds; the test fails when it does not in that time.
wait_for() {
	local limit=$1 end

	shift
	end=$((SECONDS + limit + 1))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "waited $limit s in vain for: $*"
		sleep 0.05
	done
}

# on_exit COMMAND...: at exit, in reverse order of registration.
on_exit() {
	_undo+=("$(printf '%q ' "$@")")
}

_at_exit() {
	local r=$? i undone=0

	trap - EXIT ERR
	set +e
	for ((i = ${#_undo[@]} - 1; i >= 0; i--)); do
		if ! eval "${_undo[i]}"; then
			echo "cleanup failed: ${_undo[i]}" >&2
			undone=1
		fi
	done
	_drop_loops && _drop_nulldisks || undone=1
	[ $undone -eq 0 ] || { [ $r -ne 0 ] && [ $r -ne 77 ]; } || r=1
	exit $r
}
trap _at_exit EXIT
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR
set -o errtrace

# --- the module

# load_cascade [PARAMETER=VALUE]...: loads dm-cascade.ko with what it depends on; unloaded at exit.
# shellcheck disable=SC2120
load_cascade() {
	local m

	for m in $(modinfo -F depends "$CASCADE_HOME/dm-cascade.ko" | tr ',' ' ') crc32c_generic; do
		modprobe -q "$m" || true
	done
	must insmod "$CASCADE_HOME/dm-cascade.ko" "$@"
	on_exit unload_cascade
}

unload_cascade() {
	_unload dm_cascade
}

# The last reference may be dropped by a worker a moment after the device is gone.
_unload() {
	local i

	grep -q "^$1 " /proc/modules || return 0
	for ((i = 0; i < 100; i++)); do
		rmmod "$1" 2>/dev/null && return 0
		sleep 0.05
	done
	rmmod "$1"
}

# --- devices to build arrays on

# ramdisks COUNT SIZE_MIB: RAM disks with nothing on them in DISKS; those of an earlier call go.
ramdisks() {
	local i

	if grep -q '^brd ' /proc/modules; then
		must rmmod brd
	else
		on_exit _drop_ramdisks
	fi
	must modprobe brd rd_nr="$1" rd_size=$(($2 * 1024)) max_part=0
	DISKS=()
	for ((i = 0; i < $1; i++)); do
		wait_for 10 test -b /dev/ram$i
		DISKS+=("/dev/ram$i")
	done
}

_drop_ramdisks() {
	! grep -q '^brd ' /proc/modules || rmmod brd
}

# simdisks COUNT SIZE_MIB MODEL: RAM disks that take the time of disks with turning media, in DISKS; those of an
# earlier call go. MODEL is nl-sas (7200 rpm), sas-15k, or the words of another, see tests/disks/dm-simdisk.c.
declare -A _simdisk_models=([nl-sas]="7200 800 15200 150 16 256" [sas-15k]="15000 300 6300 170 16 256")
_nr_simdisks=0

simdisks() {
	local i name

	[ -e "$CASCADE_HOME/dm-simdisk.ko" ] || fail "there is no dm-simdisk.ko; say '# simdisk: yes' in the test"
	for ((i = 0; i < _nr_simdisks; i++)); do must dm_remove "simdisk$i"; done
	ramdisks "$1" "$2"
	if ! grep -q '^dm_simdisk ' /proc/modules; then
		modprobe -q dm-mod || true
		must insmod "$CASCADE_HOME/dm-simdisk.ko"
		on_exit _unload dm_simdisk
	fi
	_nr_simdisks=$1
	DISKS=()
	for ((i = 0; i < $1; i++)); do
		name=simdisk$i
		dm_create "$name" "0 $(($2 * 2048)) simdisk /dev/ram$i 0 ${_simdisk_models[$3]:-$3}"
		# A target on RAM disks is no rotating disk to device-mapper.
		echo 1 >"$(sysfs_of "/dev/mapper/$name")/queue/rotational"
		DISKS+=("/dev/mapper/$name")
	done
}

# loopdisk NAME SECTORS: prints a loop device of exactly that size, on a sparse file in memory. Removed at exit.
loopdisk() {
	local file=/dev/shm/loop-$1 dev

	truncate -s $(($2 * SECTOR_BYTES)) "$file"
	modprobe -q loop || true
	dev=$(losetup --find --show "$file") || fail "losetup $file"
	echo "$dev"
	# A caller in $( ) is a subshell, so the list is a file.
	echo "$dev $file" >>/run/loops
}

# loopdisks COUNT SECTORS: loop devices in DISKS.
loopdisks() {
	local i

	DISKS=()
	for ((i = 0; i < $1; i++)); do
		DISKS+=("$(loopdisk "$i-$RANDOM" "$2")")
	done
}

_drop_loops() {
	local dev file r=0

	[ -e /run/loops ] || return 0
	while read -r dev file; do
		losetup -d "$dev" || r=1
		rm -f "$file"
	done </run/loops
	rm -f /run/loops
	return $r
}

# nulldisk NAME SIZE_MIB [ATTRIBUTE=VALUE]...: prints a null_blk device that keeps its data in memory, made
# through configfs with the attributes given (completion_nsec=100000 irqmode=2 ...). Removed at exit.
nulldisk() {
	local dir=/sys/kernel/config/nullb/$1 pair index

	: >/run/nulldisks
	modprobe null_blk nr_devices=0 || fail "null_blk cannot be loaded"
	mountpoint -q /sys/kernel/config || mount -t configfs config /sys/kernel/config
	mkdir "$dir" || fail "null_blk: cannot make $1"
	echo "$2" >"$dir/size"
	echo 1 >"$dir/memory_backed"
	shift 2
	for pair; do
		echo "${pair#*=}" >"$dir/${pair%%=*}" || fail "null_blk: attribute $pair"
	done
	echo 1 >"$dir/power" || fail "null_blk: cannot make $1: $*"
	index=$(cat "$dir/index")
	if [ -b "/dev/${dir##*/}" ]; then echo "/dev/${dir##*/}"; else echo "/dev/nullb$index"; fi
}

_drop_nulldisks() {
	local dir r=0

	[ -e /run/nulldisks ] || return 0
	for dir in /sys/kernel/config/nullb/*/; do
		[ -d "$dir" ] || continue
		rmdir "$dir" || r=1
	done
	rmmod null_blk || r=1
	rm -f /run/nulldisks
	return $r
}

# disk_by_name NAME: prints the device of a disk that scripts/vm attached under that name.
disk_by_name() {
	local pair serial

	for pair in $CASCADE_DISKS; do
		case $pair in
		"$1="*) echo "${pair#*=}"; return ;;
		esac
	done
	for serial in /sys/block/*/serial; do
		[ "$(cat "$serial" 2>/dev/null)" = "$1" ] || continue
		serial=${serial%/serial}
		echo "/dev/${serial##*/}"
		return
	done
	return 1
}

sectors_of() {
	blockdev --getsz "$1"
}

# --- device-mapper

# dm_create NAME TABLE: removed at exit.
dm_create() {
	must dmsetup create "$1" --table "$2"
	on_exit dm_remove "$1"
}

# dm_remove NAME: if it is still there. A probe that opens the device for a moment is waited for.
dm_remove() {
	dmsetup info "$1" >/dev/null 2>&1 || return 0
	dmsetup remove --retry "$1"
}

# dm_swap NAME TABLE: another table under a running device; what is in flight ends first.
dm_swap() {
	must dmsetup load "$1" --table "$2"
	must dmsetup suspend --noflush --nolockfs "$1"
	must dmsetup resume "$1"
}

# member NAME DEVICE [SECTORS [START]]: /dev/mapper/NAME, a window on DEVICE that the functions below can break.
declare -A _member_table=()
member() {
	local sectors=${3:-$(sectors_of "$2")} start=${4:-0}

	_member_table[$1]="0 $sectors linear $2 $start"
	dm_create "$1" "${_member_table[$1]}"
}

# break_member NAME: every request to it fails from now on.
break_member() {
	local -a t

	read -r -a t <<<"${_member_table[$1]}"
	dm_swap "$1" "0 ${t[1]} error"
}

# break_member_writes NAME: reads work, writes fail.
break_member_writes() {
	local -a t

	read -r -a t <<<"${_member_table[$1]}"
	modprobe -q dm-flakey || true
	dm_swap "$1" "0 ${t[1]} flakey ${t[3]} ${t[4]} 0 3600 1 error_writes"
}

# drop_member_writes NAME: writes are reported done and are lost.
drop_member_writes() {
	local -a t

	read -r -a t <<<"${_member_table[$1]}"
	modprobe -q dm-flakey || true
	dm_swap "$1" "0 ${t[1]} flakey ${t[3]} ${t[4]} 0 3600 1 drop_writes"
}

# break_member_range NAME START SECTORS: requests to this range fail, others work.
break_member_range() {
	local -a t
	local table='' end=$(($2 + $3))

	read -r -a t <<<"${_member_table[$1]}"
	[ "$2" -eq 0 ] || table+="0 $2 linear ${t[3]} ${t[4]}"$'\n'
	table+="$2 $3 error"$'\n'
	[ $end -eq "${t[1]}" ] || table+="$end $((t[1] - end)) linear ${t[3]} $((t[4] + end))"
	dm_swap "$1" "$table"
}

# heal_member NAME: as it was when made.
heal_member() {
	dm_swap "$1" "${_member_table[$1]}"
}

# The first line of NAME's status without start, length and target.
cascade_status() {
	dmsetup status "$1" | cut -d ' ' -f 4-
}

# status_word NAME N: the Nth word of it: 3 health, 4 done/total, 5 sync action.
status_word() {
	cascade_status "$1" | cut -d ' ' -f "$2"
}

# status_value NAME KEY: the value of a pair.
status_value() {
	cascade_status "$1" | awk -v key="$2" '{ for (i = 8; i < NF; i += 2) if ($i == key) { print $(i + 1); exit } }'
}

status_word_is() {
	[ "$(status_word "$1" "$2")" = "$3" ]
}

# wait_health NAME LETTERS [SECONDS], wait_sync NAME ACTION [SECONDS]
wait_health() {
	wait_for "${3:-60}" status_word_is "$1" 3 "$2"
}

wait_sync() {
	wait_for "${3:-120}" status_word_is "$1" 5 "$2"
}

# --- the host

# Sends a request line through the control port and expects the answer "ok". QEMU only.
_host() {
	local answer

	[ -e /run/control ] || fail "$CASCADE_BED: there is no control port; say '# bed: qemu' in the test"
	exec 9<>/run/control
	echo "$*" >&9
	read -r -t 60 answer <&9 || answer="no answer within 60 s"
	exec 9>&-
	[ "$answer" = ok ] || fail "host: $*: $answer"
}

_is_gone() {
	! disk_by_name "$1" >/dev/null
}

# host_unplug NAME: pulls the virtio disk of that name out of the running guest; returns when it is gone.
# host_plug NAME: puts it back, with what was on it.
host_unplug() {
	_host unplug "$1"
	wait_for 30 _is_gone "$1"
}

host_plug() {
	_host plug "$1"
	wait_for 30 disk_by_name "$1" >/dev/null
}

# --- chance

# use_seed: sets SEED (given in the environment, else by chance), prints it, and starts RANDOM from it.
use_seed() {
	SEED=${SEED:-$((RANDOM << 15 | RANDOM))}
	say "SEED=$SEED"
	RANDOM=$SEED
}

# random_below N: sets $random to 0..N-1. Not in $( ), whose RANDOM is a copy.
# shellcheck disable=SC2034
random_below() {
	random=$(((RANDOM << 15 | RANDOM) % $1))
}

# scratch_dir: sets SCRATCH to a folder in memory that goes at exit.
scratch_dir() {
	SCRATCH=$(mktemp -d "/dev/shm/test.XXXXXX")
	on_exit rm -rf "$SCRATCH"
}

# --- arrays

# Sectors of a member before its data area, and of the slack after it (of devices below 2 GiB).
DATA_START=32768
# shellcheck disable=SC2034
SLACK=2048

# array_line LEVEL CHUNK LENGTH "DEVICE..." [ARGUMENT]...: prints a table line.
array_line() {
	local level=$1 chunk=$2 length=$3
	local -a slots

	read -r -a slots <<<"$4"
	shift 4
	echo "0 $length cascade $level $chunk ${#slots[@]} ${slots[*]} $#${*:+ $*}"
}

# without SLOT "DEVICE...": prints the devices with "-" in that slot.
without() {
	local -a slots

	read -r -a slots <<<"$2"
	slots[$1]=-
	echo "${slots[*]}"
}

# array_up NAME LINE [OPTION]...: starts an array (or any other mapped device), which is removed at exit.
declare -A _array_known=()
array_up() {
	local name=$1 line=$2

	shift 2
	[ -n "${_array_known[$name]:-}" ] || on_exit dm_remove "$name"
	_array_known[$name]=1
	must dmsetup create "$name" "$@" --table "$line"
}

# array_refused NAME LINE [OPTION]...: the same, but it must not start; what was said is left in $out.
array_refused() {
	local name=$1 line=$2

	shift 2
	must_fail dmsetup create "$name" "$@" --table "$line"
	dmsetup info "$name" >/dev/null 2>&1 || return 0
	fail "$name is there though dmsetup create failed: $line"
}

array_down() {
	must dmsetup remove --retry "$@"
}

uuid_of() {
	dmsetup table "$1" | sed -n 's/.* uuid \([^ ]*\).*/\1/p'
}

# sysfs_of DEVICE: its folder there.
sysfs_of() {
	stat -c '/sys/dev/block/%Hr:%Lr' "$1"
}

# event_number NAME: for dmsetup wait.
event_number() {
	dmsetup info -c --noheadings -o events "$1"
}

# kernel_lines REGEX: counts the lines of the kernel's log since log_mark that match.
log_mark() {
	_log_mark="mark $RANDOM$RANDOM$RANDOM"
	echo "<5>$_log_mark" >/dev/kmsg
}

kernel_lines() {
	dmesg | awk -v m="$_log_mark" 'on; index($0, m) { on = 1 }' | grep -cE "$1" || true
}

# more_writes COUNT: waits until the array named array has been written to that many more times.
more_writes() {
	wait_for 120 _writes_reach $(($(status_value array writes) + $1))
}

_writes_reach() {
	[ "$(status_value array writes)" -ge "$1" ]
}

# within SECONDS COMMAND...: it must end, with success, in that time. One that hangs in the kernel is left behind.
within() {
	local limit=$1 pid r=0

	shift
	"$@" &
	pid=$!
	wait_for "$limit" _ended $pid
	wait $pid || r=$?
	[ $r -eq 0 ] || fail "$*"$'\n'"  expected: exit code 0"$'\n'"  got:      $r"
}

_ended() {
	! kill -0 "$1" 2>/dev/null
}

# slot_of CHUNK MEMBERS: sets $slot to the member that holds a chunk of a RAID-5 array, and $parity to that of its
# row's parity: left-symmetric.
# shellcheck disable=SC2034
slot_of() {
	local row=$(($1 / ($2 - 1)))

	parity=$(($2 - 1 - row % $2))
	slot=$(((parity + 1 + $1 % ($2 - 1)) % $2))
}

# --- bad blocks

# bad_blocks NAME BLOCK...: these 4 KiB blocks of a device made by member() cannot be read until they are written, as
# on a real disk; in rising order. Those of an earlier call are healed. Neither of the stock kernels has dm-dust, but
# a snapshot of nothing fails reads in the same way until a chunk is written.
declare -A _bad_blocks=()
bad_blocks() {
	local name=$1 table='' at=0 i=0 b
	local -a t

	heal_blocks "$name"
	shift
	read -r -a t <<<"${_member_table[$name]}"
	modprobe -q dm-snapshot || true
	if [ -z "${_array_known[$name.cow]:-}" ]; then
		_array_known[$name.cow]=$(loopdisk "$name-cow" 2048)
		on_exit heal_blocks "$name"
	fi
	must dmsetup create "$name.void" --table "0 $(($# * 8)) error"
	must dmsetup create "$name.bad" \
		--table "0 $(($# * 8)) snapshot /dev/mapper/$name.void ${_array_known[$name.cow]} N 8"
	for b; do
		[ $((b * 8)) -eq $at ] || table+="$at $((b * 8 - at)) linear ${t[3]} $((t[4] + at))"$'\n'
		table+="$((b * 8)) 8 linear /dev/mapper/$name.bad $((i * 8))"$'\n'
		at=$((b * 8 + 8)) i=$((i + 1))
	done
	[ $at -eq "${t[1]}" ] || table+="$at $((t[1] - at)) linear ${t[3]} $((t[4] + at))"
	_bad_blocks[$name]=$*
	dm_swap "$name" "$table"
}

# count_bad_blocks NAME: prints how many are left.
count_bad_blocks() {
	dd if="/dev/mapper/$1.bad" of=/dev/null bs=4096 iflag=direct conv=noerror 2>&1 | grep -c 'error reading' || true
}

# heal_blocks NAME: all can be read; those that were not written hold what they held before.
heal_blocks() {
	local b i=0
	local -a t

	[ -n "${_bad_blocks[$1]:-}" ] || return 0
	read -r -a t <<<"${_member_table[$1]}"
	must dmsetup suspend --noflush --nolockfs "$1"
	for b in ${_bad_blocks[$1]}; do
		dd if="/dev/mapper/$1.bad" of="${t[3]}" bs=4096 skip=$i count=1 seek=$((t[4] / 8 + b)) conv=notrunc \
			iflag=direct oflag=direct status=none 2>/dev/null || true
		i=$((i + 1))
	done
	must dmsetup load "$1" --table "${_member_table[$1]}"
	must dmsetup resume "$1"
	unset "_bad_blocks[$1]"
	array_down "$1.bad" "$1.void"
}

# --- what is on a device

# image DEVICE FILE [BYTES]: copies it, read past the page cache.
image() {
	must dd if="$1" of="$2" bs=1M iflag=direct,count_bytes count="${3:-$((1 << 40))}" status=none
}

# same WHAT EXPECTED GOT [BYTES [FROM]]: files or devices must hold the same, of so many bytes (0 = all) from there.
same() {
	local limit=()

	[ "${4:-0}" -eq 0 ] || limit+=(-n "$4")
	[ "${5:-0}" -eq 0 ] || limit+=(-i "$5")
	cmp -s "${limit[@]}" "$2" "$3" && return 0
	fail "$1"$'\n'"  expected: what is in $2${5:+ from byte $5}"$'\n'"  got:      $3, which differs from it in"$'\n'"$(
		cmp -l "${limit[@]}" "$2" "$3" 2>&1 | awk '
			$1 !~ /^[0-9]+$/ { print; next }
			int(($1 - 1) / 512) != last || !n {
				last = int(($1 - 1) / 512)
				if (n++ < 8) print "    sector " last ": " $3 " for " $2 " (octal)"
			}
			END { print "    " n + 0 " sectors in all" }' || true)"
}

# fill FILE MIB: a file of random bytes.
fill() {
	dd if=/dev/urandom of="$1" bs=1M count="$2" status=none
}

# fio_run DEVICE [OPTION]...: fio with the options that all tests share.
_fio_options() {
	_fio=(--name=test --filename="$1" --aux-path="${SCRATCH:-/dev/shm}" --direct=1 --ioengine=libaio --iodepth=16
		--thread --gtod_reduce=1 --randseed="$SEED" --group_reporting "${@:2}")
}

fio_run() {
	_fio_options "$@"
	fio "${_fio[@]}"
}

# fio_start DEVICE [OPTION]...: in the background, as LOAD_PID; what it says goes to $LOAD_LOG. Killed at exit.
fio_start() {
	_fio_options "$@"
	LOAD_LOG=$(mktemp "${SCRATCH:-/dev/shm}/load.XXXXXX")
	fio "${_fio[@]}" >"$LOAD_LOG" 2>&1 &
	LOAD_PID=$!
	on_exit _kill_load $LOAD_PID
}

_kill_load() {
	kill -9 "$1" 2>/dev/null || return 0
	wait "$1" 2>/dev/null
	return 0
}

# What a write test writes: every sector once, in pieces of random size and place, each marked and read back.
FIO_VERIFY="--rw=randwrite --bsrange=512-128k --verify=crc32c --do_verify=1 --verify_fatal=1
	--verify_state_save=0"

# fio_verify DEVICE [OPTION]...
fio_verify() {
	# shellcheck disable=SC2086
	must fio_run "$1" $FIO_VERIFY "${@:2}"
}

# load_start DEVICE [OPTION]...: the same over and over in the background, until load_stop. It has begun.
load_start() {
	local stat writes

	stat=$(sysfs_of "$1")/stat
	writes=$(awk '{ print $5 }' "$stat")
	# shellcheck disable=SC2086
	fio_start "$1" $FIO_VERIFY --time_based --runtime=3600 --output-format=json "${@:2}"
	wait_for 60 _wrote "$stat" "$writes"
}

_wrote() {
	[ "$(awk '{ print $5 }' "$1")" -gt "$2" ] || ! load_running
}

load_running() {
	kill -0 "$LOAD_PID" 2>/dev/null
}

# load_stop: it must have met neither an error nor a wrong byte.
load_stop() {
	local r=0

	kill -TERM "$LOAD_PID" 2>/dev/null || fail "the load ended by itself: $(cat "$LOAD_LOG")"
	wait "$LOAD_PID" || r=$?
	# 128: ended by a signal, and nothing else to report.
	[ $r -eq 0 ] || [ $r -eq 128 ] || fail "fio under load: exit code $r: $(cat "$LOAD_LOG")"
	expect "errors under load" 0 "$(load_value error)"
}

# load_value KEY: the largest value of a key of the load's report.
load_value() {
	sed -n 's/^ *"'"$1"'" : \([0-9]*\).*$/\1/p' "$LOAD_LOG" | sort -rn | head -n 1
}

# --- the stock targets as judges

# stock_windows DATA_SECTORS META DEVICE...: /dev/mapper/window<slot> on the data areas; META is a device of at
# least 512 KiB a member that the stock raid target may keep its own metadata on, or "-".
_stock_members=0
stock_windows() {
	local data=$1 meta=$2 i list=''

	shift 2
	_stock_members=$# _stock_meta=$meta
	for ((i = 0; i < $#; i++)); do
		list+="window$i,,,rw,0 $data linear ${*:i+1:1} $DATA_START;"
		[ "$meta" = - ] || list+="stockmeta$i,,,rw,0 1024 linear $meta $((i * 1024));"
	done
	must dmsetup create --concise "$list"
	[ -n "${_array_known[window]:-}" ] || on_exit stock_windows_down
	_array_known[window]=1
}

stock_windows_down() {
	local i names=()

	for ((i = 0; i < _stock_members; i++)); do
		names+=("window$i")
		[ "$_stock_meta" = - ] || names+=("stockmeta$i")
	done
	_stock_members=0
	[ ${#names[@]} -eq 0 ] || dmsetup remove --retry "${names[@]}"
}

# stock_up LEVEL CHUNK LENGTH [MISSING]: /dev/mapper/stock, which reads the windows as the stock kernel does. With
# a metadata device, and nothing missing, the raid target can check; without one it hangs if it is asked to.
stock_up() {
	local i list='' meta=$_stock_meta

	case $1 in
	raid0)
		for ((i = 0; i < _stock_members; i++)); do list+=" /dev/mapper/window$i 0"; done
		array_up stock "0 $3 striped $_stock_members $2$list"
		;;
	raid5)
		[ -z "${4:-}" ] || meta=-
		[ "$meta" = - ] || must dd if=/dev/zero of="$meta" bs=512K count=$_stock_members oflag=direct status=none
		modprobe -q dm-raid || true
		for ((i = 0; i < _stock_members; i++)); do
			if [ "$i" = "${4:-}" ]; then
				list+=" - -"
			elif [ "$meta" = - ]; then
				list+=" - /dev/mapper/window$i"
			else
				list+=" /dev/mapper/stockmeta$i /dev/mapper/window$i"
			fi
		done
		array_up stock "0 $3 raid raid5_ls 2 $2 nosync $_stock_members$list"
		;;
	*) fail "stock_up: level $1" ;;
	esac
}

# stock_check: sets $mismatches to what the raid target's own check counts; needs a metadata device.
# shellcheck disable=SC2034
stock_check() {
	must dmsetup message stock 0 check
	wait_sync stock idle
	mismatches=$(status_word stock 6)
}
