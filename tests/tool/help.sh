#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The help of every command works, and help and manual page list the same commands
# and the same options of each.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"

manual=$top/userspace/cascadesetup.8

# section NAME: the lines of a section of the manual page.
section()
{
	awk -v name="$1" '/^\.Sh / { on = ($0 == ".Sh " name) } on' "$manual"
}

help_commands()
{
	awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' "$work/out"
}

# Options with the names of their values in small letters, one a line.
help_options()
{
	awk '/^  --/ { value = ($2 ~ /^[A-Z]+$/) ? " " tolower($2) : ""; print $1 value }' "$work/out"
}

manual_options()
{
	section OPTIONS | awk -v name="$1" '
		/^\.Ss / { on = ($0 == ".Ss " name || $0 == ".Ss All commands") }
		on && /^\.It Fl Fl / { print "--" $4 ($5 == "Ar" ? " " $6 : "") }'
}

synopsis_options()
{
	section SYNOPSIS | awk -v name="$1" '
		/^\.Cm / && last == ".Nm" { on = ($2 == name) }
		{ last = $0 }
		on { while (match($0, /Fl Fl [a-z-]+( Ar [a-z]+)?/)) {
			option = substr($0, RSTART + 6, RLENGTH - 6); sub(/ Ar /, " ", option)
			print "--" option; $0 = substr($0, RSTART + RLENGTH) } }'
}

same()
{
	diff "$work/a" "$work/b" > "$work/diff" || {
		fail "$1"
		sed 's/^/  /' "$work/diff"
	}
}

run --help
expect_status 0
expect_no_err
help_commands | sort > "$work/commands"
[ -s "$work/commands" ] || fail "no commands in the help"

section COMMANDS | awk '/^\.It Cm / { print $3 }' | sort > "$work/b"
cp "$work/commands" "$work/a"
same "commands of the help (<) and of COMMANDS (>) differ"
section SYNOPSIS | awk '/^\.Cm / && last == ".Nm" { print $2 } { last = $0 }' | sort > "$work/b"
same "commands of the help (<) and of SYNOPSIS (>) differ"

while read -r command; do
	run "$command" --help
	expect_status 0
	expect_no_err
	expect_out "Usage: cascadesetup $command"
	help_options | sort > "$work/a"
	manual_options "$command" | sort > "$work/b"
	same "$command: options of the help (<) and of the manual (>) differ"
	{ synopsis_options "$command"; echo --help; } | sort > "$work/b"
	same "$command: options of the help (<) and of the SYNOPSIS (>) differ"
done < "$work/commands"

# An option's section for a command that is none would be compared with nothing.
section OPTIONS | awk '/^\.Ss / && $2 != "All" { print $2 }' | sort > "$work/b"
comm -13 "$work/commands" "$work/b" > "$work/unknown"
[ ! -s "$work/unknown" ] || fail "the manual has options of unknown commands: $(cat "$work/unknown")"

run version
expect_status 0
expect_out "cascadesetup "
expect_out "cascade target "
run --version
expect_status 0
finish
