#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Drawings through the command: our own, with their rigs, to a picture; real ones where the data are; weights from files;
# and one line for everything that is wrong.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

for name in fish octopus worm ghost mushroom starfish; do
    expect 0 0 ' triangles, .* bones, ' cook "$CHARACTERS/drawing-$name.png" --rig "$CHARACTERS/drawing-$name.json" \
        --vertices 600 --coupled -o "$folder/$name.sinew"
done
fish=$CHARACTERS/drawing-fish.png
expect 0 0 '"bones": 7' cook "$fish" --rig "$CHARACTERS/drawing-fish.json" -o "$folder/fish.sinew" --json
within vertices 1400 1600 'a fish'
within components 1 1 'a fish'
within min_dihedral 59.9 60.1 'a fish'
expect 0 0 '' sim "$folder/fish.sinew" --frames 60 --motion hop --json
within displacement_max 0.005 0.3 'a hopping fish'
within recoveries 0 0 'a hopping fish'
expect 0 0 '' info "$fish"

# A picture as the mask of another: the mushroom cut out of itself is the same.
expect 0 0 '1 bones' cook "$fish" --mask "$fish" -o "$folder/masked.sinew"
expect 1 1 'drawing-ghost.png: header: 700 x 860 pixels, but .*960 x 600' cook "$fish" --mask "$CHARACTERS/drawing-ghost.png" -o "$folder/none.sinew"
expect 1 1 'missing.png: cannot open' cook "$fish" --mask "$folder/missing.png" -o "$folder/none.sinew"
expect 1 1 'missing.png: cannot open' cook "$folder/missing.png" -o "$folder/none.sinew"
expect 1 1 'missing.tgf: cannot open' cook "$fish" --rig "$folder/missing.tgf" -o "$folder/none.sinew"
expect 2 1 '--vertices' cook "$fish" --vertices 2 -o "$folder/none.sinew"
head -c 2000 "$fish" >"$folder/cut.png"
expect 1 1 'cut.png: ' cook "$folder/cut.png" -o "$folder/none.sinew"
printf 'skeleton:\n- {name: a, loc: [1, 2]}\n' >"$folder/char_cfg.yaml"
expect 1 1 'texture.png: cannot open' cook "$folder/char_cfg.yaml" -o "$folder/none.sinew"
cp "$fish" "$folder/texture.png"
expect 1 1 "'a'" cook "$folder/char_cfg.yaml" -o "$folder/none.sinew"
printf 'skeleton:\n- {name: a, loc: [200, 300]}\n- {name: b, loc: [600, 300], parent: a}\n' >"$folder/char_cfg.yaml"
expect 0 0 '2 bones' cook "$folder/char_cfg.yaml" -o "$folder/skeleton.sinew"
expect 0 0 '2 bones' cook "$fish" --rig "$folder/char_cfg.yaml" -o "$folder/skeleton.sinew"
printf '1 250 300\n2 450 300\n3 650 300\n#\n1 2 1\n2 3 1\n' >"$folder/bones.tgf"
expect 0 0 '2 bones' cook "$fish" --rig "$folder/bones.tgf" -o "$folder/skeleton.sinew"
echo '{}' >"$folder/a_ske.json"
expect 1 1 'a_tex.json: cannot open' cook "$folder/a_ske.json" -o "$folder/none.sinew"
echo '{"imagePath": "../drawing-fish.png"}' >"$folder/a_tex.json"
expect 1 1 'a_tex.json: imagePath: must be' cook "$folder/a_ske.json" -o "$folder/none.sinew"

# Weights by the numbers of the .obj, whose triangles use its vertices in another order: row v is (v, 3 - v) / 3.
printf 'v 1 1 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\nf 4 3 1\nf 4 1 2\n' >"$folder/square.obj"
printf '1 0 0\n2 1 1\n' >"$folder/square.tgf"
printf '2 4\n0\n1\n2\n3\n3\n2\n1\n0\n' >"$folder/square.dmat"
expect 0 0 '4 vertices, 2 triangles, 2 bones' cook "$folder/square.obj" --flat --rig "$folder/square.tgf" --weights "$folder/square.dmat" \
    --coupled --dump "$folder/dump" -o "$folder/square.sinew"
got=$(tail -c 64 "$folder/dump/rig_weights.npy" | od -An -v -t f8 -w16 | awk '{ printf "%.3f ", $1 }')
[ "$got" = '1.000 0.667 0.000 0.333 ' ] || fail "weights by file are $got"
printf '2 3\n0\n1\n2\n3\n3\n2\n' >"$folder/short.dmat"
expect 1 1 'short.dmat: weights: 3 rows for the 4 vertices' cook "$folder/square.obj" --flat --rig "$folder/square.tgf" --weights "$folder/short.dmat" -o "$folder/none.sinew"
expect 1 1 'square.dmat: weights need handles, and .*square.obj has none' cook "$folder/square.obj" --flat --weights "$folder/square.dmat" -o "$folder/none.sinew"
[ ! -e "$folder/none.sinew" ] || fail 'a refused drawing leaves a model'

data=$SHARED_DATA/twod
if [ -d "$data" ]; then
    # What cooks, in one piece of the wanted size: FILE BONES WARNINGS [ARGUMENT...]
    real() {
        local file=$1 bones=$2 warnings=$3
        shift 3
        expect 0 "$warnings" "\"bones\": $bones" cook "$data/$file" "$@" --coupled -o "$folder/real.sinew" --json
        within vertices 1400 1600 "$file"
        within components 1 1 "$file"
    }
    real amoeba/amoeba.png 1 0
    real bird/bird_mouth.png 1 0
    real hedgehog/hedgehog.png 1 0
    real walrus/walrus.png 1 0
    real drawing_char1/char_cfg.yaml 15 0
    real drawing_char4/char_cfg.yaml 15 0
    real drawing_char5/texture.png 27 0 --rig "$data/drawing_char5/char_cfg.yaml"
    real dragonbones_mecha_1004d/mecha_1004d_ske.json 15 1
    expect 0 0 '"recoveries": 0' sim "$folder/real.sinew" --coupled --motion clip:walk --frames 60 --json
    within displacement_max 0.003 0.2 'a mech that walks'
    expect 0 0 'clip victory: 1.120 s' info "$folder/real.sinew"
    real dragonbones_mecha_1406/mecha_1406_ske.json 14 0
    expect 0 0 '"bones": 3' cook "$data/bird/bird_mouth.obj" --flat --rig "$data/bird/bird_mouth.tgf" \
        --weights "$data/bird/bird_mouth.dmat" --coupled -o "$folder/real.sinew" --json
else
    echo "without real drawings: $data is not there"
fi

[ "$failures" -eq 0 ]
