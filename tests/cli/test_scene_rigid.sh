#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Rigid bodies of a scene file: dumps that are the same on any number of threads, and one line for all that is wrong.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# write RIGID [COLLIDER]: a ball that rolls into two boxes, the first of which has these members
write() {
    cat >"$folder/rigid.json" <<JSON
{"seconds": 1, "gravity": [0, -9.81, 0], "floor": {"friction": 0.6},
 "characters": [
   {"name": "box", "shape": {"box": [0.1, 0.2, 0.1], "edge_length": 0.1}, "young": 3000, "modes": 4, "clusters": 6},
   {"name": "ball", "shape": {"blobs": [{"from": [0, 0, 0], "to": [0, 0, 0], "radius": 0.15}], "edge_length": 0.05},
    "young": 1e4, "modes": 4, "clusters": 6, "vertices": 400}],
 "bodies": [
   {"character": "box", "count": 2, "translation": [0, 0.2, "-0.5*i"], "damping": 2, "rigid": $1},
   {"character": "ball", "translation": [0, 0.15, 0.6],
    "rigid": {"mass": 4, "velocity": [0, 0, -3], "shapes": [{"shape": "sphere", "radius": 0.15}]}}],
 "colliders": [${2:-}]}
JSON
}

write '{}'
"$SINEW" sim "$folder/rigid.json" --json >"$folder/stdout" 2>"$folder/stderr"
if grep -q "SN_ODE=OFF" "$folder/stderr"; then
    expect 1 1 'bodies\[0\].rigid: this build has no rigid-body engine' sim "$folder/rigid.json" --json
    exit "$failures"
fi
expect 0 0 '"recoveries": 0' sim "$folder/rigid.json" --json --dump "$folder/one"
within displacement_max 0.001 0.5 "flesh of what is hit"
before=$(cat "$folder/one"/*/* | cksum)
expect 0 0 "60 frames of 3 bodies" sim "$folder/rigid.json" --dump "$folder/one" --threads 2
[ "$before" = "$(cat "$folder/one"/*/* | cksum)" ] || fail "two threads move rigid bodies elsewhere"

# the example of the page, as it stands there
awk '/^```json rigid$/ { is_in = 1; next } /^```$/ { is_in = 0 } is_in' "$SOURCE_DIR/docs/how-to/write-a-scene.md" >"$folder/posts.json"
expect 0 0 '"recoveries": 0' sim "$folder/posts.json" --json
within displacement_max 0.05 0.6 "posts, bowled over"

# all members
write '{"density": 300, "friction": 0.3, "restitution": 0.2, "dents": 0.01, "velocity": ["0.1*i", 0, 0],
  "angular_velocity": [0, "i", 0], "shapes": [{"shape": "box", "half_extents": [0.1, 0.1, 0.1], "radius": 0.01,
  "translation": [0, -0.09, 0]}, {"shape": "capsule", "radius": 0.05, "half_height": 0.1},
  {"shape": "cylinder", "radius": 0.05, "half_height": 0.1, "rotation": [1, 0, 0]}]}' \
    '{"shape": "plane", "hidden": true}, {"shape": "capsule", "radius": 0.1, "half_height": 0.2, "translation": ["t", 0.2, 2]}'
expect 0 0 '"recoveries": 0' sim "$folder/rigid.json" --json
write '{"kinematic": true}'
expect 0 0 '"recoveries": 0' sim "$folder/rigid.json" --json

# one line for what cannot be
# bad PATTERN RIGID [COLLIDER]
bad() {
    write "$2" "${3:-}"
    expect 1 1 "^sinew: .*rigid.json: .*$1" sim "$folder/rigid.json"
}
bad 'bodies\[0\].rigid.*object' '3'
bad 'bodies\[0\].rigid.*object' '[]'
bad 'rigid.weight.*not known\|rigid.*weight' '{"weight": 3}'
bad 'rigid.mass: is 0: must be' '{"mass": 0}'
bad 'rigid.mass: is -1: must be' '{"mass": -1}'
bad 'rigid.mass: is 1e+13: must be' '{"mass": 1e13}'
bad 'rigid.mass.*number' '{"mass": "3"}'
bad 'rigid.mass: set a mass from' '{"mass": 3, "density": 10}'
bad 'rigid.density: is 0: must be' '{"density": 0}'
bad 'rigid.friction: is -0.5: must be' '{"friction": -0.5}'
bad 'rigid.restitution: is 1.5: must be' '{"restitution": 1.5}'
bad 'rigid.dents: is 11: must be' '{"dents": 11}'
bad 'rigid.kinematic' '{"kinematic": 1}'
bad 'rigid.velocity' '{"velocity": [0, 1]}'
bad "rigid.velocity\[1\]: '1 +'" '{"velocity": [0, "1 +", 0]}'
bad 'rigid.velocity: copy 1 is above 1e6' '{"velocity": ["2e6*i", 0, 0]}'
bad 'rigid.angular_velocity: copy 0 is above 1e4' '{"angular_velocity": [0, "exp(50)", 0]}'
bad 'NaN\|nan\|invalid' '{"mass": NaN}'
bad 'rigid.shapes.*list\|rigid.shapes.*array' '{"shapes": {}}'
bad "shapes\[0\].shape: is 'cone': must be one of sphere, capsule, cylinder, box" '{"shapes": [{"shape": "cone"}]}'
bad 'shapes\[0\].*radius' '{"shapes": [{"shape": "sphere"}]}'
bad 'shapes\[1\].*half_height' '{"shapes": [{"shape": "sphere", "radius": 1}, {"shape": "cylinder", "radius": 1}]}'
bad 'shapes\[0\].*half_height' '{"shapes": [{"shape": "sphere", "radius": 1, "half_height": 1}]}'
bad 'shapes\[0\].radius: is 0: must be' '{"shapes": [{"shape": "sphere", "radius": 0}]}'
bad 'shapes\[0\].half_extents: all three must be from' '{"shapes": [{"shape": "box", "half_extents": [1, 0, 1]}]}'
bad 'shapes\[0\].half_extents: must have three numbers' '{"shapes": [{"shape": "box", "half_extents": [0.1, 0.1]}]}'
bad 'shapes\[0\].half_extents: is not an array' '{"shapes": [{"shape": "box", "half_extents": 3}]}'
many=$(for _ in $(seq 65); do printf '{"shape": "sphere", "radius": 1}, '; done)
bad 'rigid.shapes: has 65 entries: at most 64' "{\"shapes\": [${many%, }]}"
write_ball 0 "$folder/ball.obj"
bad 'colliders\[0\].shape: rigid bodies collide only with planes' '{}' '{"shape": "surface", "surface": "ball.obj", "cells": 8}'

[ "$failures" -eq 0 ]
