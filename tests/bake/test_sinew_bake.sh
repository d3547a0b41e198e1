#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `sinew bake` through the command: every form and file, loops, what comes back in, and bad input.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers.sh"

"$SINEW" characters "$folder" >/dev/null || exit 1
"$SINEW" cook "$folder/octopus.glb" --modes 8 -o "$folder/octopus.sinew" >/dev/null 2>&1 || exit 1
model=$folder/octopus.sinew

# bake NAME LEAST_ERROR MOST_ERROR arguments...: a file, its error in between.
bake() {
    local name=$1 least=$2 most=$3
    shift 3
    expect 0 0 '"error"' bake "$model" --clip swim --seconds 0.25 -o "$folder/$name" --json "$@"
    within error "$least" "$most" "$name $*"
    within bytes "$(wc -c <"$folder/$name")" "$(wc -c <"$folder/$name")" "$name"
}

# The default key error is 1e-4; the rig alone has no other.
bake rig.glb 0 0.00013 --rig-only
within rig_error 0 0 rig.glb
bake rig.gltf 0 0.00001 --rig-only --key-error 0
bake nothing.glb 0.001 1 --targets 0
bake targets.glb 0 0.001 --targets 12
bake joints.glb 0 0.004 --joints 8
bake targets.usda 0 0.001 --targets 6
[ -s "$folder/targets.texture0.png" ] || fail "targets.usda: its picture is not beside it"
bake handles.json 0.001 1
grep -q '"format":"sinew motion","version":1' "$folder/handles.json" || fail "handles.json: not the format"

# Same call, same bytes.
bake again.glb 0 0.004 --joints 8
cmp -s "$folder/joints.glb" "$folder/again.glb" || fail "the same bake gives other bytes"

# A loop's period is the clip's, and it is steady within a few.
expect 0 0 '"periods"' bake "$model" --clip swim --loop --damping 5 --fps 24 --targets 8 -o "$folder/loop.glb" --json
within periods 2 11 loop.glb
within period_difference 0 0.0001 loop.glb
within frames 39 40 loop.glb

# What was baked is a character again: its bones and its clip, of the same length.
expect 0 0 '' cook "$folder/joints.glb" --modes 4 -o "$folder/again.sinew"
expect 0 0 '"seconds": 0.25' info "$folder/again.sinew" --json
within bones 39 60 again.sinew

# Bad input: one line that says what, and the old file stays.
echo old >"$folder/kept.glb"
old() {
    expect "$@"
    [ "$(cat "$folder/kept.glb")" = old ] || fail "${*:4}: the old file is gone"
}
out=$folder/kept.glb
old 2 1 "-o OUT.glb is missing" bake "$model"
old 2 1 "not a .glb" bake "$model" -o "$folder/kept.fbx"
old 2 1 "not both" bake "$model" --targets 2 --joints 2 -o "$out"
old 2 1 "not both" bake "$model" --clip swim --motion hop -o "$out"
old 2 1 "not with --rig-only" bake "$model" --targets 2 --rig-only -o "$out"
old 2 1 "the rig's motion alone" bake "$model" --joints 2 -o "$folder/kept.json"
old 2 1 "not a multiple of 4" bake "$model" --influences 6 -o "$out"
old 2 1 "not a valid value" bake "$model" --targets 1000 -o "$out"
old 2 1 "not a valid value" bake "$model" --fps 0 -o "$out"
old 1 1 "not in this version" bake "$model" --backend gpu -o "$out"
old 1 1 "no clip is called 'fly'" bake "$model" --clip fly -o "$out"
old 1 1 "no clip is called" bake "$model" --clip "$(printf '%2000s' x)" -o "$out"
old 1 1 "nowhere.sinew" bake "$folder/nowhere.sinew" -o "$out"
old 1 1 "octopus.glb" bake "$folder/octopus.glb" -o "$out"
old 1 1 "more than" bake "$model" --seconds 1e6 -o "$out"
old 1 1 "cannot" bake "$model" --clip swim --seconds 0.1 --rig-only -o "$folder/no/such/folder.glb"
mkdir "$folder/a@b"
old 1 1 "may not hold" bake "$model" --clip swim --seconds 0.1 --rig-only -o "$folder/a@b.usda"
[ ! -e "$folder/a@b.usda" ] || fail "a@b.usda: half of it is there"

# Arrays: a frame a step.
npy '<f8' '(1, 2, 3, 4)' "$(printf '\\0%.0s' {1..192})" >"$folder/wrong.npy" 2>/dev/null
old 1 1 "wrong.npy" bake "$model" --motion "$folder/wrong.npy" -o "$out"

[ "$failures" -eq 0 ]
