#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Where disks acknowledge flushes and do nothing, the judge finds that flushed data are gone.
set -euo pipefail
kernels=${KERNELS:-6.1 6.12}
r=0
out=$(scripts/powercut --cuts 3 --kernel "${kernels%% *}" --fault ignore-flush ${SEED:+--seed "$SEED"}) || r=$?
echo "$out"
if [ $r -ne 1 ] || ! grep -q '^FOUND: cut [0-9]*: wrong data' <<<"$out"; then
	echo "expected: exit code 1 and wrong data found; got: exit code $r" >&2
	exit 1
fi
# Kept for whoever looks for a mistake; this one was made on purpose.
kept=$(sed -n 's/^kept //p' <<<"$out")
rm -rf "${kept:?}"
