#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# shell.sh - shellcheck over every script that a shell runs, found by its first line.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

need shellcheck shellcheck
mapfile -t files < <(shell_files)
[ ${#files[@]} -gt 0 ] || finish
cd "$tree"
bad_lines < <(printf '%s\0' "${files[@]}" |
	xargs -0 -n 8 -P 2 shellcheck -x -P SCRIPTDIR -f gcc || true)
finish
