#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# paths.sh - nothing of the machine or the network that a file was written on stands
# in the project: no home or build folder, no package mirror, no scratch file with
# a fixed name outside scripts.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

# PATTERN (Perl, without blanks) and what is wrong with it. A pattern is written so
# that it does not match its own line.
# shellcheck disable=SC2016 # no expansions
everywhere='
(?<![\w.~-])/(?:[h]ome|[U]sers)/[A-Za-z]          home folder: paths relative to the project, or $HOME
(?<![\w.~$}/-])/[r]oot/[.A-Za-z]                  home folder: paths relative to the project, or $HOME
(?<![\w.~$}/-])/(?:[w]ork|[w]orkspace|[b]uilds)/  build folder: paths relative to the project
[a-z]+://[^\s/]*(?:[m]irror|[r]egistry|[a]rtifact|[n]exus|[d]eb\.debian|[s]napshot\.debian|[s]ecurity\.debian|[f]tp\.) package mirror: the package manager knows where packages are
(?:[p]ypi|[p]ythonhosted|[n]pmjs|[c]rates|[r]ubygems|[p]roxy\.golang|[d]ocker|[q]uay|[g]hcr)\.(?:org|io|com)\b package registry: the package manager knows where packages are
[a-z]+://(?:[l]ocalhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.) host of a private network: none is accepted
'
# In what no shell or interpreter runs.
outside_scripts='
(?<![\w.~$}/-])/[t]mp/[A-Za-z]                    scratch file with a fixed name: a name from the caller
'

scan()
{
	local table=$1 pattern what
	shift

	[ $# -gt 0 ] || return 0
	while read -r pattern what; do
		bad_lines < <(cd "$tree" && printf '%s\0' "$@" |
			{ xargs -0 grep -HInP -- "$pattern" || true; } |
			WHAT=$what perl -ne 'print "$1: $ENV{WHAT} is accepted\n" if /^([^:]+:\d+):/' |
			sed 's/ is accepted$//; s/: none$/: none is accepted/')
	done < <(table <<< "$table")
}

is_script()
{
	local first

	IFS= read -r first < "$tree/$1" 2> /dev/null || true
	[[ ${first:-} == '#!'* ]]
}

mapfile -t all < <(tree_files)
others=()
for path in "${all[@]}"; do
	is_script "$path" || others+=("$path")
done 2> /dev/null
scan "$everywhere" "${all[@]}"
scan "$outside_scripts" "${others[@]}"
# Words of a developer's own that must not get in; one Perl pattern a line.
mine=$(git -C "$tree" rev-parse --git-path info/forbidden 2> /dev/null || true)
if [ -n "$mine" ] && [ -f "$tree/$mine" ]; then
	scan "$(sed 's/$/ forbidden by \.git\/info\/forbidden/' "$tree/$mine")" "${all[@]}"
fi
finish
