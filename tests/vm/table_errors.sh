#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every rule of the table line has a sentence of its own, which device-mapper logs; the value that broke the rule
# stands beside it. A line that is refused writes to no device and leaves none held.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

scratch_dir
load_cascade
nr_lines=0
declare -A rule_of=()

# read_log: sets got_sentence and got_rest of each line: device-mapper's sentence, and all else the kernel logged.
read_log() {
	dmesg | sed 's/^\[ *[0-9.]*\] //' | awk -v mark="$mark" '
		$0 ~ "^" mark " [0-9]+$" { n = $2; next }
		n == "" { next }
		sub(/^device-mapper: table: [^ ]*: cascade: /, "") {
			if (!sub(/ \(-?[A-Z0-9]+\)$/, "")) $0 = $0 " (and no error number)"
			said[n] = said[n] == "" ? $0 : said[n] " AND " $0
			next
		}
		/^device-mapper: ioctl: error adding target to table$/ { next }
		{ rest[n] = rest[n] " " $0 }
		END { for (n in said) print n "\t" said[n] "\t" rest[n] }' >"$SCRATCH/log"
	got_sentence=() got_rest=()
	while IFS=$'\t' read -r n sentence rest; do
		got_sentence[n]=$sentence got_rest[n]=$rest
	done <"$SCRATCH/log"
}

# refused [OPTION]...: loads each table line of standard input, with these options of dmsetup load. A row is
#   TABLE LINE => SENTENCE [=> VALUE THAT THE LOG NAMES]
# A sentence of " is that of the row above: the same rule, broken in another way. All others differ.
refused() {
	local row line sentence value rule='' n wrong=0 first=$nr_lines
	local -a lines=() sentences=() values=()

	mark=cascade-line-$RANDOM$RANDOM
	while IFS= read -r row; do
		[ -n "$row" ] || continue
		line=${row%% => *} sentence=${row#* => } value=
		[[ $sentence != *' => '* ]] || { value=${sentence#* => }; sentence=${sentence%% => *}; }
		if [ "$sentence" = '"' ]; then
			sentence=$rule
		else
			rule=$sentence
			[ -z "${rule_of[$rule]:-}" ] ||
				fail "two rules share the sentence \"$rule\":"$'\n'"  ${rule_of[$rule]}"$'\n'"  $line"
			rule_of[$rule]=$line
		fi
		n=$nr_lines
		nr_lines=$((nr_lines + 1))
		lines[n]=$line sentences[n]=$sentence values[n]=$value
		echo "<5>$mark $n" >/dev/kmsg
		must_fail dmsetup load wrong "$@" --table "$line"
	done
	read_log
	for ((n = first; n < nr_lines; n++)); do
		if [ "${got_sentence[n]:-}" != "${sentences[n]}" ] ||
			[[ ${got_rest[n]:-} != *"${values[n]}"* ]]; then
			wrong=$((wrong + 1))
			cat >&2 <<-REPORT
				table line: ${lines[n]}
				  expected: ${sentences[n]}${values[n]:+, and in the log: ${values[n]}}
				  got:      ${got_sentence[n]:-no sentence},${got_rest[n]:- and nothing else}
			REPORT
		fi
	done
	[ $wrong -eq 0 ] || fail "$wrong of $((nr_lines - first)) lines"
	expect "tables of the device after $((nr_lines - first)) wrong lines" "" "$(dmsetup table --inactive wrong)"
}

remember() {
	md5sum "${DISKS[@]}" >"$SCRATCH/sums"
}

untouched() {
	md5sum "${DISKS[@]}" | diff "$SCRATCH/sums" - >"$SCRATCH/changed" ||
		fail "refused lines wrote to devices: < before, > after"$'\n'"$(cat "$SCRATCH/changed")"
}

unmount() {
	! mountpoint -q /mnt/disk || umount /mnt/disk
}

# A member of 18 MiB has room for 1 MiB of data: 32 rows; half of it is used.
ramdisks 8 18
chunk=64 len=2048 largest=4096
must dmsetup create wrong --notable
on_exit dm_remove wrong

d=("${DISKS[@]}")
T="0 $len cascade"
abc="${d[0]} ${d[1]} ${d[2]}"
must mke2fs -q -F -b 4096 -E lazy_itable_init=0 "${d[6]}" 2048
mkdir -p /mnt/disk
must mount -o ro "${d[6]}" /mnt/disk
on_exit unmount
fill "$SCRATCH/random" 18
must dd if="$SCRATCH/random" of="${d[7]}" bs=1M oflag=direct status=none
remember

say "--- words and numbers"
spares=$(printf 'spare disk%s ' $(seq 17))
caches=$(printf 'cache disk%s ' $(seq 9))
name64=$(printf 'n%.0s' $(seq 64))
refused <<LIST
$T => level is missing, raid0, raid5, raid6 or raid10 is accepted
$T raid4 $chunk 3 $abc 0 => level must be raid0, raid5, raid6 or raid10 => "raid4"
$T RAID5 $chunk 3 $abc 0 => " => "RAID5"
$T raid5 => chunk_sectors is missing after the level
$T raid5 64k 3 $abc 0 => chunk_sectors must be a decimal number of sectors => "64k"
$T raid5 -8 3 $abc 0 => " => "-8"
$T raid5 0x40 3 $abc 0 => " => "0x40"
$T raid5 4294967360 3 $abc 0 => " => "4294967360"
$T raid5 0 3 $abc 0 => chunk_sectors must be from 8 to 32768 => "0"
$T raid5 4 3 $abc 0 => " => "4"
$T raid5 65536 3 $abc 0 => " => "65536"
$T raid5 24 3 $abc 0 => chunk_sectors must be a power of two => "24"
$T raid5 $chunk => #members is missing after chunk_sectors
$T raid5 $chunk three $abc 0 => #members must be a decimal number => "three"
$T raid5 $chunk 65 $abc 0 => #members must be at most 64 => "65"
$T raid0 $chunk 0 0 => #members must be at least 1 for raid0 => "0"
$T raid5 $chunk 2 ${d[0]} ${d[1]} 0 => #members must be at least 3 for raid5 => "2"
$T raid6 $chunk 3 $abc 0 => #members must be at least 4 for raid6 => "3"
$T raid10 $chunk 1 ${d[0]} 0 => #members must be at least 2 for raid10 => "1"
$T raid5 $chunk 3 ${d[0]} ${d[1]} => members are fewer than #members says, each slot needs a device or -
$T raid5 $chunk 3 ${d[0]} ${d[1]} ${d[0]} 0 => a member must be a device that is not named in another slot => "${d[0]}"
$T raid5 $chunk 3 - - - 0 => members must not all be missing, at least one must be a device
$T raid5 $chunk 3 $abc => #optional_args is missing after the members, 0 is accepted
$T raid5 $chunk 4 $abc 0 => "
$T raid5 $chunk 3 $abc create => #optional_args must be a decimal number => "create"
$T raid5 $chunk 3 $abc ${d[3]} 1 create => " => "${d[3]}"
$T raid5 $chunk 3 $abc 2 create => #optional_args is more than the words that follow it => "2"
$T raid5 $chunk 3 $abc 0 create => #optional_args is less than the words that follow it => "0"
$T raid5 $chunk 3 $abc 1 mirror => optional arguments are create, name, assume_clean, force, uuid, rebuild, spare, cache, cache_block, cache_write, journal, no_journal and read_only => "mirror"
$T raid5 $chunk 3 $abc 2 create Force => " => "Force"
LIST

say "--- optional arguments"
uuid=00112233-4455-6677-8899-aabbccddeeff
refused <<LIST
$T raid5 $chunk 3 $abc 2 create name => name must be followed by the array's name
$T raid5 $chunk 3 $abc 3 create name /dev => name must be 1 to 63 letters, digits and +-._ and begin with a letter or a digit => "/dev"
$T raid5 $chunk 3 $abc 3 create name -x => " => "-x"
$T raid5 $chunk 3 $abc 3 create name $name64 => " => "$name64"
$T raid5 $chunk 3 $abc 1 uuid => uuid must be followed by the array's uuid
$T raid5 $chunk 3 $abc 2 uuid 0011223344556677 => uuid must be hexadecimal digits in the form 8-4-4-4-12 => "0011223344556677"
$T raid5 $chunk 3 $abc 2 uuid ${uuid/a/g} => " => "${uuid/a/g}"
$T raid5 $chunk 3 $abc 1 rebuild => rebuild must be followed by a slot
$T raid5 $chunk 3 $abc 2 rebuild ${d[1]} => rebuild must be followed by a decimal slot number => "${d[1]}"
$T raid5 $chunk 3 $abc 2 rebuild 3 => rebuild must name a slot below #members => "3"
$T raid5 $chunk 3 ${d[0]} - ${d[2]} 2 rebuild 1 => rebuild must name a slot that holds a device, not - => "1"
$T raid5 $chunk 3 $abc 4 rebuild 1 rebuild 1 => rebuild must name a slot only once => "1"
$T raid5 $chunk 3 $abc 1 spare => spare must be followed by a device
$T raid5 $chunk 3 $abc 2 spare - => spare must be followed by a device, - is for members only => "-"
$T raid5 $chunk 3 $abc 2 spare ${d[2]} => spare must be a device that is not named before => "${d[2]}"
$T raid5 $chunk 3 $abc 34 $spares => spare may be given at most 16 times => "disk17"
$T raid5 $chunk 3 $abc 1 cache => cache must be followed by a device
$T raid5 $chunk 3 $abc 2 cache - => cache must be followed by a device, - is for members only => "-"
$T raid5 $chunk 3 $abc 4 spare ${d[3]} cache ${d[3]} => cache must be a device that is not named before => "${d[3]}"
$T raid5 $chunk 3 $abc 18 $caches => cache may be given at most 8 times => "disk9"
$T raid5 $chunk 3 $abc 3 cache ${d[3]} cache_block => cache_block must be followed by a number of sectors
$T raid5 $chunk 3 $abc 4 cache ${d[3]} cache_block 64k => cache_block must be a decimal number of sectors => "64k"
$T raid5 $chunk 3 $abc 4 cache ${d[3]} cache_block 4 => cache_block must be from 8 to 2048 sectors => "4"
$T raid5 $chunk 3 $abc 4 cache ${d[3]} cache_block 4096 => " => "4096"
$T raid5 $chunk 3 $abc 4 cache ${d[3]} cache_block 100 => cache_block must be a power of two => "100"
$T raid5 $chunk 3 $abc 3 cache ${d[3]} cache_write => cache_write must be followed by update or invalidate
$T raid5 $chunk 3 $abc 4 cache ${d[3]} cache_write back => cache_write must be update or invalidate => "back"
$T raid5 $chunk 3 $abc 1 journal => journal must be followed by a device
$T raid5 $chunk 3 $abc 2 journal - => journal must be followed by a device, no_journal is for none => "-"
$T raid5 $chunk 3 $abc 2 journal ${d[0]} => journal must be a device that is not named before => "${d[0]}"
LIST

say "--- arguments that do not go together"
refused <<LIST
$T raid5 $chunk 3 $abc 2 create create => create may be given only once => "create"
$T raid5 $chunk 3 $abc 5 create name a name b => name may be given only once => "name"
$T raid5 $chunk 3 $abc 3 create assume_clean assume_clean => assume_clean may be given only once => "assume_clean"
$T raid5 $chunk 3 $abc 3 create force force => force may be given only once => "force"
$T raid5 $chunk 3 $abc 4 uuid $uuid uuid $uuid => uuid may be given only once => "uuid"
$T raid5 $chunk 3 $abc 6 cache ${d[3]} cache_block 8 cache_block 8 => cache_block may be given only once => "cache_block"
$T raid5 $chunk 3 $abc 6 cache ${d[3]} cache_write update cache_write update => cache_write may be given only once => "cache_write"
$T raid5 $chunk 3 $abc 4 journal ${d[3]} journal ${d[4]} => journal may be given only once => "journal"
$T raid5 $chunk 3 $abc 2 no_journal no_journal => no_journal may be given only once => "no_journal"
$T raid5 $chunk 3 $abc 2 read_only read_only => read_only may be given only once => "read_only"
$T raid5 $chunk 3 $abc 3 create uuid $uuid => uuid is not accepted with create, which makes a new one => "uuid"
$T raid5 $chunk 3 $abc 3 create rebuild 0 => rebuild is not accepted with create => "rebuild"
$T raid5 $chunk 3 $abc 2 create read_only => read_only is not accepted with create => "read_only"
$T raid5 $chunk 3 ${d[0]} - - 1 create => create accepts only as many missing members as the level can lose => "-"
$T raid0 $chunk 2 ${d[0]} - 1 create => " => "-"
$T raid5 $chunk 3 $abc 2 name data => name is accepted only with create => "name"
$T raid5 $chunk 3 $abc 1 assume_clean => assume_clean is accepted only with create => "assume_clean"
$T raid5 $chunk 3 $abc 3 read_only rebuild 0 => rebuild is not accepted with read_only => "rebuild"
$T raid5 $chunk 3 $abc 3 journal ${d[3]} no_journal => journal and no_journal exclude each other => "no_journal"
$T raid5 $chunk 3 $abc 2 cache_block 8 => cache_block is accepted only with cache => "cache_block"
$T raid5 $chunk 3 $abc 2 cache_write update => cache_write is accepted only with cache => "cache_write"
$T raid0 $chunk 2 ${d[0]} ${d[1]} 2 rebuild 0 => rebuild is not accepted at raid0, which has no redundancy => "rebuild"
$T raid0 $chunk 2 ${d[0]} ${d[1]} 2 spare ${d[3]} => spare is not accepted at raid0, which has no redundancy => "spare"
$T raid5 $chunk 3 $abc 1 read_only => read_only is only accepted with a read-only table
LIST
refused --readonly <<LIST
$T raid5 $chunk 3 $abc 1 create => create is not accepted with a read-only table
LIST

say "--- what this version does not carry out"
refused <<LIST
$T raid6 $chunk 4 $abc ${d[3]} 1 create => level must be raid0 or raid5 in this version
$T raid10 $chunk 4 $abc ${d[3]} 1 create => "
$T raid5 $chunk 3 $abc 3 create cache ${d[3]} => cache is not available in this version
$T raid5 $chunk 3 $abc 3 create journal ${d[3]} => journal is not available in this version
$T raid5 $chunk 3 $abc 3 create spare ${d[3]} => spare is not available in this version
$T raid5 $chunk 3 $abc 2 rebuild 0 => rebuild is not available in this version
LIST

say "--- devices"
ln -s "${d[0]}" "$SCRATCH/link"
small=$(loopdisk small $((17 * 2048 + 2 * chunk)))
short=$(loopdisk short $((DATA_START + len / 2 - 8)))
tiny=$(loopdisk tiny 1000)
huge=$((1 << 40))
dm_create huge "0 $huge zero"
dm_create broken "0 $((20 * 2048)) error"
refused <<LIST
$T raid5 $chunk 3 ${d[0]} ${d[1]} /dev/nothing 1 create => a device cannot be opened => /dev/nothing
$T raid5 $chunk 3 ${d[0]} ${d[1]} ${d[6]} 1 create => " => ${d[6]}
$T raid5 $chunk 3 ${d[0]} ${d[1]} $SCRATCH/link 1 create => a device is named for two slots => slots 0 and 2
$T raid5 $chunk 3 $abc 3 create cache ${d[7]} => cache is not blank: erase it, or use "force" => ${d[7]}
$T raid5 $chunk 3 $abc 3 create journal ${d[7]} => journal is not blank: erase it, or use "force" => ${d[7]}
$T raid5 $chunk 3 $abc 3 create spare ${d[7]} => spare is not blank: erase it, or use "force" => ${d[7]}
0 $((len + chunk)) cascade raid5 $chunk 3 $abc 1 create => the length of the table must be a whole number of rows => length is $((len + chunk)) sectors, a row is $((2 * chunk))
0 8 cascade raid5 $chunk 3 $abc 1 create => " => length is 8 sectors, a row is $((2 * chunk))
0 $((largest + 2 * chunk)) cascade raid5 $chunk 3 $abc 1 create => a member is too small for the length of the table => the largest length is $largest sectors, a row is $((2 * chunk))
$T raid5 $chunk 3 ${d[0]} ${d[1]} $small 1 create => " => member 2 ($(cat /sys/class/block/"${small##*/}"/dev)) has room for $((2 * chunk)) sectors of data, $((len / 2)) are needed
$T raid5 $chunk 3 $tiny ${d[1]} ${d[2]} 1 create => " => the largest length is 0 sectors
0 $((1 << 39)) cascade raid0 $chunk 1 /dev/mapper/huge 1 create => the members are too large for the region map => $((1 << 39))
$T raid5 $chunk 3 ${d[0]} ${d[1]} /dev/mapper/broken 1 create => a member's superblock area cannot be read => member 2
$T raid5 $chunk 3 $abc 0 => a member holds no superblock of this target => member 0
$T raid5 $chunk 3 ${d[7]} ${d[1]} ${d[2]} 0 => " => member 0
$T raid0 $chunk 1 /dev/mapper/broken 0 => no member's superblock can be read
LIST
# The log named the largest length: it is accepted, and the disks are as blank as before once the table is cleared.
must dmsetup load wrong --table "0 $largest cascade raid5 $chunk 3 $abc 1 create"
must dmsetup clear wrong
untouched

say "--- zoned devices"
if zoned=$(nulldisk zoned 32 zoned=1 zone_size=4 2>/dev/null); then
	refused <<-LIST
		$T raid0 $chunk 1 $zoned 1 create => a member is a zoned device: these are not accepted => member 0
	LIST
else
	say "none: this kernel's null_blk makes none"
fi

say "--- members of arrays, one of them live"
four=$(nulldisk four 18 blocksize=4096)
expect "logical block size of the null_blk device" 4096 "$(blockdev --getss "$four")"
array_up array "$(array_line raid5 $chunk $len "${d[3]} ${d[4]} ${d[5]}" create assume_clean name second)"
second=$(uuid_of array)
array_down array
array_up array "$(array_line raid5 $chunk $len "$abc" create assume_clean name first)"
first=$(uuid_of array)
must dd if="${d[0]}" of="$short" bs=1M count=16 oflag=direct status=none
must dd if="${d[0]}" of="$small" bs=1M count=17 oflag=direct status=none
must dd if="${d[0]}" of="$four" bs=1M oflag=direct status=none
remember
refused <<LIST
$T raid5 $chunk 3 $abc 1 create => a member belongs to an array already: use "force" to destroy it => slot 0 of array $first "first"
$T raid5 $chunk 3 $abc 2 uuid $second => a member belongs to another array than uuid says => $first
$T raid5 $chunk 3 ${d[0]} ${d[1]} ${d[5]} 2 uuid $first => " => $second
$T raid0 $chunk 2 ${d[0]} ${d[1]} 0 => level is not that of the array => raid5
0 $((len * 3 / 2)) cascade raid5 $chunk 4 $abc ${d[3]} 0 => #members is not that of the array => 3 members
$T raid5 $((2 * chunk)) 3 $abc 0 => chunk_sectors is not that of the array => chunk of $chunk sectors
$T raid5 $chunk 3 ${d[1]} ${d[0]} ${d[2]} 0 => the members are in the wrong order => is slot 1 of the array
$T raid5 $chunk 3 - ${d[0]} ${d[2]} 0 => " => is slot 0 of the array
$T raid5 $chunk 3 ${d[0]} ${d[1]} ${d[5]} 0 => the members belong to different arrays => uuid
$T raid5 $chunk 3 $short ${d[1]} ${d[2]} 0 => a member is smaller than its superblock says => $((DATA_START + len / 2)) are needed
$T raid5 $chunk 3 $four ${d[1]} ${d[2]} 0 => a member's logical block size is larger than the array's => a logical block size of 4096, the array one of 512
0 $((len + 2 * chunk)) cascade raid5 $chunk 3 $abc 0 => the length of the table is not that of the array => the array has $len sectors, the table $((len + 2 * chunk))
0 $((len - 2 * chunk)) cascade raid5 $chunk 3 $abc 0 => " => the array has $len sectors, the table $((len - 2 * chunk))
0 $((len / 2)) cascade raid0 $chunk 1 ${d[0]} 2 create force => a device is in use by another mapped device of this target => 1:0
$T raid5 $chunk 3 - ${d[1]} ${d[2]} 2 uuid $first => the array's uuid is live under another mapped device => $first
$T raid5 $chunk 3 $small - - 0 => "
LIST
untouched
array_down array

say "--- what is found out at the start"
# start_refused LINE REGEX
start_refused() {
	log_mark
	array_refused array "$1"
	[ "$(kernel_lines "$2")" -ge 1 ] ||
		fail "table line: $1"$'\n'"  expected: in the log $2"$'\n'"  got:      $(dmesg | tail -n 5)"
}
remember
start_refused "$T raid5 $chunk 3 ${d[0]} - - 0" '2 of 3 members are missing or stale: more than raid5 bears'
untouched

say "--- nothing is held"
say "$nr_lines lines, ${#rule_of[@]} rules"
[ $nr_lines -ge 60 ] || fail "lines: expected 60 or more, got $nr_lines"
array_down wrong
must unmount
for dev in huge broken; do
	expect "openers of $dev" 0 "$(dmsetup info -c --noheadings -o open $dev)"
done
must rmmod dm-cascade
must rmmod brd
must losetup -d "$small" "$short" "$tiny"
rm /run/loops /dev/shm/loop-{small,short,tiny}
