#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What README.md tells to do on the machine that builds: its "sh host" blocks are run, but for what would change that
# machine: "make install" goes to a folder of the test, and that the module which "modprobe" would load lies in it,
# and that "make demo" and "make check" exist, is all that is looked at of these. What "scripts/deps" would install
# is there when tests run. The other blocks are run by tests/vm/readme.sh.
# shellcheck disable=SC2317 # functions are called from what is evaluated
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

sudo()
{
	"$@"
}

make()
{
	case ${1:-} in
	demo | check) command make -s -n -C "$top" "$@" > "$work/plan" && grep -q "scripts/deps $1" "$work/plan" ;;
	# As an ordinary user, whose PATH has no sbin.
	*) PATH=/usr/bin:/bin command make -s -C "$top" DESTDIR="$work/root" "$@" ;;
	esac
}

modprobe()
{
	[ -n "$(find "$work/root/lib/modules"/*/updates -name "$1.ko")" ]
}

awk '/^```/ { on = $0 == "```sh host"; next } on' "$top/README.md" > "$work/commands"
cd "$top" || exit 1
nr=0
while IFS= read -r line; do
	nr=$((nr + 1))
	ran=$line
	status=0
	# shellcheck disable=SC2086 # words of a command line
	(eval "$line") > "$work/out" 2> "$work/err" < /dev/null || status=$?
	expect_status 0
done < "$work/commands"
[ $nr -ge 4 ] || { echo "README.md has only $nr commands for the host"; wrong=1; }
for file in usr/local/sbin/cascadesetup usr/local/share/man/man8/cascadesetup.8 \
	usr/local/share/cascadesetup/status.schema.json; do
	[ -e "$work/root/$file" ] || { echo "make install left no $file"; wrong=$((wrong + 1)); }
done
finish
