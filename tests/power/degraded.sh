#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same with a member missing from the start: the next start is refused without force, and only blocks of the missing
# member may be lost, beside those that were being written.
set -euo pipefail
for kernel in ${KERNELS:-6.1 6.12}; do
	scripts/powercut --cuts 1 --kernel "$kernel" --missing any ${SEED:+--seed "$SEED"}
done
