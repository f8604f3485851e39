#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# spdx.sh - each source file opens with an SPDX line, then a comment that says what
# the file is for.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

licences='GPL-2\.0-only|GPL-2\.0-or-later'

# Prints the sort of comment a file takes; nothing for files that hold data or prose.
comment_of()
{
	local path=$1 first

	case ${path##*/} in
	*.c | *.h) echo c ;;
	*.[1-9]) echo roff ;;
	Makefile | Kbuild | Kconfig | *.mk | *.sh | *.py | *.pl | *.cocci | *.config | *.rules | \
		*.service | *.timer | *.target | *.path | *.fio | *.yml | *.yaml) echo hash ;;
	*)
		IFS= read -r first < "$tree/$path" 2> /dev/null || true
		[[ ${first:-} != '#!'* ]] || echo hash
		;;
	esac
}

check_file()
{
	local path=$1 style=$2 at=1 purpose
	local -a line

	mapfile -t -n 12 line < "$tree/$path"
	[[ ${line[0]:-} != '#!'* ]] || at=2
	case $style in
	c)
		[[ ${line[0]:-} =~ ^(//|/\*)\ SPDX-License-Identifier:\ ($licences)(\ \*/)?$ ]]
		;;
	roff)
		[[ ${line[0]:-} =~ ^.\\\"\ SPDX-License-Identifier:\ ($licences)$ ]]
		;;
	hash)
		[[ ${line[at - 1]:-} =~ ^#\ SPDX-License-Identifier:\ ($licences)$ ]]
		;;
	esac || {
		bad "$path:$at: no SPDX line: \"SPDX-License-Identifier: GPL-2.0-only\" as the first comment" \
			"(in a script the second line) is accepted"
		return
	}
	# The manual page's own NAME section says what it is for.
	[ "$style" != roff ] || return 0
	# Not through a pipe, which perl may leave before all is written.
	purpose=$(case $style in
	c)
		perl -0777 -ne 'print $1 if m{^\s*/\*(?!\*)(.*?)(?:\*/|\z)}s'
		;;
	hash)
		perl -ne 'next if /^#?\s*$/; last unless /^#(?!\s*shellcheck )(.*)/; print $1'
		;;
	esac <<< "$(printf '%s\n' "${line[@]:at}")")
	if [ "$(tr -cd '[:alpha:]' <<< "$purpose" | wc -c)" -lt 12 ]; then
		bad "$path:$((at + 1)): no comment on what the file is for: one right after the SPDX line is accepted"
	fi
}

while IFS= read -r path; do
	style=$(comment_of "$path")
	[ -z "$style" ] || check_file "$path" "$style"
done < <(tree_files)
finish
