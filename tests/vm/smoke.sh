#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module loads, registers its target, and unloads.
# shellcheck source=tests/vm/lib.sh
. "$CASCADE_TESTS/lib.sh"

load_cascade
modprobe dm-mod 2>/dev/null || true
expect "targets named cascade" 1 "$(dmsetup targets | grep -c '^cascade ')"
unload_cascade
expect "targets named cascade after unloading" 0 "$(dmsetup targets | grep -c '^cascade ' || true)"
