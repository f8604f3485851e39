#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftest.sh - the checks themselves: each passes on a small clean tree and fails,
# naming the place, on a copy with one violation.
#
#   tests/check/selftest.sh [CHECK]...     e.g. layers size; none named = all
# shellcheck disable=SC2016,SC1003 # seeds are texts, not for this shell to expand
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
checks=$here/../../scripts/check
work=$(mktemp -d "${TMPDIR:-/tmp}/cascade-selftest.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
clean=$work/clean
failed=0
wanted=("$@")

c_file()
{
	mkdir -p "$(dirname "$clean/$1")"
	{
		case $1 in
		*.h) echo '/* SPDX-License-Identifier: GPL-2.0-only */' ;;
		*) echo '// SPDX-License-Identifier: GPL-2.0-only' ;;
		esac
		echo "/* $2 */"
		cat
	} > "$clean/$1"
}

hash_file()
{
	mkdir -p "$(dirname "$clean/$1")"
	{
		[[ $1 != scripts/* ]] || echo '#!/bin/bash'
		echo '# SPDX-License-Identifier: GPL-2.0-only'
		echo '#'
		echo "# $2"
		cat
	} > "$clean/$1"
}

make_clean_tree()
{
	hash_file Makefile 'Builds the module of a small tree that breaks no rule.' <<'E'
KDIR ?= /lib/modules/$(shell uname -r)/build
module:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kernel modules
E
	hash_file Kconfig 'Configuration of the small target.' <<'E'
config DM_CASCADE
	tristate "Small target"
	depends on BLK_DEV_DM
	help
	  A device-mapper target that the checks are tried on.
E
	hash_file kernel/Kbuild 'Objects of the small module.' <<'E'
ifneq ($(KBUILD_EXTMOD),)
CONFIG_DM_CASCADE ?= m
endif
obj-$(CONFIG_DM_CASCADE) += dm-cascade.o
dm-cascade-y := target.o status.o core/geo.o
E
	c_file kernel/core/env.h 'What core needs from its surroundings, for both sides.' <<'E'
#ifndef CASCADE_CORE_ENV_H
#define CASCADE_CORE_ENV_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdint.h>
#endif

#endif
E
	c_file kernel/core/units.h 'Units that the compiler tells apart.' <<'E'
#ifndef CASCADE_CORE_UNITS_H
#define CASCADE_CORE_UNITS_H

#include "env.h"

/** typedef lsect_t - A sector of the array. */
typedef struct {
	u64 s;
} lsect_t;

#endif
E
	c_file kernel/core/geo.h 'Geometry: where a sector lies.' <<'E'
#ifndef CASCADE_CORE_GEO_H
#define CASCADE_CORE_GEO_H

#include "units.h"

struct cascade_geo;

/**
 * cascade_geo_row() - Row of a sector.
 * @sect: Logical sector.
 *
 * Return: Row number.
 */
u64 cascade_geo_row(lsect_t sect);

static inline lsect_t lsect(u64 s)
{
	return (lsect_t){ s };
}

#endif
E
	c_file kernel/core/geo.c 'Geometry: arithmetic. It never calls kmalloc() or spin_lock().' <<'E'
#include "geo.h"

u64 cascade_geo_row(lsect_t sect)
{
	return sect.s >> 7;
}
E
	c_file kernel/compat.h 'What differs between kernels.' <<'E'
#ifndef CASCADE_COMPAT_H
#define CASCADE_COMPAT_H

#include <linux/blkdev.h>

#ifdef BLK_FEAT_STABLE_WRITES
#define CASCADE_STABLE BLK_FEAT_STABLE_WRITES
#else
#define CASCADE_STABLE 0
#endif

#endif
E
	c_file kernel/status.h 'Counters to text.' <<'E'
#ifndef CASCADE_STATUS_H
#define CASCADE_STATUS_H

#include <linux/types.h>

/**
 * cascade_status_total() - Sum of two counters.
 * @a: One.
 * @b: The other.
 *
 * Context: Any context.
 * Return: The sum.
 */
u64 cascade_status_total(u64 a, u64 b);

#endif
E
	c_file kernel/status.c 'Counters to text: the sum.' <<'E'
#include "status.h"

u64 cascade_status_total(u64 a, u64 b)
{
	return a + b;
}
E
	c_file kernel/target.c 'The target_type and nothing else.' <<'E'
#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/module.h>

#include "core/geo.h"
#include "status.h"

static int cascade_map(struct dm_target *ti, struct bio *bio)
{
	if (IS_ENABLED(CONFIG_DM_DEBUG))
		WARN_ON_ONCE(!ti->len);
	BUILD_BUG_ON(sizeof(lsect_t) != 8);
	bio->bi_iter.bi_sector = cascade_status_total(cascade_geo_row(lsect(1)), 1);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static struct target_type cascade_target = {
	.name = "cascade",
	.version = { 0, 0, 1 },
	.module = THIS_MODULE,
	.map = cascade_map,
};

static int __init cascade_init(void)
{
	return dm_register_target(&cascade_target);
}

static void __exit cascade_exit(void)
{
	dm_unregister_target(&cascade_target);
}

module_init(cascade_init);
module_exit(cascade_exit);
MODULE_DESCRIPTION("small target");
MODULE_LICENSE("GPL");
E
	c_file userspace/tool.h 'The tool: what its files share.' <<'E'
#ifndef TOOL_H
#define TOOL_H

/**
 * tool_run() - Run a command.
 * @name: Its name.
 *
 * Return: Exit code.
 */
int tool_run(const char *name) __attribute__((nonnull(1)));

#endif
E
	mkdir -p "$clean/userspace"
	cat > "$clean/userspace/cascadesetup.8" <<'E'
.\" SPDX-License-Identifier: GPL-2.0-only
.Dd January 1, 2024
.Dt CASCADESETUP 8
.Os
.Sh NAME
.Nm cascadesetup
.Nd manage arrays
.Sh SYNOPSIS
.Nm
.Op Fl -help
.Sh DESCRIPTION
A small page.
E
	hash_file scripts/hello 'A script that shellcheck likes.' <<'E'
set -eu
name=$1
echo "hello $name, see ${TMPDIR:-/tmp}/x and https://www.kernel.org/doc"
E
	hash_file scripts/deps 'Names the packages of the small image.' <<'E'
echo e2fsprogs
E
	hash_file scripts/vm-image 'Makes an image of a system and two programs.' <<'E'
tools='bash awk
	mkfs.ext4'
for t in $tools; do cp "$(command -v "$t")" "$1"; done
E
	chmod +x "$clean/scripts/deps"
	printf '%s\n' '# Small tree' '' 'Install it with make.' > "$clean/README.md"
}

listed()
{
	local name

	[ ${#wanted[@]} -gt 0 ] || return 0
	for name in "${wanted[@]}"; do
		[ "$name" != "$1" ] || return 0
	done
	return 1
}

passes()
{
	local check=$1

	listed "$check" || return 0
	if "$checks/$check.sh" "$clean" > "$work/out" 2>&1; then
		echo "ok   $check passes a clean tree"
	else
		echo "FAIL $check fails a clean tree:"
		sed 's/^/     /' "$work/out"
		failed=$((failed + 1))
	fi
}

# seed CHECK EXPECTED FILE [SED...]: the check must fail and print a line that
# matches EXPECTED after FILE was edited, or got the text of stdin appended (new
# files: written) where no edit is given.
seed()
{
	local check=$1 expected=$2 file=$3 copy=$work/seeded result=0
	shift 3

	listed "$check" || return 0
	rm -rf "$copy"
	cp -a "$clean" "$copy"
	mkdir -p "$(dirname "$copy/$file")"
	if [ $# -gt 0 ]; then
		sed -i "$@" "$copy/$file"
		if cmp -s "$copy/$file" "$clean/$file"; then
			echo "FAIL $check: the edit of $file changes nothing: $*"
			failed=$((failed + 1))
			return
		fi
	else
		cat >> "$copy/$file"
	fi
	"$checks/$check.sh" "$copy" > "$work/out" 2>&1 || result=$?
	if [ "$result" -eq 1 ] && grep -qE -- "$expected" "$work/out"; then
		echo "ok   $check finds: $expected"
	else
		echo "FAIL $check: exit $result, expected 1 and a line like: $expected"
		sed 's/^/     /' "$work/out"
		failed=$((failed + 1))
	fi
}

text()
{
	printf '%s\n' "$@"
}

repeat()
{
	local i

	for ((i = 0; i < $1; i++)); do
		printf '%b\n' "$2"
	done
}

make_clean_tree
for check in "$checks"/*.sh; do
	check=${check##*/}
	passes "${check%.sh}"
done


seed layers 'kernel/core/geo\.c:[0-9]+: core/ includes <linux/bio\.h>' kernel/core/geo.c \
	'/include "geo.h"/a #include <linux/bio.h>'
seed layers 'kernel/core/geo\.c:[0-9]+: core/ includes "\.\./status\.h"' kernel/core/geo.c \
	'/include "geo.h"/a #include "../status.h"'
seed layers 'kernel/core/units\.h:[0-9]+: level 0 includes "geo\.h" of level 1' kernel/core/units.h \
	's/include "env.h"/include "geo.h"/'
seed layers 'kernel/compat\.h:[0-9]+: level 3 includes "status\.h" of level 8' kernel/compat.h \
	'/include <linux.blkdev.h>/a #include "status.h"'
seed layers 'kernel/status\.c:[0-9]+: includes "helpers\.h": not a file of the table' kernel/status.c \
	'/include "status.h"/a #include "helpers.h"'
seed layers 'kernel/helpers\.c:1: not in the table' kernel/helpers.c \
	< <(text '// SPDX-License-Identifier: GPL-2.0-only' '/* All sorts of things. */')
seed layers 'kernel/core/geo\.c:[0-9]+: spinlock_t lock;: core/ has no bio' kernel/core/geo.c \
	< <(text 'spinlock_t lock;')
seed layers 'kernel/core/geo\.c:[0-9]+: .*kmalloc.*: core/ has no bio' kernel/core/geo.c \
	's/return sect/return !!kmalloc(1, 0) + sect/'
seed layers 'kernel/core/geo\.c:[0-9]+: .*bio_endio.*: core/ has no bio' kernel/core/geo.c \
	< <(text 'static void f(void *b) { bio_endio(b); }')
seed layers 'kernel/core/geo\.c:[0-9]+: .*ktime_get.*: core/ has no bio' kernel/core/geo.c \
	's,return sect,return ktime_get() + sect,'
seed layers "kernel/status\.c:[0-9]+: asks for the kernel's version" kernel/status.c \
	< <(text '#if LINUX_VERSION_CODE < 5' '#endif')
seed layers "kernel/compat\.h:[0-9]+: asks for the kernel's version" kernel/compat.h \
	's/ifdef BLK_FEAT.*/if LINUX_VERSION_CODE > KERNEL_VERSION(6, 10, 0)/'
seed layers "kernel/Kbuild:[0-9]+: asks for the kernel's version" kernel/Kbuild \
	< <(text 'ccflags-$(if $(findstring 6,$(KERNELVERSION)),y) += -DSIX')
seed layers 'kernel/status\.c:[0-9]+: asks for __KERNEL__' kernel/status.c \
	< <(text '#ifdef __KERNEL__' '#endif')
seed layers 'kernel/status\.c:[0-9]+: #ifdef BLK_FEAT_NEW: conditions' kernel/status.c \
	< <(text '#ifdef BLK_FEAT_NEW' '#endif')
seed layers 'kernel/status\.c:[0-9]+: #if !defined\(CASCADE_STABLE\): conditions' kernel/status.c \
	< <(text '#if !defined(CASCADE_STABLE)' '#endif')

seed nobug 'kernel/status\.c:[0-9]+: BUG_ON' kernel/status.c 's/return a/BUG_ON(!a);\n\treturn a/'
seed nobug 'kernel/status\.c:[0-9]+: panic' kernel/status.c 's/return a/panic("no");\n\treturn a/'
seed nobug 'kernel/target\.c:[0-9]+: warns each time' kernel/target.c 's/WARN_ON_ONCE/WARN_ON/'

for version in 6.1 6.12; do
	seed build-$version 'kernel/status\.c:.*set but not used' kernel/status.c \
		's/return a/int n = 1;\n\n\tn = 2;\n\treturn a/'
	seed build-$version 'kernel/status\.c:.*(different base types|restricted __le64)' kernel/status.c \
		's/return a/__le64 n = a;\n\n\treturn (u64)n + a/'
	seed build-$version 'does not build' kernel/status.c 's/return a/return x/'
done
seed build-6.12 'kernel/status\.c:.*previous prototype' kernel/status.c \
	< <(text 'int undeclared(void) { return 0; }')

seed analyzer 'kernel/status\.c:.*leak' kernel/status.c \
	-e 's,#include "status.h",&\n#include <linux/slab.h>,' \
	-e 's/return a/int *p = kmalloc(sizeof(*p), GFP_KERNEL);\n\n\tif (!p)\n\t\treturn 0;\n\tif (a > b)\n\t\treturn 1;\n\tkfree(p);\n\treturn a/'
seed analyzer 'kernel/status\.c:.*use after' kernel/status.c \
	-e 's,#include "status.h",&\n#include <linux/slab.h>,' \
	-e 's/return a/int *p = kzalloc(sizeof(*p), GFP_KERNEL);\n\n\tkfree(p);\n\tif (p)\n\t\treturn *p;\n\treturn a/'
seed analyzer 'kernel/status\.c:.*in cascade_status_total.*possible-null' kernel/status.c \
	-e 's,#include "status.h",&\n#include <linux/slab.h>,' \
	-e 's/return a/int *p = kzalloc(sizeof(*p), GFP_KERNEL);\n\n\t*p = 3;\n\tkfree(p);\n\treturn a/'
seed analyzer 'does not build' kernel/status.c 's/return a/return x/'

seed intree 'DM_CASCADE=m is refused' Kconfig 's/BLK_DEV_DM/PPC/'
seed intree 'kernel/status\.c:.*set but not used' kernel/status.c \
	's/return a/int n = 1;\n\n\tn = 2;\n\treturn a/'
seed intree 'fails in a kernel tree' kernel/status.c 's/return a/return x/'
seed intree 'fails in a kernel tree' Kconfig 's/tristate/tristat/'

seed checkpatch 'kernel/status\.c:[0-9]+: CHECK:SPACING' kernel/status.c 's/return a + b/return a +b/'
seed checkpatch 'kernel/status\.c:[0-9]+: WARNING:NEW_TYPEDEFS' kernel/status.c \
	< <(text '' 'typedef struct foo *foo_p;')
seed checkpatch 'userspace/tool\.h:[0-9]+: WARNING:SPACE_BEFORE_TAB|userspace/tool\.h:[0-9]+: WARNING:LEADING_SPACE' \
	userspace/tool.h < <(text '    int x;')
seed checkpatch 'tests/unit/a\.c:[0-9]+: ERROR:TRAILING_WHITESPACE' tests/unit/a.c \
	< <(text '// SPDX-License-Identifier: GPL-2.0-only' 'int f(void)' '{' '	return 1; ' '}')

seed shell 'scripts/hello:[0-9]+:.*SC2086' scripts/hello < <(text 'ls $name')
seed shell 'scripts/other:[0-9]+:.*SC2154' scripts/other < <(text '#!/bin/sh' 'echo "$nowhere"')

# Pieces, so that this file does not hold what it seeds.
seed packages 'scripts/vm-image:[0-9]+: mkfs\.xfs comes from xfsprogs' scripts/vm-image "s/mkfs.ext4/& mkfs.xfs/"
seed packages 'scripts/vm-image:[0-9]+: mkfs\.none is not installed' scripts/vm-image "s/mkfs.ext4/mkfs.none/"
seed packages 'scripts/vm-image:1: has no list' scripts/vm-image '/tools=/d'

home=/home seeds=/root slash=/
seed paths 'README\.md:[0-9]+: home folder' README.md < <(text "See $home/joe/array.")
seed paths 'README\.md:[0-9]+: home folder' README.md < <(text "See $seeds/array.")
seed paths 'kernel/status\.c:[0-9]+: build folder' kernel/status.c < <(text "/* in ${slash}work/x */")
seed paths 'scripts/hello:[0-9]+: package mirror' scripts/hello < <(text "curl http:/${slash}deb.debian.org/x")
seed paths 'scripts/hello:[0-9]+: package mirror' scripts/hello < <(text "curl https:/${slash}mirror.example.org/x")
seed paths 'scripts/hello:[0-9]+: package registry' scripts/hello < <(text "pip -i https:/${slash}py""pi.org/simple")
seed paths 'scripts/hello:[0-9]+: host of a private' scripts/hello < <(text "curl http:/${slash}localhost:81/x")
seed paths 'userspace/tool\.h:[0-9]+: scratch file' userspace/tool.h < <(text "#define T \"${slash}tmp/tool\"")

seed spdx 'kernel/status\.c:1: no SPDX line' kernel/status.c 1d
seed spdx 'kernel/status\.h:1: no SPDX line' kernel/status.h '1s/GPL-2.0-only/MIT/'
seed spdx 'kernel/status\.c:2: no comment on what' kernel/status.c 2d
seed spdx 'scripts/hello:2: no SPDX line' scripts/hello 2d
seed spdx 'scripts/hello:3: no comment on what' scripts/hello 3,4d
seed spdx 'kernel/Kbuild:1: no SPDX line' kernel/Kbuild 1d
seed spdx 'userspace/cascadesetup\.8:1: no SPDX line' userspace/cascadesetup.8 1d

seed docs 'kernel/status\.h:[0-9]+: cascade_status_more\(\) is declared without' kernel/status.h \
	's/^u64 cascade_status_total.*/&\nint cascade_status_more(int (*f)(void), struct x *y);/'
seed docs 'userspace/tool\.h:[0-9]+: tool_stop\(\) is declared without' userspace/tool.h \
	's/^int tool_run.*/&\nstruct a *tool_stop(void)\n\t__attribute__((nonnull(1)));/'
seed docs "kernel/status\.h:[0-9]+: warning: .*'b'" kernel/status.h '/@b:/d'
seed docs 'cascadesetup\.8:[0-9]+:[0-9]+: (WARNING|ERROR)' userspace/cascadesetup.8 's/^\.Op.*/.Bogus x/'

seed size 'kernel/status\.c:[0-9]+: file of 7[0-9][0-9] lines' kernel/status.c < <(repeat 700 '')
seed size 'kernel/status\.c:[0-9]+: long_one\(\) has 85 lines' kernel/status.c \
	< <(text '' 'static int long_one(int a,' '		     int b)' '{'; repeat 83 '\ta = b;'; text '}')

# An exempt state, so that the checks are not merely strict.
exempt()
{
	local check=$1 why=$2 file=$3

	listed "$check" || return 0
	rm -rf "$work/seeded"
	cp -a "$clean" "$work/seeded"
	cat >> "$work/seeded/$file"
	if "$checks/$check.sh" "$work/seeded" > "$work/out" 2>&1; then
		echo "ok   $check accepts $why"
	else
		echo "FAIL $check must accept $why:"
		sed 's/^/     /' "$work/out"
		failed=$((failed + 1))
	fi
}

exempt layers 'words of the table in comments and strings' kernel/core/geo.c \
	< <(text '/* kmalloc(), LINUX_VERSION_CODE, __KERNEL__ */' 'const char *s = "bio_endio(";')
exempt layers 'a configuration symbol' kernel/status.c < <(text '#ifdef CONFIG_DM_DEBUG' '#endif')
exempt nobug 'BUILD_BUG_ON and BUG in a comment' kernel/status.c \
	< <(text '/* never BUG() */' 'static void f(void) { BUILD_BUG_ON(0); }')
exempt size 'a function of 80 lines' kernel/status.c \
	< <(text '' 'static int f(int a)' '{'; repeat 78 '\ta = 1;'; text '}')
exempt docs 'static functions, macros and types without' kernel/status.h < <(text \
	'#define X(a) do { \' '	f(a); \' '} while (0)' 'struct s { int (*f)(int a); };' 'extern const int n;' \
	'static inline int g(int a)' '{' '	return a;' '}' 'typedef int (*fn_t)(int a);')
exempt paths 'addresses of projects and names in variables' README.md \
	< <(text 'https://www.kernel.org/ and $HOME/.cache, a/root/b, /var/tmp')

if [ "$failed" -ne 0 ]; then
	echo "selftest.sh: $failed failed" >&2
	exit 1
fi
