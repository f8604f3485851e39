#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power of an array with all members goes under load: what was flushed is there, and parity is made right again.
set -euo pipefail
for kernel in ${KERNELS:-6.1 6.12}; do
	scripts/powercut --cuts 2 --kernel "$kernel" ${SEED:+--seed "$SEED"}
done
