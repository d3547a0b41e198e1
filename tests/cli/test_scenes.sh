#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Scenes through the command: the list, the example of docs/how-to/write-a-scene.md, dumps of one body and of several, pictures, and one
# line for everything that is wrong with a file.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# shape FILE: of an array.
shape() {
    head -c 200 "$1" | LC_ALL=C tr -cd '[:print:]' | sed -n "s/.*'shape': (\([^)]*\)).*/\1/p" | head -n 1
}

# has_array FILE SHAPE
has_array() {
    [ "$(shape "$1")" = "$2" ] || fail "$1 has the shape ($(shape "$1")), not ($2)"
}

expect 0 0 "fish_control" play --list
names=$(awk '{ print $1 }' "$folder/stdout")
expect 0 0 '"scenes": \[' play --list --json
for name in $names; do
    grep -q "\"name\": \"$name\"" "$folder/stdout" || fail "--list --json has no $name"
done
for name in fish_comp fish_control fish_comp_affine fish_deform cube_tet_ik spot_tet PbdTest1 tug octopus; do
    echo "$names" | grep -qx "$name" || fail "there is no scene $name"
done

# the first example of the page, as it stands there
awk '/^```json$/ { is_in = 1; next } is_in && /^```$/ { exit } is_in' "$SOURCE_DIR/docs/how-to/write-a-scene.md" >"$folder/worm.json"
expect 0 0 '"recoveries": 0' sim "$folder/worm.json" --json --dump "$folder/worm"
[ "$(number frames)" = 240 ] || fail "a scene of 4 seconds has $(number frames) frames"
within displacement_max 0.05 20 "the worm, let go"
vertices=$(shape "$folder/worm/positions.npy" | cut -d, -f2 | tr -d ' ')
has_array "$folder/worm/positions.npy" "240, $vertices, 3"
has_array "$folder/worm/rig_positions.npy" "240, $vertices, 3"
has_array "$folder/worm/handles.npy" "240, 3, 3, 4"
has_array "$folder/worm/energy.npy" "240, 3"
has_array "$folder/worm/momentum.npy" "240, 6"
before=$(cat "$folder/worm"/* | cksum)
expect 0 0 "240 frames of 1 bodies" sim "$folder/worm.json" --dump "$folder/worm" --threads 2
[ "$before" = "$(cat "$folder/worm"/* | cksum)" ] || fail "two threads make another worm"

# both solvers, copies, a motion from an array, a solid from a file
write_ball 0 "$folder/ball.obj"
cat >"$folder/two.json" <<'JSON'
{"seconds": 0.2,
 "characters": [{"name": "ball", "path": "ball.obj", "modes": 4, "clusters": 8, "young": 1e4, "vertices": 300},
                {"name": "box", "shape": {"box": [0.5, 0.5, 0.5], "edge_length": 0.25},
                 "handles": [{"name": "low", "point": [0, -0.5, 0]}, {"name": "high", "point": [0, 0.5, 0]}]}],
 "bodies": [{"character": "ball", "count": 2, "translation": ["3*i", {"keys": [[0, 0], [0.1, 1]]}, 0]},
            {"character": "box", "solver": "coupled", "translation": [-3, 2, 0], "locks": "none", "flesh": true}],
 "gravity": [0, -9.81, 0],
 "colliders": [{"shape": "surface", "surface": "ball.obj", "cells": 24, "translation": [-3, 0, 0]}],
 "grabs": [{"body": 1, "path": [-3, "2.5 + t", 0], "reach": 0.5}]}
JSON
expect 0 0 '"bodies": 3' sim "$folder/two.json" --json --dump "$folder/two"
has_array "$folder/two/body-0000/handles.npy" "12, 1, 3, 4"
has_array "$folder/two/body-0002/handles.npy" "12, 2, 3, 4"
cmp -s "$folder/two/body-0000/positions.npy" "$folder/two/body-0001/positions.npy" && fail "copies are at one place"
expect 0 0 '"iterations_mean": null' sim --scene fish_control --frames 5 --json
expect 0 0 '"frames": 5' sim --scene school --frames 5 --json
within iterations_mean 1 30 "reduced bodies in a scene"
within change_max 1e-9 1e-5 "reduced bodies in a scene"

# what is drawn does not sink into what it stands on or meets; sanitizers look at how, for an eighth of the frames
frames=$([ -n "${SANITIZERS:-}" ] && echo 15 || echo 120)
for name in $names; do
    expect 0 0 '"recoveries": 0' sim --scene "$name" --frames "$frames" --json
    within ground_penetration_max 0 0.02 "$name"
    within collider_penetration_max 0 0.03 "$name"
done

# what is wrong is one line that names the file, the place and the cause
# bad PATTERN JSON
bad() {
    printf '%s' "$2" >"$folder/bad.json"
    expect 1 1 "bad.json: $1" sim "$folder/bad.json"
}
shape='"shape": {"box": [1, 1, 1], "edge_length": 0.5}'
bodies="\"characters\": [{$shape}], \"bodies\": [{}]"
bad "line 1" '{'
bad "document: is not an object" '[]'
bad "characters: must have 1" '{}'
bad "sceonds: is an unknown key" "{\"sceonds\": 1, $bodies}"
bad "seconds: " "{\"seconds\": -1, $bodies}"
bad "bodies\[0\].character: no character" "{\"characters\": [{$shape}], \"bodies\": [{\"character\": \"x\"}]}"
bad "bodies\[0\].substeps: is not known to the solver" "{\"characters\": [{$shape}], \"bodies\": [{\"substeps\": 3}]}"
bad "bodies\[0\].flesh: is not known to the solver" "{\"characters\": [{$shape}], \"bodies\": [{\"flesh\": true}]}"
bad "bodies\[0\].flesh: is neither true nor false" "{\"characters\": [{$shape}], \"bodies\": [{\"solver\": \"coupled\", \"flesh\": 1}]}"
bad "bodies\[0\].drives\[0\].rotation\[2\]: 'sin(t': character 6: a ')' is missing" \
    "{\"characters\": [{$shape}], \"bodies\": [{\"drives\": [{\"bone\": \"x\", \"rotation\": [0, 0, \"sin(t\"]}]}]}"
bad "bodies\[0\].drives\[0\]: no bone is named 'x'" \
    "{\"characters\": [{$shape}], \"bodies\": [{\"drives\": [{\"bone\": \"x\"}]}]}"
bad "bodies\[0\].clip: no clip is named 'walk'" "{\"characters\": [{$shape}], \"bodies\": [{\"clip\": \"walk\"}]}"
bad "gravity\[1\]: must be a number" "{\"gravity\": [0, null, 0], $bodies}"
bad "gravity.keys\[1\]: is not later" "{\"gravity\": {\"keys\": [[1, [0,0,0]], [1, [0,0,0]]]}, $bodies}"
bad "colliders\[0\].shape: is 'cone': must be one of plane" "{\"colliders\": [{\"shape\": \"cone\"}], $bodies}"
bad "characters\[0\]: must have either a path or a shape" '{"characters": [{}], "bodies": [{}]}'
bad "characters\[0\].shape.edge_length" '{"characters": [{"shape": {"box": [1, 1, 1]}}], "bodies": [{}]}'
bad "characters\[0\].shape: the edge length is too small for the size of the shape" '{"characters": [{"shape": {"box": [1, 1, 1], "edge_length": 1e-9}}], "bodies": [{}]}'
bad "characters\[0\].shape: the shape is empty" \
    '{"characters": [{"shape": {"blobs": [{"from": [0, 0], "radius": 1e-4}], "edge_length": 1}}], "bodies": [{}]}'
bad "bodies\[0\]: stiffness -1: out of range (0 to 1e+09)" "{\"characters\": [{$shape}], \"bodies\": [{\"stiffness\": -1}]}"
bad "bodies\[0\]: Poisson's ratio 1: out of range" \
    "{\"characters\": [{$shape}], \"bodies\": [{\"solver\": \"coupled\", \"poisson\": 1}]}"
bad "bodies\[0\]: Neo-Hookean flesh is not supported for flat bodies" \
    '{"characters": [{"shape": {"box": [1, 1], "edge_length": 0.5, "flat": true}}], "bodies": [{"neo_hookean": true}]}'
bad "characters\[0\]: Poisson's ratio -2 is below 0" "{\"characters\": [{$shape, \"poisson\": -2}], \"bodies\": [{}]}"
bad "colliders\[0\].radius: is missing" "{\"colliders\": [{\"shape\": \"capsule\"}], $bodies}"
bad "colliders\[0\].half_extents: is missing" "{\"colliders\": [{\"shape\": \"box\"}], $bodies}"
bad "colliders\[0\].surface: is missing" "{\"colliders\": [{\"shape\": \"surface\"}], $bodies}"
bad "its 1 seconds are 1e+12 time steps, more than 1e+07" "{\"seconds\": 1, \"time_step\": 1e-12, $bodies}"
bad "colliders\[0\]: shape 1, radius -1, .* out of range" "{\"colliders\": [{\"shape\": \"sphere\", \"radius\": -1}], $bodies}"
bad "impulses\[0\].bone: no bone is named 'x'" "{\"impulses\": [{\"bone\": \"x\", \"impulse\": [0, 1, 0]}], $bodies}"
bad "grabs\[0\]: reach, softness" "{\"grabs\": [{\"path\": [0, 1, 0], \"softness\": -1}], $bodies}"
bad "characters\[0\]: handles\[0\] 'far': lies outside" \
    "{\"characters\": [{$shape, \"handles\": [{\"name\": \"far\", \"point\": [0, 9, 0]}]}], \"bodies\": [{}]}"
printf '%s' "{\"seconds\": 0.1, \"time_step\": 0, \"characters\": [{$shape, \"name\": \"box\"}], \"bodies\": [{\"solver\": \"coupled\"}]}" >"$folder/box.json"
expect 0 0 '"frames": 6' sim "$folder/box.json" --json
printf '{"characters": [{"path": "absent.obj"}], "bodies": [{}]}' >"$folder/bad.json"
expect 1 1 "$folder/absent.obj: cannot open" sim "$folder/bad.json"
expect 1 1 "absent.json: cannot open" sim "$folder/absent.json"
expect 1 1 "no scene has that name" sim --scene nonesuch
expect 1 1 "no scene has that name" play --scene nonesuch --headless --frames 1 --out "$folder/none" --device cpu
expect 2 1 "not with a scene" sim "$folder/worm.json" --gravity 0,1,0
expect 2 1 "not with --scene" play --scene tug --wind 1,0,0 --headless --frames 1 --out "$folder/none"
expect 2 1 "--show-mesh: not with --scene" play --scene tug --show-mesh --headless --frames 1 --out "$folder/none"
expect 2 1 "too few arguments" sim
expect 2 1 "extra: not with --list" play --list extra
expect 2 1 "--out: not with --list" play --list --out "$folder/none"
[ -e "$folder/none" ] && fail "a refused call made its folder"

# pictures
out=(--headless --frames 2 --size 64x48 --device "${SN_TEST_DEVICE:-cpu}" --validate --json)
if "$SINEW" play --scene worm "${out[@]}" --out "$folder/probe" 2>"$folder/stderr" >/dev/null; then
    expect 0 0 '"validation_messages": 0' play --scene "$folder/two.json" "${out[@]}" --out "$folder/pictures"
    [ "$(find "$folder/pictures" -name 'frame-000[01].png' | wc -l)" -eq 2 ] || fail "two pictures were not written"
    expect 0 0 '"validation_messages": 0' play --scene worm "${out[@]}" --out "$folder/marked" --show-handles
    cmp -s "$folder/probe/frame-0001.png" "$folder/marked/frame-0001.png" && fail "--show-handles draws nothing in a scene"
    # two bodies of two characters get other bones at once
    cat >"$folder/anew.json" <<JSON
{"characters": [{"shape": {"box": [1, 1], "edge_length": 0.5, "flat": true}, "handles": [{"name": "a", "point": [0, 0]}]},
                {"shape": {"box": [1, 1], "edge_length": 0.4, "flat": true}, "handles": [{"name": "a", "point": [0, 0]}]}],
 "bodies": [{"character": 0, "solver": "coupled"}, {"character": 1, "solver": "coupled", "translation": [3, 0, 0]}],
 "events": [{"at": 0, "body": 0, "handles": [{"name": "b", "point": [0.5, 0]}]},
            {"at": 0, "body": 1, "handles": [{"name": "b", "point": [0.5, 0]}]}]}
JSON
    expect 0 0 '"validation_messages": 0' play --scene "$folder/anew.json" "${out[@]}" --out "$folder/anew" --show-handles
    for name in octopus $(echo "$names" | grep -x bowling); do
        expect 0 0 "\"scene\": \"$name\"" play --scene "$name" "${out[@]}" --out "$folder/pictures"
    done
elif grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
    echo "pictures skipped: $(cat "$folder/stderr")"
else
    fail "play --scene worm: $(cat "$folder/stderr")"
fi

[ "$failures" -eq 0 ]
