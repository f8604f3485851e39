#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# layers.sh - the direction of calls in kernel/: a file includes its own header and
# headers of smaller levels, nothing else. Holds the table of levels, and the rules
# for what only one file or one folder may know.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

# LEVEL FILE...; a name without a suffix stands for its .c and .h file. Where one
# file of a level stands on another, the level has a line for each: lines count.
levels='
0 core/env.h
0 core/units.h
1 core/geo core/parity core/intent core/index core/policy core/ident
1 core/report
2 core/plan core/sb core/params
3 compat.h
3 cascade.h trace.h
4 member xorops
5 meta journal stripe cache registry
6 batch
6 compute gather
6 engine
7 resync io
8 status message
9 create start
9 target
'

declare -A level rank
line_number=0
while read -r number names; do
	line_number=$((line_number + 1))
	for name in $names; do
		level[$name]=$number
		rank[$name]=$line_number
	done
done <<< "$(table <<< "$levels")"

# The name under which a file of kernel/ stands in the table, if it does.
entry_of()
{
	local file=$1

	if [ -n "${level[$file]:-}" ]; then
		echo "$file"
	elif [ -n "${level[${file%.[ch]}]:-}" ]; then
		echo "${file%.[ch]}"
	fi
}

check_include()
{
	local file=$1 at=$2 what=$3 own target target_entry where

	own=$(entry_of "$file")
	if [[ $what == \<* ]]; then
		if [[ $file == core/* && $file != core/env.h ]]; then
			bad "$at: core/ includes $what: only core/env.h includes system headers"
		elif [[ $what == "<linux/version.h>" ]]; then
			bad "$at: $what: kernels are told apart by compile probes, in compat.h"
		fi
		return
	fi
	target=${what//\"/}
	for where in "$(dirname "$file")/$target" "$target"; do
		where=$(realpath -m --relative-to="$tree/kernel" "$tree/kernel/$where")
		target_entry=$(entry_of "$where")
		if [ -n "$target_entry" ] && [ -e "$tree/kernel/$where" ]; then
			break
		fi
		target_entry=
	done
	if [ -z "$target_entry" ]; then
		bad "$at: includes \"$target\": not a file of the table of levels in $check"
	elif [[ $file == core/* && $where != core/* ]]; then
		bad "$at: core/ includes \"$target\": core/ includes files of core/ alone"
	elif [ "$target_entry" != "$own" ] &&
	     [ "${rank[$target_entry]}" -ge "${rank[$own]}" ]; then
		bad "$at: level ${level[$own]} includes \"$target\" of level ${level[$target_entry]}:" \
			"only its own header and smaller levels are accepted"
	elif [ "$target_entry" = "$own" ] && [[ $file != *.c || $where != *.h ]]; then
		bad "$at: includes \"$target\": a .c file includes its own header"
	fi
}

# Conditions that ask for something else than a guard or a configuration symbol.
# A guard is an #ifndef followed by the #define of the same word.
conditions()
{
	code_of "kernel/$1" | perl -ne '
		if (defined $guard) {
			print "$line:#ifndef $guard\n" unless /^\s*#\s*define\s+$guard\b/;
			undef $guard;
		}
		if (/^\s*#\s*ifndef\s+(\w+_H)\s*$/) { $guard = $1; $line = $. }
		elsif (/^\s*#\s*(?:if|ifdef|ifndef|elif)\b\s*(.*)/) {
			my ($text, $rest) = ($_, $1);
			$rest =~ s/\b(?:CONFIG_|CASCADE_DEBUG|TRACE_HEADER_MULTI_READ)\w*//g;
			$rest =~ s/\b(?:IS_ENABLED|IS_REACHABLE|IS_MODULE|defined)\b//g;
			$rest =~ s/\b_?\w*TRACE\w*_H\b//g;
			print "$.:$text" if $rest =~ /\w/;
		}'
}

core_words='\b(?:struct\s+(?:bio|page|block_device|dm_\w+)\b'
core_words+='|(?:submit_)?bio_\w+\s*\(|submit_bio\w*\s*\(|dm_\w+\s*\('
core_words+='|(?:raw_)?spin_(?:un)?(?:try)?lock\w*|spinlock_t|mutex_\w+|struct\s+mutex'
core_words+='|down_\w+\s*\(|up_\w+\s*\(|rwlock_t|read_lock\w*|write_lock\w*|rcu_\w+|pthread_\w+'
core_words+='|(?:k|kv|v|dev)[mzrc]*alloc\w*\s*\(|kmem\w+|k?v?free(?:_sensitive|_rcu)?\s*\('
core_words+='|(?:m|c|re|aligned_)alloc\s*\(|mempool_\w+|alloc_pages?\w*|__get_free_\w+|strdup\s*\(|kstrdup\w*'
core_words+='|[mun]?s?sleep\w*\s*\(|[mun]delay\s*\(|usleep_range|schedule\w*\s*\(|cond_resched|might_sleep'
core_words+='|wait_\w+\s*\(|complete\s*\(|wake_up\w*|queue_work\w*|kthread_\w+'
core_words+='|jiffies\w*|ktime_\w+|time\s*\(|clock_gettime|gettimeofday|local_clock'
core_words+='|get_random_\w+|prandom_\w+|random\s*\(|rand\s*\(|getrandom'
core_words+='|f?printf\s*\(|printk\w*|pr_(?:err|warn|info|debug|notice|emerg)\w*|DM(?:ERR|WARN|INFO)\w*'
core_words+='|f?open\s*\(|f?(?:read|write)\s*\(|ioctl\s*\()'

while IFS= read -r path; do
	file=${path#kernel/}
	if [ -z "$(entry_of "$file")" ]; then
		bad "$path:1: not in the table of levels in $check: give it a level there"
		continue
	fi
	while IFS=: read -r line text; do
		[[ $text =~ include[[:space:]]*(\"[^\"]*\"|\<[^\>]*\>) ]] || continue
		check_include "$file" "$path:$line" "${BASH_REMATCH[1]}"
	done < <(code_of "$path" | grep -nE '^[[:space:]]*#[[:space:]]*include' || true)

	while IFS=: read -r _ line text; do
		bad "$path:$line: asks for the kernel's version: compile probes in compat.h are accepted"
	done < <(code_grep '\b(?:LINUX_VERSION_CODE|KERNEL_VERSION|RHEL_RELEASE\w*)\b' "$path")
	[ "$file" = core/env.h ] || while IFS=: read -r _ line text; do
		bad "$path:$line: asks for __KERNEL__: core/env.h alone knows the side it is built for"
	done < <(code_grep '\b__KERNEL__\b' "$path")
	[ "$file" = core/env.h ] || [ "$file" = compat.h ] || while IFS=: read -r line text; do
		# Said once is enough.
		[[ $text != *__KERNEL__* && $text != *_VERSION* ]] || continue
		bad "$path:$line: ${text#"${text%%[![:space:]]*}"}: conditions other than CONFIG_* stand in compat.h"
	done < <(conditions "$file")
	[[ $file != core/* || $file = core/env.h ]] || while IFS=: read -r _ line text; do
		bad "$path:$line: ${text#"${text%%[![:space:]]*}"}: core/ has no bio, lock, allocation, sleep, clock," \
			"randomness or I/O; the caller brings them"
	done < <(code_grep "$core_words" "$path")
done < <(c_files kernel)

# Kbuild knows kernels no more than the sources do.
bad_lines < <(tree_files kernel | { grep -E '/(Kbuild|Makefile)$' || true; } | while IFS= read -r path; do
	{ grep -nE '\b(LINUX_VERSION_CODE|KERNELVERSION|PATCHLEVEL|SUBLEVEL)\b' "$tree/$path" || true; } |
		sed -E "s,^([0-9]+):.*,$path:\1: asks for the kernel's version: compile probes are accepted,"
done)
finish
