#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The JSON schema of "status": what the tool prints of arrays in every state that a status line can tell is valid,
# what is wrong is not, and the manual names the same keys. A stand-in plays device-mapper; the outputs of real arrays
# are judged by tests/vm/tool_verbs.sh.
# shellcheck source-path=SCRIPTDIR source=lib
. "$(dirname "$0")/lib"
build_fakedm

valid()
{
	"$top/tests/tool/status-schema" "$@" > "$work/faults" 2>&1
}

# judged: what stands in $work/out is valid.
judged()
{
	expect_no_err
	valid "$work/out" || fail "not valid: $(cat "$work/faults")"
}

run status --json
expect_status 0
judged
for health in AA AAA AAAA ADAA AaAA -AAA DDAA A--a; do
	for action in idle resync recover check repair frozen; do
		for cache in none warming ok degraded failed; do
			array "$health-$action-$cache" raid5 "$health" 12345/96256 $action $cache
		done
	done
	level=raid6
	[ ${#health} -ge 4 ] || level=raid0
	array "other-$health" $level "$health" 96256/96256 idle
done
rm "$work/dm"/AA-*
# A raid0 that lacks a member is failed.
array gone raid0 A- 1/1 idle
array wide raid6 "$(printf 'A%.0s' {1..64})" 1/1 idle
echo "suspended read_only" > "$work/dm/wide.flags"
run status --json
expect_status 4
judged
expect_json 'len(j) > 200 and {a["health"] for a in j} == {"healthy", "degraded", "rebuilding", "failed"}'
expect_json '[a["suspended"] and a["read_only"] for a in j if a["name"] == "wide"] == [True]'

# Every change to a valid output must be found.
rm "$work/dm"/*
array data raid5 A-A 500/1000 resync
run status --json data
judged
cp "$work/out" "$work/good"
while IFS= read -r change; do
	/usr/bin/python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); a = j[0]; exec(sys.argv[2]); print(json.dumps(j))' \
		"$work/good" "$change" > "$work/changed"
	! valid "$work/changed" || fail "counts as valid after: $change"
done << 'CHANGES'
j.append(1)
del a["name"]
del a["counters"]["cache_rescues"]
del a["members"][1]["device"]
del a["sync"]["percent"]
a["name"] = ""
a["level"] = "raid4"
a["nr_members"] = 0
a["nr_members"] = "3"
a["nr_members"] = 4
a["health"] = "fine"
a["health"] = "healthy"
a["members"][1]["state"] = "in sync"
a["level"] = "raid0"
a["size_sectors"] = -8
a["chunk_sectors"] = 4
a["uuid"] = a["uuid"].upper()
a["read_only"] = 0
a["suspended"] = None
a["members"] = []
a["members"][0]["device"] = 7
a["members"][0]["state"] = "A"
a["members"][0]["slot"] = 64
a["members"][0]["colour"] = "red"
a["sync"]["action"] = "none"
a["sync"]["percent"] = 100.1
a["sync"]["percent"] = "50"
a["sync"]["done_sectors"] = 0.5
a["mismatch_blocks"] = -1
a["counters"]["reads"] = "1"
a["counters"]["journal"] = "fine"
a["counters"]["cache_state"] = 0
a["counters"]["more"] = 1
a["more"] = 1
CHANGES
echo '[' > "$work/changed"
! valid "$work/changed" || fail "half a document counts as valid"

# A reader that only has the schema takes what a later version may add.
/usr/bin/python3 - "$work/good" "$top/userspace/status.schema.json" << 'PYTHON' || fail "the schema refuses new keys"
import json, sys
import jsonschema
document, schema = (json.load(open(name)) for name in sys.argv[1:])
document[0]["more"] = document[0]["counters"]["more"] = document[0]["sync"]["more"] = document[0]["members"][0]["more"] = 1
jsonschema.Draft202012Validator(schema).validate(document)
PYTHON

# Keys of the manual, and of the schema. Counters are those of the status line.
sed -n '/^\.Ss JSON/,/^\.Cm examine/p' "$top/userspace/cascadesetup.8" | sed -n 's/^\.Li //p; s/^\.Pq Li .*//p' |
	grep -oE '\<[a-z_]+\>' | sort -u > "$work/a"
/usr/bin/python3 - "$top/userspace/status.schema.json" << 'PYTHON' | sort -u > "$work/b"
import json, sys
defs = json.load(open(sys.argv[1]))["$defs"]
print("\n".join(key for name in ("array", "member", "sync") for key in defs[name]["properties"]))
PYTHON
diff "$work/a" "$work/b" > "$work/diff" || fail "keys of the manual (<) and of the schema (>) differ: $(cat "$work/diff")"
finish
