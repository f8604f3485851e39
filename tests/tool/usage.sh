#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bad usage exits 2, says what is wrong and where help is, and prints nothing else.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

# bad TEXT ARGUMENT...
bad()
{
	local text=$1

	shift
	run "$@"
	expect_status 2
	expect_err "cascadesetup: "
	expect_err "$text"
	expect_err "--help'"
	expect_no_out
}

bad "no command given"
bad "unknown command 'frob'" frob
for command in create assemble stop list status examine table rescue-table fail idle frozen monitor version; do
	bad "unknown option '--frob'" "$command" --frob x y z
	bad "unknown option '-f'" "$command" -f
done
bad "something is missing" create
bad "something is missing" create a
bad "something is missing" assemble
bad "something is missing" examine
bad "something is missing" table
bad "something is missing" rescue-table
bad "something is missing" fail a
bad "something is missing" idle
bad "something is missing" frozen
bad "'x' is too much" list x
bad "'b' is too much" table a b
bad "'c' is too much" fail a b c
bad "'b' is too much" idle a b
bad "'b' is too much" frozen a b
bad "option '--exec' needs a value" monitor --exec
bad "'--exec' names no program" monitor --exec=
bad "'x' is too much" version x
bad "name an array, or use '--all'" stop
bad "'--all' takes no names" stop --all a

bad "'--level' is missing" create a x y z
bad "option '--level' needs a value" create a x y z --level
bad "option '--level' is given twice" create a x y z --level raid5 --level raid5
bad "option '--force' takes no value" create a x y z --level raid5 --force=yes
for level in raid1 raid6 raid10 raid4 5x ''; do
	bad "level '$level' is not known: raid0 or raid5" create a x y z "--level=$level"
done
for chunk in 0 1 2K 3K 48K 17M 32M 65536K 4G 64KB 64.5 -64 '' K 99999999999999999999; do
	bad "chunk '$chunk' is not accepted: a power of two from 4K to 16M" \
		create a x y z --level raid5 "--chunk=$chunk"
done
for name in '' .a -- 'a b' a/b 'a;b' "$(printf 'a%.0s' {1..64})"; do
	[ "$name" = -- ] || bad "'$name' is no name" create --level raid5 -- "$name" x y z
	[ "$name" = -- ] || bad "'$name' is no name" assemble --name "$name" x
done
truncate -s 40M "$work/d"{0..64}
bad "members" create a --level raid5 --dry-run "$work"/d{0..1}
bad "missing members" create a --level raid5 --dry-run "$work/d0" missing missing
bad "missing members" create a --level raid0 --dry-run "$work/d0" missing
bad "is too much" create a --level raid5 --dry-run "$work"/d{0..64}
bad "unknown option '--all'" status --all

# Where device-mapper cannot be reached: the folder that its node would be in is a file.
: > "$work/file"
for command in status "status --json" "status x" list "list --json" "stop --all" "stop x" "table x" "fail x 0" "idle x" "frozen x" \
	"status --watch" "status --watch x" "status --watch --json" monitor "monitor x"; do
	# shellcheck disable=SC2086 # words of a command line
	DM_DEV_DIR=$work/file run $command
	expect_status 1
	expect_err "device-mapper cannot be reached"
done
finish
