#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# intree.sh - the module builds as drivers/md/dm-cascade/ of a kernel tree, with its
# own Kconfig and Kbuild and without a warning.
#
# The tree is the distribution's source, configured and prepared once, cut down to
# what a build of one folder reads, and kept in the cache under the version of the
# source. Runs take turns there; each replaces the folder and the configuration.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

cache=${CASCADE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/dm-cascade}
# Counts changes of what prepare() does.
recipe=2

# The subsystem's part of the change: a line in each of two files.
add_folder()
{
	local md=$1/drivers/md

	sed -i 's,^endif # MD$,source "drivers/md/dm-cascade/Kconfig"\n\n&,' "$md/Kconfig"
	grep -q dm-cascade "$md/Kconfig" || die "drivers/md/Kconfig has no \"endif # MD\""
	# shellcheck disable=SC2016 # make expands it
	echo 'obj-$(CONFIG_DM_CASCADE) += dm-cascade/' >> "$md/Makefile"
}

prepare()
{
	local tmp=$1

	for tool in flex bison bc; do
		need "$tool" "$tool"
	done
	echo "$check: preparing a kernel tree in $cache, once" >&2
	tar -xf "$("$project/scripts/linux-source" tarball)" -C "$tmp" --strip-components=1
	add_folder "$tmp"
	mkdir "$tmp/drivers/md/dm-cascade"
	touch "$tmp/drivers/md/dm-cascade/Kconfig"
	{
		cat "$project/tests/debug/storage.config"
		printf '%s\n' CONFIG_SMP=y CONFIG_PREEMPT=y CONFIG_TRACING=y CONFIG_FTRACE=y \
			CONFIG_ENABLE_DEFAULT_TRACERS=y CONFIG_UNWINDER_GUESS=y
	} > "$tmp/all.config"
	make -s -C "$tmp" ARCH=x86_64 KCONFIG_ALLCONFIG=all.config allnoconfig
	make -s -C "$tmp" ARCH=x86_64 -j "$(nproc)" modules_prepare
	cp "$tmp/.config" "$tmp/config.first"
	# What one folder's build reads stays; of the rest, Kconfig.
	rm -rf "$tmp/include/dt-bindings"
	find "$tmp" -path "$tmp/scripts" -prune -o -path "$tmp/include" -prune -o \
		-path "$tmp/arch/x86/include" -prune -o -path "$tmp/drivers/md" -prune -o \
		-path "$tmp/tools/objtool/objtool" -prune -o -path "$tmp/arch/x86/tools" -prune -o \
		-type f ! -name 'Kconfig*' ! -name 'Makefile*' ! -name Kbuild ! -name .config ! -name config.first \
		-exec rm -f {} +
	find "$tmp" -depth -type d -empty -delete
}

prepared=$cache/intree-$("$project/scripts/linux-source" version)-$recipe
mkdir -p "$cache"
exec 9> "$cache/intree.lock"
flock 9
if [ ! -d "$prepared" ]; then
	rm -rf "$cache"/intree.tmp.*
	work=$(mktemp -d "$cache/intree.tmp.XXXXXX")
	prepare "$work" > "$cache/intree.log" 2>&1 9>&- || {
		tail -n 20 "$cache/intree.log" >&2
		die "the kernel tree could not be prepared, all of it is in $cache/intree.log"
	}
	mv "$work" "$prepared"
	work=
fi

make_work
md=$prepared/drivers/md/dm-cascade
rm -rf "$md"
mkdir "$md"
cp "$prepared/config.first" "$prepared/.config"
[ -f "$tree/Kconfig" ] || die "$tree: has no Kconfig"
tree_files kernel | tar -C "$tree" -cf - -T - | tar -C "$md" -xf - --strip-components=1
cp "$tree/Kconfig" "$md/"

build()
{
	make -C "$prepared" ARCH=x86_64 "$@" > "$work/log" 2>&1 < /dev/null || {
		sed "s,$prepared/,,g" "$work/log" >&2
		die "make $* fails in a kernel tree"
	}
}

echo CONFIG_DM_CASCADE=m >> "$prepared/.config"
build olddefconfig
grep -qx CONFIG_DM_CASCADE=m "$prepared/.config" ||
	bad "Kconfig:1: DM_CASCADE=m is refused with MD and BLK_DEV_DM on: a tristate DM_CASCADE is accepted"
bad_lines < <(grep -i 'warning' "$work/log" || true)
[ "$wrong" -eq 0 ] || finish
build syncconfig
build W=1 KBUILD_MODPOST_WARN=1 M=drivers/md/dm-cascade modules
[ -e "$md/dm-cascade.ko" ] || bad "Kbuild:1: makes no dm-cascade.ko in a kernel tree"
# Without Module.symvers each symbol of the kernel is unknown.
bad_lines < <(grep -iE '(warning|error):' "$work/log" |
	grep -vE 'modpost: .* undefined!|Module\.symvers|suppressed .* unresolved' |
	sed "s,$prepared/,,g; s,drivers/md/dm-cascade/,kernel/,g" || true)
finish
