#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# size.sh - no file of more than 700 lines, no function of more than 80, in module
# and tool.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

file_lines=700
function_lines=80

# FILE or FILE:FUNCTION, and why it is better long.
exceptions='
'

excepted()
{
	table <<< "$exceptions" | grep -q "^$1[[:space:]]"
}

while IFS= read -r path; do
	lines=$(wc -l < "$tree/$path")
	if [ "$lines" -gt "$file_lines" ] && ! excepted "$path"; then
		bad "$path:$lines: file of $lines lines: $file_lines are accepted"
	fi
	while read -r line name length; do
		excepted "$path:$name" ||
			bad "$path:$line: $name() has $length lines: $function_lines are accepted"
	done < <(code_of "$path" | max=$function_lines perl -ne '
		# Kernel style: the braces of a function, and only they, stand in
		# the first column. Its length is from one to the other.
		$name = $1 if /^[A-Za-z_].*?\b(\w+)\s*\((?!.*;\s*$)/;
		$start = $. if /^\{/;
		if (/^\}/ && $start) {
			my $n = $. - $start + 1;
			print "$start $name $n\n" if $n > $ENV{max};
			$start = 0;
		}')
done < <(c_files kernel userspace tests/disks)
finish
