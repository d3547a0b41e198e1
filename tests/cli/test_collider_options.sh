#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Colliders on bones, of a sidecar: cooked, listed, felt, left out, and what is wrong with them.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

cp "$CHARACTERS/mascot.glb" "$folder/mascot.glb"
# says TEXT: in the sidecar
says() {
    printf '%s\n' "$1" >"$folder/mascot.sinew.json"
}
# a plane through its ears, on its head: wind from the front would take the left one deeper
ears='"loose": ["earL1", "earL2", "earR1", "earR2"]'
plane='{"bone": "head", "shape": "plane", "normal": [0, 0, 1], "offset": [0, 0, -0.02], "flesh": ["earL1"]}'
options=(--young 2000 --modes 8 --clusters 20 --vertices 3000)

says "{$ears, \"colliders\": [$plane]}"
expect 0 0 'colliders on bones: 1' cook "$folder/mascot.glb" "${options[@]}" -o "$folder/with.sinew"
expect 0 0 'collider on head: plane' info "$folder/with.sinew"
expect 0 0 '"samples"' info "$folder/with.sinew" --json
says "{$ears}"
expect 0 0 '"bone_colliders": 0' cook "$folder/mascot.glb" "${options[@]}" --json -o "$folder/none.sinew"

push=(--motion hop --frames 30 --wind 0,0,-3 --json)
for name in felt out; do
    option=()
    [ $name = felt ] || option=(--no-bone-colliders)
    expect 0 0 '' sim "$folder/with.sinew" "${push[@]}" "${option[@]}" --dump "$folder/$name"
done
cmp -s "$folder/felt/positions.npy" "$folder/out/positions.npy" && fail "no collider is felt"
expect 2 1 "no-bone-colliders" sim "$folder/with.sinew" --coupled --no-bone-colliders --frames 1
expect 2 1 "no-bone-colliders: not with --full-space" sim "$folder/with.sinew" --full-space --no-bone-colliders --frames 1

says "{$ears, \"colliders\": [{\"bone\": \"nobody\", \"shape\": \"sphere\", \"radius\": 1}]}"
expect 0 1 "colliders: no bone is called 'nobody'" cook "$folder/mascot.glb" "${options[@]}" -o "$folder/none.sinew"
says '{"colliders": [{"bone": "head", "shape": "sphere", "radius": -1}]}'
expect 1 1 'colliders\[0\].radius: must be a number' cook "$folder/mascot.glb" -o "$folder/none.sinew"

[ "$failures" -eq 0 ] && echo "colliders on bones are cooked, listed and felt"
exit "$failures"
