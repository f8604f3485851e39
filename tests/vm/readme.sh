#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# README.md tells the truth: each of its "sh" blocks is run as it stands, in order, and prints what the "text" block
# after it shows. There "..." stands for anything, one uuid is as good as another, and so are two device numbers.
# Blocks marked "sh host" are for the machine that builds, and are run by tests/tool/readme.sh.
# add: README.md
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

scratch_dir
load_cascade
ramdisks 6 64
letters=(b c d e f g)
for i in 0 1 2 3 4 5; do
	must mknod "/dev/sd${letters[i]}" b $((0x$(stat -c %t "${DISKS[i]}"))) $((0x$(stat -c %T "${DISKS[i]}")))
	on_exit rm -f "/dev/sd${letters[i]}"
done
for name in data scratch data-rescue-{0,1,2,3} data-rescue; do on_exit dm_remove "$name"; done
on_exit unmount
ln -s "$CASCADE_TESTS" "$SCRATCH/tests"

[ -e "$CASCADE_HOME/README.md" ] || fail "there is no README.md in the guest"
unmount() {
	! mountpoint -q /mnt/data || umount /mnt/data
}

# The page's own names for the disks; blanks only part words.
as_printed() {
	local i script='s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g; s/\b[0-9]+:[0-9]+\b/M:N/g; s/[ \t]+/ /g; s/ $//'

	for i in 0 1 2 3 4 5; do
		script+="; s,${DISKS[i]}\\b,/dev/sd${letters[i]},g"
	done
	sed -E "$script"
}

# run_block N: $SCRATCH/N.sh, and what it prints against $SCRATCH/N.text.
run_block() {
	local got want r=0

	say "block $1:" && sed 's/^/  /' "$SCRATCH/$1.sh"
	got=$(cd "$SCRATCH" && bash -euo pipefail "$SCRATCH/$1.sh" 2>&1) || r=$?
	[ $r -eq 0 ] || fail "README.md, block $1: exit code $r: $got"
	if [ -e "$SCRATCH/$1.text" ]; then
		got=$(as_printed <<<"$got")
		# shellcheck disable=SC2016 # characters, no expansions
		want=$(as_printed <"$SCRATCH/$1.text" | sed 's/[][\\.*^$(){}?+|]/\\&/g; s/\\\.\\\.\\\./.*/g')
		expect_match "README.md, what block $1 prints" "$want" "$got"
	fi
	! dmsetup info data >/dev/null 2>&1 || wait_sync data idle
}

blocks=$(awk -v dir="$SCRATCH" '
	/^```/ && !on { on = 1; kind = $0; if (kind == "```sh") file = dir "/" ++n ".sh"
		else if (kind == "```text") file = dir "/" n ".text"; else file = "/dev/null"; next }
	/^```/ { on = 0; close(file); next }
	on { print >file }
	END { print n + 0 }' "$CASCADE_HOME/README.md")
[ "$blocks" -ge 10 ] || fail "README.md has only $blocks blocks to run"
for ((n = 1; n <= blocks; n++)); do
	run_block $n
done
expect "mapped devices that the page leaves behind" "No devices found" "$(dmsetup ls)"
