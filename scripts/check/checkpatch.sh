#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# checkpatch.sh - the kernel's own style check, strict, over all C of the project.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

need perl perl

# FOLDER TYPE: why what checkpatch means cannot apply there. The folder is a prefix
# of the path. There are no other exceptions.
exceptions='
kernel/core/units.h NEW_TYPEDEFS            # units that the compiler tells apart are typedefs by design
kernel/core/env.h PREFER_KERNEL_TYPES       # defines the kernel types for user space
kernel/core/env.h PREFER_DEFINED_ATTRIBUTE_MACRO # its user side has no such macros
kernel/core/env.h MACRO_ARG_REUSE           # stand-ins of the kernel macros of the same name
kernel/core/env.h CAMELCASE                 # _Static_assert is the language
kernel/trace.h SPACING                      # TRACE_EVENT() has a layout of its own
kernel/trace.h OPEN_ENDED_LINE              # the same
kernel/trace.h MACRO_ARG_PRECEDENCE         # the same
userspace/ PREFER_KERNEL_TYPES              # libraries there speak stdint
userspace/ CAMELCASE                        # names of libraries
userspace/ STRCPY                           # strscpy() is the kernel alone
userspace/ STRLCPY                          # the same
userspace/ PRINTF_L                         # the same: %L is the C library
userspace/ CONSTANT_CONVERSION              # kernel helpers
userspace/ CONSIDER_KSTRTO                  # the same
userspace/ NAKED_SSCANF                     # the same
userspace/ PREFER_FALLTHROUGH               # the same
userspace/ PREFER_DEFINED_ATTRIBUTE_MACRO   # the same
userspace/ ALLOC_WITH_MULTIPLY              # the same
userspace/ USE_SPINLOCK_T                   # the same
userspace/ AVOID_EXTERNS                    # declarations of what a library leaves out
tests/ PREFER_KERNEL_TYPES                  # as in userspace/
tests/ CAMELCASE                            # LLVMFuzzerTestOneInput and other names of libraries
tests/ STRCPY                               # as in userspace/
tests/ STRLCPY                              # as in userspace/
tests/ PRINTF_L                             # as in userspace/
tests/ CONSTANT_CONVERSION                  # as in userspace/
tests/ CONSIDER_KSTRTO                      # as in userspace/
tests/ NAKED_SSCANF                         # as in userspace/
tests/ PREFER_FALLTHROUGH                   # as in userspace/
tests/ PREFER_DEFINED_ATTRIBUTE_MACRO       # as in userspace/
tests/ ALLOC_WITH_MULTIPLY                  # as in userspace/
tests/ AVOID_EXTERNS                        # entry points that a fuzzer calls have no header
tests/debug/analyzer.h AVOID_EXTERNS        # redeclares kernel functions to add attributes
'

scripts=$("$project/scripts/linux-source" tree scripts scripts/checkpatch.pl \
	scripts/spelling.txt scripts/const_structs.checkpatch scripts/kernel-doc)/scripts

# Names that are types to checkpatch beyond those it knows.
make_work
printf '%s\n' lsect_t msect_t slot_t mempool_t > "$work/types"
mapfile -t rules < <(table <<< "$exceptions" | awk '{ print $1, $2 }')

mapfile -t files < <(c_files kernel userspace tests)
[ ${#files[@]} -gt 0 ] || finish
# Checkpatch reads the current folder's git and the home's .checkpatch.conf, and
# leaves a file in the former: it gets a folder of its own. Without a kernel tree it
# looks for headers at the root and says so.
mkdir "$work/links"
for folder in kernel userspace tests; do
	ln -s "$tree/$folder" "$work/links/"
done
cd "$work/links"
printf '%s\0' "${files[@]}" |
	HOME=$work xargs -0 -n 4 -P 2 perl "$scripts/checkpatch.pl" --strict --no-tree -f --terse \
		--show-types --typedefsfile="$work/types" > "$work/report" 2> "$work/errors" || true
# shellcheck disable=SC2016 # the name of a Perl variable
if grep -vE '^find: |uninitialized value \$root' "$work/errors" >&2; then
	die "checkpatch.pl itself has trouble"
fi

while IFS= read -r line; do
	[[ $line =~ ^([^:]+):[0-9]+:\ (ERROR|WARNING|CHECK):([A-Z0-9_]+):\  ]] || continue
	for rule in "${rules[@]}"; do
		if [[ ${BASH_REMATCH[1]} == "${rule% *}"* && ${BASH_REMATCH[3]} == "${rule#* }" ]]; then
			continue 2
		fi
	done
	bad "$line"
done < "$work/report"
finish
