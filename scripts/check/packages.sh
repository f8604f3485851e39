#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packages.sh - what the guests' disk image is made of comes with the packages that scripts/deps
# names, those that they depend on, and the ones every system has: a fresh machine has no others.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

need dpkg-query dpkg
PATH=$PATH:/usr/sbin:/sbin
image=scripts/vm-image

# closure PACKAGES: those installed that come with these, one a line.
closure()
{
	dpkg-query -W -f '${binary:Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
		awk -F '\t' -v named="$1" '
		function plain(name) {
			gsub(/^ +| *\(.*| +$|:[a-z0-9]+( .*)?$/, "", name)
			return name
		}
		function want(name) {
			if (name == "" || name in wanted)
				return
			wanted[name] = 1
			queue[++last] = name
		}
		{
			name = plain($1)
			depends[name] = $4
			if ($2 == "yes")
				want(name)
			n = split($3, list, ",")
			for (i = 1; i <= n; i++)
				provider[plain(list[i])] = name
		}
		END {
			n = split(named, list, " ")
			for (i = 1; i <= n; i++)
				want(list[i])
			for (first = 1; first <= last; first++) {
				name = queue[first]
				if (!(name in depends) && name in provider)
					want(provider[name])
				n = split(depends[name], list, /[,|]/)
				for (i = 1; i <= n; i++)
					want(plain(list[i]))
			}
			for (name in wanted)
				print name
		}'
}

# The words of NAME='...' in the script, with the line at which it begins.
words_of()
{
	awk -v name="$1" '
		!on && index($0, name "='\''") == 1 { on = 1; print NR; sub(/^[^'\'']*'\''/, "") }
		on { last = sub(/'\''.*/, ""); print; if (last) exit }' "$tree/$image"
}

read -rd '' line tools < <(words_of tools) || true
[ -n "$tools" ] || bad "$image:1: has no list of tools"
# / and /usr are one, and dpkg knows one name of each file; of an alternative, what it stands for.
declare -A path_of=() owner_of=()
names=()
for tool in $tools; do
	path=$(type -P "$tool") || {
		bad "$image:$line: $tool is not installed: what comes with \"scripts/deps vm\" is accepted"
		continue
	}
	path_of[$tool]=$path
	names+=("$path" "${path#/usr}" "/usr${path#/usr}" "$(readlink -f "$path")")
done
while IFS=: read -r package path; do
	owner_of[${path# }]=$package
done < <(dpkg-query -S "${names[@]}" 2> /dev/null)

declare -A have=()
while IFS= read -r package; do
	have[$package]=1
done < <(closure "$("$tree/scripts/deps" --list vm | tr '\n' ' ')")
for tool in "${!path_of[@]}"; do
	path=${path_of[$tool]}
	package=
	for name in "$path" "${path#/usr}" "/usr${path#/usr}" "$(readlink -f "$path")"; do
		[ -n "$package" ] || package=${owner_of[$name]:-}
	done
	[ -n "${have[${package:-none}]:-}" ] ||
		bad "$image:$line: $tool comes from ${package:-no package}, which \"scripts/deps vm\" does not install"
done
finish
