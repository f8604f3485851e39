#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The bash completion offers every command, and the options of each.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

mkdir "$work/bin"
ln -s "$CASCADESETUP" "$work/bin/cascadesetup"
PATH=$work/bin:$PATH
# shellcheck source=../../userspace/completion/cascadesetup
. "$top/userspace/completion/cascadesetup"
touch "$work/out" "$work/err"

# complete_words WORD...: leaves the offers, one a line, in $work/offers.
complete_words()
{
	ran="completion of: $*"
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_cascadesetup 2> "$work/err"
	printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} > "$work/offers"
	cp "$work/offers" "$work/out"
}

offers()
{
	grep -qxF -e "$1" "$work/offers" || fail "not offered: $1"
}

complete -p cascadesetup > /dev/null 2>&1 || fail "no completion is set"
complete_words cascadesetup ''
run --help
awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' "$work/out" > "$work/commands"
[ -s "$work/commands" ] || fail "no commands in the help"
while read -r command; do
	offers "$command"
done < "$work/commands"
while read -r command; do
	run "$command" --help
	awk '/^  --/ { print $1 }' "$work/out" > "$work/options"
	complete_words cascadesetup "$command" --
	diff "$work/options" "$work/offers" > /dev/null || fail "options offered differ from the help's"
done < "$work/commands"
complete_words cascadesetup create x --level ''
offers raid5
complete_words cascadesetup create x --level raid5 m
offers missing
cd "$work" || exit 1
touch some-image
complete_words cascadesetup examine some
offers some-image
complete_words cascadesetup monitor --exec ca
offers cat
complete_words cascadesetup monitor --exec some
offers some-image

# Names of arrays, and the members of one. A command that the tests name by its path would not be found.
build_fakedm
for command in stop status table fail idle frozen monitor; do
	array data raid5 AAA 1/1 idle
	LD_PRELOAD=$work/fakedm.so complete_words cascadesetup $command d
	offers data
done
finish
