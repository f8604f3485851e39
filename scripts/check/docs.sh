#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# docs.sh - every function that another file may call is documented where it is
# declared, all kernel-doc is well formed, and manual pages are.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

need perl perl
need mandoc mandoc
kernel_doc=$("$project/scripts/linux-source" tree scripts scripts/checkpatch.pl \
	scripts/spelling.txt scripts/const_structs.checkpatch scripts/kernel-doc)/scripts/kernel-doc

# Declarations at the outer level of a header: LINE NAME
declared()
{
	code_of "$1" | perl -0777 -ne '
		# Preprocessor lines with their continuations, then bodies, go; lines stay.
		sub blank { (my $t = shift) =~ s/[^\n]//g; $t }
		s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/blank($&)/gme;
		1 while s/\{[^{}]*\}/";" . blank($&)/ge;
		my $line = 1;
		for my $part (split /(?<=;)/) {
			my ($space) = $part =~ /^(\s*)/;
			my $at = $line + ($space =~ tr/\n//);
			$line += ($part =~ tr/\n//);
			$part =~ s/\s+/ /g;
			next if $part =~ /^ ?(?:typedef|static|extern "")\b/;
			next if $part =~ /\bstatic\b/;
			# The tracepoint macros are documented as a whole.
			next if $part =~ /^ ?(?:TRACE_EVENT|DECLARE_EVENT_CLASS|DEFINE_EVENT)\b/;
			$part =~ s/\b__\w+__? ?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)//g;
			$part =~ s/\b__(?:printf|scanf|aligned|acquires|releases|must_hold) ?\([^()]*\)//g;
			print "$at $1\n" if $part =~ /^[^(=]*?\b(\w+) ?\((?!\*)/ && $1 !~ /^(?:static_assert|_Static_assert|sizeof|if|while)$/;
		}'
}

documented()
{
	perl -0777 -ne 'print "$1\n" while m{/\*\*\s*\n?\s*\*?\s*(\w+)\s*\(\)\s*-}g' "$tree/$1"
}

while IFS= read -r path; do
	while read -r line name; do
		documented "$path" | grep -qx "$name" ||
			bad "$path:$line: $name() is declared without kernel-doc: a comment \"/** $name() - ...\"" \
				"above it is accepted"
	done < <(declared "$path")
done < <(c_files kernel userspace | grep '\.h$' || true)

mapfile -t sources < <(c_files kernel userspace)
if [ ${#sources[@]} -gt 0 ]; then
	bad_lines < <(cd "$tree"; perl "$kernel_doc" -none "${sources[@]}" 2>&1 |
		sed -nE '/(warning|error):/p')
fi

mapfile -t manuals < <(tree_files | grep -E '\.[1-9]$' || true)
if [ ${#manuals[@]} -gt 0 ]; then
	bad_lines < <(cd "$tree" && mandoc -Tlint -Wwarning "${manuals[@]}" 2>&1 | sed 's/^mandoc: //')
fi
finish
