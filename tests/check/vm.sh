#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# vm.sh - scripts/vm itself, with a stand-in for QEMU that plays guests which die: a boot that no test has seen is
# done again, the third in a row is a failure, a test in which the guest died is one at once. A judge's word counts, and
# figures that differ from boot to boot do.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cascade-vm-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

tree=$work/tree
mkdir -p "$tree"/scripts "$tree"/tests/vm/guest "$tree"/tests/fio "$work"/bin "$work"/base
cp "$here/../../scripts/vm" "$tree/scripts/"
: >"$tree/tests/vm/lib.sh"
: >"$tree/tests/vm/guest/agent"
for t in first second twice; do
	echo '# a test that only the stand-in knows' >"$tree/tests/vm/$t.sh"
done
# Its judge finds fault with an act of that name; a test prints its act.
echo '# judge: scripts/judge' >>"$tree/tests/vm/second.sh"
printf '#!/bin/bash\n! grep _bad\n' >"$tree/scripts/judge"
echo '# boots: 2' >>"$tree/tests/vm/twice.sh"
: >"$work/base/boot.cpio"
printf '#!/bin/bash\necho %s\n' "$work/base" | tee "$tree/scripts/vm-image" >"$tree/scripts/kernels"

# What the boots do, in turn, is in the file "plan", a word each; the tests' verdicts are all "pass".
cat >"$work/bin/qemu-system-x86_64" <<'STAND_IN'
#!/bin/bash
case "$*" in *"-accel kvm"*) exit 1 ;; esac
while [ $# -gt 0 ]; do
	case $1 in
	-serial) console=${2#file:} ;;
	-initrd) initrd=$2 ;;
	file,id=verdict,*) verdict=${1#*path=} ;;
	file,id=log,*) log=${1#*path=} ;;
	esac
	shift
done
nonce=$(grep -a -o -m 1 'NONCE=[0-9a-f]*' "$initrd")
nonce=${nonce#NONCE=}
mapfile -t tests < <(sed 's/ .*//' "${initrd%/*}/list")
act=$(head -n 1 "$PLAN")
sed -i 1d "$PLAN"
echo "$act" >>"$PLAN.done"
die() {
	echo 'Kernel panic - not syncing: as planned' >>"$console"
	exit 0
}
say() {
	echo "$nonce $*" >>"$verdict"
}
[ "$act" != dies_at_boot ] || die
say ready
[ "$act" != dies_when_ready ] || die
for t in "${tests[@]}"; do
	say begin "$t"
	[ "$act" != dies_in_test ] || die
	printf '%s log %s\n%s\n--- kernel log\nbad\n' "$nonce" "$t" "$act" >>"$log"
	say end "$t" pass 1
done
say finished
STAND_IN
chmod 755 "$work"/bin/* "$tree"/scripts/*

failed=0
# try NAME EXPECTED BOOTS ACT...: what scripts/vm says and how many boots it took.
try() {
	local name=$1 expected=$2 boots=$3 r=0 out

	shift 3
	printf '%s\n' "$@" >"$work/plan"
	rm -f "$work/plan.done"
	# shellcheck disable=SC2086
	out=$(PATH=$work/bin:$PATH PLAN=$work/plan CASCADE_CACHE=$work/cache \
		"$tree/scripts/vm" run --module none --tool none $tests 2>&1 </dev/null) || r=$?
	out=$(grep -E '^(pass|FAIL|note|[0-9]+ passed)' <<<"$out")
	if [ "$out" != "$expected" ] || [ "$(wc -l <"$work/plan.done")" != "$boots" ]; then
		echo "$name: exit code $r, $(wc -l <"$work/plan.done") boots for $boots, and"
		diff <(echo "$expected") <(echo "$out") || true
		failed=1
	fi
}
mkdir "$work/cache" "$work/cache/vm"
tests='first second'

again='note  qemu-6.1: the guest died while no test ran: as planned; it boots again'
both='pass  qemu-6.1/first (1 s)
pass  qemu-6.1/second (1 s)
2 passed, 0 failed, 0 skipped'
never=': the guest died before the test began, 3 boots in a row: as planned'

try 'all well' "$both" 1 runs
try 'one boot dies' "$again"$'\n'"$both" 2 dies_at_boot runs
try 'two boots die' "$again"$'\n'"$again"$'\n'"$both" 3 dies_at_boot dies_when_ready runs
try 'every boot dies' "$again
$again
FAIL  qemu-6.1/first$never
FAIL  qemu-6.1/second$never
0 passed, 2 failed, 0 skipped" 3 dies_at_boot dies_at_boot dies_at_boot
try 'a guest dies in a test' 'FAIL  qemu-6.1/first: the guest died in it
pass  qemu-6.1/second (1 s)
1 passed, 1 failed, 0 skipped' 2 dies_in_test runs
try 'a judge finds fault' 'pass  qemu-6.1/first (1 s)
FAIL  qemu-6.1/second: its judge scripts/judge finds fault
1 passed, 1 failed, 0 skipped' 1 prints_bad
tests=twice
try 'two boots agree' 'pass  qemu-6.1/twice (1 s)
1 passed, 0 failed, 0 skipped' 2 'FIGURE a 1' 'FIGURE a 1'
try 'two boots differ' 'FAIL  qemu-6.1/twice: figures of boot 1 and 2 differ: < FIGURE a 1 > FIGURE a 2
0 passed, 1 failed, 0 skipped' 2 'FIGURE a 1' 'FIGURE a 2'
try 'boots without a figure' 'FAIL  qemu-6.1/twice: it has several boots and no line that begins with FIGURE
0 passed, 1 failed, 0 skipped' 1 runs runs
exit $failed
