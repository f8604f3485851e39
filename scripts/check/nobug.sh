#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nobug.sh - the module never brings the machine down: it warns once, fails the
# request and keeps the data.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

while IFS= read -r path; do
	bad_lines < <(code_grep '\b(?:(?:VM_)?BUG(?:_ON\w*)?|panic|__builtin_trap|abort)\s*\(' "$path" |
		sed -E 's/^([^:]*:[0-9]+):.*\b((VM_)?BUG(_ON\w*)?|panic|__builtin_trap|abort)\s*\(.*/\1: \2: WARN_ON_ONCE() and an error are accepted/')
	bad_lines < <(code_grep '(?<!\w)WARN(?:_ON)?\s*\(' "$path" |
		sed -E 's/^([^:]*:[0-9]+):.*/\1: warns each time: WARN_ON_ONCE() and WARN_ONCE() are accepted/')
done < <(c_files kernel tests/disks)
finish
