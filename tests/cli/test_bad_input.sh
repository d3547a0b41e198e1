#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every malformed mesh and rig of the test data: exit code 1, one line that names the file, nothing written; the controls
# cook. And seeded mutations of a good file never do anything else than cook or fail cleanly.
set -u
bad=$SHARED_DATA/bad/derived
[ -d "$bad" ] || { echo "skipped: no test data at $bad"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
count=0

check() {
    local expected=$1 name=$2
    shift 2
    rm -f "$folder/out.sinew"
    (ulimit -t 60; exec "$SINEW" cook "$@" -o "$folder/out.sinew" >"$folder/out" 2>"$folder/err")
    local code=$?
    count=$((count + 1))
    if [ "$code" -ne "$expected" ]; then
        echo "FAILED: $name: exit code $code: $(head -c 300 "$folder/err")"
        failures=$((failures + 1))
    elif [ "$expected" -eq 1 ]; then
        [ "$(grep -vc '^warning:' "$folder/err")" -eq 1 ] && grep -q "$name" "$folder/err" && [ ! -e "$folder/out.sinew" ] && return
        echo "FAILED: $name: not one line that names it: $(head -c 300 "$folder/err")"
        failures=$((failures + 1))
    fi
}

for file in "$bad"/msh_*.msh; do
    case $file in *_valid_*) expected=0 ;; *) expected=1 ;; esac
    check "$expected" "$(basename "$file")" "$file"
done
fish=$SHARED_DATA/tet/cd_fish/cd_fish.msh
for file in "$bad"/rig_*.json; do
    case $file in *_valid_*) expected=0 ;; *) expected=1 ;; esac
    check "$expected" "$(basename "$file")" "$fish" --rig "$file"
done

# mutations: cut, or overwritten at a place that the seed chooses
RANDOM=4242
good=$bad/msh_valid_one_tet_packed.msh
size=$(wc -c <"$good")
for ((i = 0; i < 60; ++i)); do
    cp "$good" "$folder/mutant.msh"
    chmod u+w "$folder/mutant.msh"
    if ((i % 3 == 0)); then
        truncate -s $((RANDOM % size)) "$folder/mutant.msh"
    else
        # shellcheck disable=SC2059
        printf "\\x$(printf %02x $((RANDOM % 256)))" |
            dd of="$folder/mutant.msh" bs=1 seek=$((RANDOM % size)) conv=notrunc 2>/dev/null
    fi
    (ulimit -t 60; exec "$SINEW" cook "$folder/mutant.msh" -o "$folder/out.sinew" >/dev/null 2>"$folder/err")
    code=$?
    count=$((count + 1))
    if [ "$code" -gt 1 ] || { [ "$code" -eq 1 ] && [ "$(grep -vc '^warning:' "$folder/err")" -ne 1 ]; }; then
        echo "FAILED: mutation $i: exit code $code: $(head -c 300 "$folder/err")"
        failures=$((failures + 1))
    fi
done
echo "$count inputs, $failures failures"
[ "$failures" -eq 0 ]
