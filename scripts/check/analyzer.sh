#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# analyzer.sh - gcc's path-sensitive analysis of the module: leaks on error paths,
# use after free, unchecked allocations.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

# FILE FUNCTION FINDING  # why it is none
# FUNCTION may be one of a kernel header that was inlined there, FILE is * for all.
exceptions='
* __phys_addr_nodebug malloc-leak                         # virt_to_page(): gcc takes a pointer for lost there
kernel/meta.c cascade_meta_init malloc-leak               # kept in an element of an array, which gcc 12 does not follow
kernel/stripe.c init_rows malloc-leak                     # the same
kernel/io.c failed_flush use-of-uninitialized-value       # entries of a list with its head on the stack
kernel/io.c cascade_io_later_work use-of-uninitialized-value # the same
'

make_work
cp "$project/tests/debug/analyzer.h" "$work/"
build_module 6.1 KCFLAGS="-fanalyzer -include $work/analyzer.h"

# Where a finding lies is said before it, once for several: "FILE: In function 'F':",
# or for code that was inlined "In function 'LEAF'," and lines "inlined from 'F' at
# FILE:LINE", of which the last that is the module's own counts. Where none is, the
# path that gcc prints after it begins in one: "'F': events", "|FILE:LINE:".
leaf=
function=
place=
finding=
text=

judge()
{
	local file=${place%%:*}

	if [ -n "$finding" ] && ! table <<< "$exceptions" |
		grep -qE "^(\*|$file) +($function|$leaf) +$finding *$"; then
		bad "$place: in $function(): $text: none, or an exception with a reason in $check"
	fi
	finding=
}

while IFS= read -r line; do
	case $line in
	*"In function '"*)
		judge
		leaf=${line##*In function \'}
		leaf=${leaf%%\'*}
		function=$leaf
		place=
		;;
	*"inlined from '"*"' at kernel/"*)
		function=${line##*inlined from \'}
		function=${function%%\'*}
		place=${line##*\' at }
		place=${place%[,:]}
		;;
	*': warning: '*-Wanalyzer-*)
		judge
		finding=${line##*-Wanalyzer-}
		finding=${finding%%[]=]*}
		text=${line##*: warning: }
		[[ $line != kernel/* ]] || place=${line%%: warning: *}
		;;
	*"': event"*)
		if [ -n "$finding" ] && [ -z "$place" ]; then
			function=${line#*\'}
			function=${function%%\'*}
		fi
		;;
	*'|kernel/'*)
		if [ -n "$finding" ] && [ -z "$place" ]; then
			place=${line#*|}
			place=${place%:}
		fi
		;;
	esac
done < <(sed "s,$work/tree/,,g" "$work/log" |
	grep -E "In function '|inlined from '|-Wanalyzer-|': event|\|kernel/" || true)
judge
finish
