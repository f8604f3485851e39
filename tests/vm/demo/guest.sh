#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's side of scripts/demo: an array's life from create to rescue, with every step judged. Wants four
# disks named disk1 to disk4 and, if it is there, $CASCADE_HOME/files.tar with the file files.sha256 in it; else
# it takes files of the guest's own root. DEMO_SECONDS is how long fio writes.
#
# What a person should see goes to fd 1, one line at a time: "== TITLE" begins a step, "$ COMMAND" is run as it
# stands, ">> TEXT" is a result that was checked, "## TEXT" a line of the report.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

name=data
dir=/mnt/$name
nr_files=0 nr_mib=0 nr_checks=0

step() {
	say "== $*"
}

ok() {
	nr_checks=$((nr_checks + 1))
	say ">> $*"
}

figure() {
	_figures+="$(printf '## %-37s %s' "$1:" "$2")"$'\n'
}
_figures=

# show COMMAND...: as a user would type it, with its output; the test ends if it fails.
show() {
	local r=0

	say "\$ $*"
	"$@" 2>&1 || r=$?
	[ $r -eq 0 ] || fail "exit code $r: $*"
}

# show_code CODE COMMAND...: the same of one that must end with that exit code.
show_code() {
	local want=$1 r=0

	shift
	say "\$ $*"
	"$@" 2>&1 || r=$?
	expect "exit code of: $*" "$want" "$r"
}

# Seconds with a tenth, of the guest's clock.
now() {
	cut -d ' ' -f 1 /proc/uptime
}

since() {
	awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }'
}

# verify_files WHEN: read from the disks, not from memory, and compared with the checksums.
verify_files() {
	local t

	echo 3 >/proc/sys/vm/drop_caches
	t=$(now)
	(cd "$dir" && sha256sum --quiet -c files.sha256) || fail "files differ $1"
	ok "all $nr_files files read back right $1 ($(since "$t") s)"
}

# --- the files

source_files() {
	if [ ! -e "$CASCADE_HOME/files.tar" ]; then
		scratch_dir
		(cd /usr/lib && find . -xdev -type f -size -64k | head -n 500 >"$SCRATCH/list" &&
			xargs sha256sum <"$SCRATCH/list" >"$SCRATCH/files.sha256" &&
			tar -cf "$CASCADE_HOME/files.tar" -T "$SCRATCH/list" -C "$SCRATCH" files.sha256)
		on_exit rm -f "$CASCADE_HOME/files.tar"
	fi
	nr_mib=$(($(stat -c %s "$CASCADE_HOME/files.tar") / 1048576))
}

# --- the steps

create() {
	step "Four disks become a RAID-5 array"
	show cascadesetup create $name --level raid5 "${disks[@]}"
	on_exit dm_remove $name
	say "computing parity in the background ..."
	wait_sync $name idle 120
	show cascadesetup status $name
	ok "healthy: all four members in sync, parity right"
}

use() {
	local t

	step "A filesystem on it, and real files"
	show mkfs.ext4 -q /dev/mapper/$name
	mkdir -p $dir
	show mount /dev/mapper/$name $dir
	on_exit unmount
	t=$(now)
	show tar -xf "$CASCADE_HOME/files.tar" -C $dir
	show sync
	nr_files=$(wc -l <$dir/files.sha256)
	figure "files copied" "$nr_files, $nr_mib MiB, in $(since "$t") s"
	verify_files "from the whole array"
}

unmount() {
	! mountpoint -q $dir || umount $dir
}

fio_writes() {
	[ "$(status_value $name writes)" -ge $((writes_before + 200)) ] && [ -d "/proc/$fio_pid" ]
}

fail_under_load() {
	local victim=${disks[2]} r=0 t errors read_kib write_kib writes_then writes_after

	step "A disk fails while fio writes and verifies"
	writes_before=$(status_value $name writes)
	say "\$ DEVICE=$dir/fio.data fio --size=48m tests/fio/verify-random.fio &"
	sed "s/^runtime=.*/runtime=${DEMO_SECONDS:-12}/" "$CASCADE_TESTS/fio/verify-random.fio" >/run/demo.fio
	DEVICE=$dir/fio.data fio --size=48m --output-format=json --output=/run/demo.json /run/demo.fio >/run/demo.err 2>&1 &
	fio_pid=$!
	t=$(now)
	wait_for 60 fio_writes
	say "fio has been at it for $(since "$t") s; now a disk goes"
	log_mark
	show cascadesetup fail $name "$victim"
	writes_then=$(status_value $name writes)
	while sleep 1 && kill -0 $fio_pid 2>/dev/null; do
		say "fio goes on: $(status_value $name writes) writes so far, health $(status_word $name 3)"
	done
	wait $fio_pid || r=$?
	[ $r -eq 0 ] || fail "fio: exit code $r: $(tail -n 20 /run/demo.err /run/demo.json)"
	writes_after=$(status_value $name writes)
	[ "$writes_after" -gt "$writes_then" ] || fail "fio was over before the disk failed"
	errors=$(sed -n 's/^ *"error" : \([0-9]*\),*$/\1/p' /run/demo.json | sort -rn | head -n 1)
	expect "errors that fio met" 0 "$errors"
	read_kib=$(sed -n 's/^ *"io_kbytes" : \([0-9]*\),*$/\1/p' /run/demo.json | sed -n 1p)
	write_kib=$(sed -n 's/^ *"io_kbytes" : \([0-9]*\),*$/\1/p' /run/demo.json | sed -n 2p)
	[ "$read_kib" -gt 0 ] || fail "fio verified nothing: $(cat /run/demo.err)"
	ok "fio: $((write_kib / 1024)) MiB written, $((read_kib / 1024)) MiB verified, 0 errors, over the failure of $victim"
	figure "fio, over the loss of a disk" "$((write_kib / 1024)) MiB written, $((read_kib / 1024)) MiB verified, 0 errors"
	figure "writes, before and after the loss" "$((writes_then - writes_before)) and $((writes_after - writes_then))"

	show_code 3 cascadesetup status $name
	say "the kernel's log:"
	dmesg | awk -v m="$_log_mark" 'on; index($0, m) { on = 1 }' | sed -n 's/^\[[ 0-9.]*\] \(.*cascade.*\)/  \1/p'
	expect "health" AADA "$(status_word $name 3)"
	figure "rows written whole / in part" "$(status_value $name full_rows) / $(($(status_value $name rmw) + $(status_value $name rcw)))"
	rm $dir/fio.data
	verify_files "with a disk missing"
}

# The device past the page cache, as it is now.
picture() {
	image /dev/mapper/$name /dev/shm/picture
}

stop_and_start() {
	local rest=("${disks[3]}" "${disks[0]}" "${disks[1]}")

	step "Stopped, and started from what is left"
	show umount $dir
	show cascadesetup stop $name
	say "Nothing starts degraded unasked:"
	show_code 1 cascadesetup assemble "${rest[@]}"
	show cascadesetup assemble --run "${rest[@]}"
	say "checking the filesystem ..."
	must e2fsck -fn /dev/mapper/$name
	ok "e2fsck finds nothing wrong"
	picture
	show cascadesetup stop $name
}

rescue() {
	local size t

	step "The same data without dm-cascade"
	show rmmod dm-cascade
	modprobe -q dm-raid || true
	say "\$ cascadesetup rescue-table ${disks[*]} | dmsetup create --concise"
	cascadesetup rescue-table "${disks[@]}" >/run/demo.table || fail "cascadesetup rescue-table: exit code $?"
	on_exit remove_rescue
	dmsetup create --concise </run/demo.table || fail "dmsetup create --concise: exit code $?"
	show dmsetup table
	t=$(now)
	size=$(stat -c %s /dev/shm/picture)
	same "the array, read by the stock raid target" /dev/shm/picture /dev/mapper/$name-rescue "$size"
	expect "size" $((size / 512)) "$(sectors_of /dev/mapper/$name-rescue)"
	ok "the stock raid target reads the same $((size / 1048576)) MiB, byte for byte"
	figure "compared with the stock raid target" "$((size / 1048576)) MiB, 0 bytes differ"
	show mount -o ro /dev/mapper/$name-rescue $dir
	verify_files "through the stock raid target"
	show umount $dir
}

remove_rescue() {
	local i

	unmount
	dm_remove $name-rescue
	for i in 0 1 2 3; do dm_remove $name-rescue-$i; done
}

disks=()
for i in 1 2 3 4; do
	disks+=("$(disk_by_name disk$i)") || fail "there is no disk named disk$i"
done
source_files
step "dm-cascade in a guest with Linux $(uname -r)"
load_cascade
on_exit rm -f /dev/shm/picture
show cascadesetup version
ok "module and tool are there"

create
use
fail_under_load
stop_and_start
rescue
figure "checks, all right" "$nr_checks"
printf %s "$_figures"
