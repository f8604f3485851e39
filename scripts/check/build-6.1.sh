#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build-6.1.sh - the module builds against Debian's kernel 6.1 with all warnings of
# W=1 and of sparse, and there are none.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

need sparse sparse
build_module 6.1 W=1 C=2
bad_lines < <(warnings)
build_simdisk 6.1 W=1 C=2
bad_lines < <(warnings)
finish
