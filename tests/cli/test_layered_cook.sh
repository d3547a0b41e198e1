#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Models for layered bodies through the command: characters, rigs, meshes without one; fibres; and one line for
# everything that is wrong.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

write_bar "$folder/bar.mesh"
cat >"$folder/rig.json" <<'JSON'
{"handles": [
  {"name": "upper", "bone": [[0.5, 0.5, 0.5], [3, 0.5, 0.5]]},
  {"name": "lower", "bone": [[3, 0.5, 0.5], [5.5, 0.5, 0.5]], "parent": "upper"}]}
JSON

# The characters that are ours: all of their limbs are carried, and the same input gives the same bytes.
for character in mascot octopus; do
    expect 0 0 '' cook "$CHARACTERS/$character.glb" --layered --vertices 4000 --json -o "$folder/$character.sinew"
    within carried 100 600 "$character"
    within modes 0 0 "$character"
    within layers 4 20 "$character"
    expect 0 0 '' info "$folder/$character.sinew" --json
    within carried 100 600 "$character's model"
    within layers 4 20 "$character's model"
    expect 0 0 'vertices attached to bones' info "$folder/$character.sinew"
done
expect 0 0 '' cook "$CHARACTERS/mascot.glb" --layered --vertices 4000 -o "$folder/again.sinew"
cmp -s "$folder/mascot.sinew" "$folder/again.sinew" || fail "the same input gives other bytes"

# Handles, and none.
expect 0 0 'carried:' cook "$folder/bar.mesh" --layered --rig "$folder/rig.json" --dump "$folder/dump" -o "$folder/bar.sinew"
grep -aq "(117,)" "$folder/dump/carrying_bones.npy" || fail "carrying_bones.npy has another shape"
[ ! -e "$folder/dump/frames.npy" ] || fail "frames are dumped where there are none"
expect 0 0 '"fibres": false' info "$folder/bar.sinew" --json
expect 0 0 'carried:' cook "$folder/bar.mesh" --layered -o "$folder/none.sinew"

# Fibres.
cat >"$folder/bar.sinew.json" <<'JSON'
{"fibres": {"stretch": [10, 1, 1], "curves": [{"points": [[0, 0.5, 0], [3, 0.5, 1.5], [6, 0.5, 0]]}]}}
JSON
expect 0 0 'along 1 curve$' cook "$folder/bar.mesh" --layered --rig "$folder/rig.json" --dump "$folder/dump" -o "$folder/bar.sinew"
grep -aq "(288, 9)" "$folder/dump/frames.npy" || fail "frames.npy has another shape"
expect 0 0 '"fibres": true' info "$folder/bar.sinew" --json
echo '{"fibres": {"stretch": [10, 1, 1]}}' >"$folder/bar.sinew.json"
expect 0 0 'along bones' cook "$folder/bar.mesh" --layered --rig "$folder/rig.json" -o "$folder/bar.sinew"
echo '{"fibres": {"curves": [{"points": [[0, 0, 0], [1, 0, 0]], "knots": [0, 1, 0, 1]}]}}' >"$folder/bar.sinew.json"
expect 1 1 'bar.sinew.json: fibres.curves\[0\].knots: must ascend' cook "$folder/bar.mesh" --layered -o "$folder/no.sinew"
echo '{"fibres": {"curves": [{"points": [[0, 90, 0], [1, 90, 0]]}]}}' >"$folder/bar.sinew.json"
expect 1 1 'fibres.curves\[0\]: its distance from the body is 89' cook "$folder/bar.mesh" --layered -o "$folder/no.sinew"
rm "$folder/bar.sinew.json"

# Of a character's material: its tets' fibres, and nobody else's.
cp "$CHARACTERS/mascot.glb" "$folder/skin.glb"
echo '{"materials": {"Body": {"stretch": [6, 1, 1]}}}' >"$folder/skin.sinew.json"
expect 0 0 'along bones' cook "$folder/skin.glb" --layered --vertices 4000 -o "$folder/skin.sinew"
expect 0 0 '"fibres": true' info "$folder/skin.sinew" --json
echo '{"materials": {"nobody": {"stretch": [6, 1, 1]}}}' >"$folder/skin.sinew.json"
expect 0 1 'nobody' cook "$folder/skin.glb" --layered --vertices 4000 -o "$folder/skin.sinew"
expect 0 0 '"fibres": false' info "$folder/skin.sinew" --json
rm "$folder/skin.sinew.json"

# What it is not for.
expect 2 1 'not with --coupled' cook "$folder/bar.mesh" --layered --coupled -o "$folder/no.sinew"
expect 2 1 'not with --flat' cook "$folder/bar.mesh" --layered --flat -o "$folder/no.sinew"
expect 2 1 '--modes: not with --layered' cook "$folder/bar.mesh" --layered --modes 4 -o "$folder/no.sinew"
expect 1 1 'a flat body' cook "$CHARACTERS/drawing-starfish.png" --layered -o "$folder/no.sinew"
[ ! -e "$folder/no.sinew" ] || fail "a refused model is written"

[ "$failures" -eq 0 ]
