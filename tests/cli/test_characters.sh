#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Real avatars and surfaces through the command: they cook, their flesh behaves, and nothing else comes out wrong.
set -u

data=$SHARED_DATA
if [ ! -d "$data/rigged" ]; then
    echo "skipped: $data/rigged is not there"
    exit 77
fi
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# cook FILE [ARGUMENT...]: to model.sinew
cook() {
    local file=$1
    shift
    "$SINEW" cook "$data/$file" "$@" -o "$folder/model.sinew" --json >"$folder/stdout" 2>"$folder/stderr" ||
        { fail "$file: $(cat "$folder/stderr")"; return 1; }
}

# Of sanitizers a walk has a quarter of its frames, and all are coarse: they look at how, not at how well.
coarse=(--vertices 3000)
whole=() least=8000 most=12000 share=1
if [ -n "${SANITIZERS:-}" ]; then
    whole=("${coarse[@]}") least=2400 most=3600 share=4
fi

# in_one LEAST MOST FILE: about so many vertices, in one piece, every vertex of the surface in its tet.
in_one() {
    within vertices "$1" "$2" "$3"
    within components 1 1 "$3"
    within outside 0 0 "$3"
    within min_dihedral 40 90 "$3"
}

# walk CLIP FRAMES LEAST [MOST]: a clip of the model, with its flesh seen and not silly.
walk() {
    "$SINEW" sim "$folder/model.sinew" --motion "clip:$1" --frames $(($2 / share)) --json >"$folder/stdout" 2>"$folder/stderr" ||
        { fail "clip $1: $(cat "$folder/stderr")"; return; }
    within edge_stretch_max 1 2 "clip $1"
    within inverted_frames 0 5 "clip $1"
    within ground_penetration_max 0 0.005 "clip $1"
    within rigid_drift_max 0 0.00001 "clip $1"
    within displacement_max "$3" "${4:-0.15}" "clip $1"
    within recoveries 0 0 "clip $1"
}

# Two as they come, of about ten thousand vertices; the others coarser, which is no easier.
cook rigged/CesiumMan.glb "${whole[@]}" && in_one $least $most CesiumMan.glb && walk "clip 0" 60 0.003
cook rigged/Fox.glb "${whole[@]}" && in_one $least $most Fox.glb && walk Walk 42 0.003
for file in Godette_vrm_v4.vrm vrm1_example.vrm RiggedSimple_external/RiggedSimple.gltf; do
    cook "rigged/$file" "${coarse[@]}" && in_one 2400 3600 "$file"
done
cook rigged/KayKit_Knight.glb "${coarse[@]}" && walk Hit_A 40 0.003 0.25 # a cape that swings, over rigid boots, on a floor
cook rigged/RiggedSimple.glb "${coarse[@]}" && walk "clip 0" 120 0.003
cook rigged/SimpleSkin.gltf "${coarse[@]}" && walk "clip 0" 300 0.003

# A thin tail, which sixteen modes would draw out to a thread.
ray=$data/tet/mantaray/rigs/skeleton_rig
cook tet/mantaray/mantaray.msh --rig "$ray/skeleton_rig.json" --clip "$ray/anim/swim.json" && walk swim 120 0.003

# A surface of its own in given tets.
fish=$data/tet/cd_fish
if cook tet/cd_fish/cd_fish_tex.obj --tets "$fish/cd_fish.msh" --rig "$fish/rigs/skeleton_rig/skeleton_rig.json" \
    --clip "$fish/rigs/skeleton_rig/anim/swim.json"; then
    within vertices 10000 10000 cd_fish_tex.obj
    within bones 2 2 cd_fish_tex.obj
fi

# Nothing to draw, and nothing lost: the old output stays.
echo old >"$folder/kept.sinew"
for file in rigged/vrm1_no_mesh.vrm bad/derived/vrm_truncated.vrm bad/gltf/skin-invalid.gltf bad/mesh/empty.obj; do
    "$SINEW" cook "$data/$file" -o "$folder/kept.sinew" >"$folder/stdout" 2>"$folder/stderr"
    [ $? -eq 1 ] || fail "$file: cooked"
    [ "$(wc -l <"$folder/stderr")" -eq 1 ] || fail "$file: $(wc -l <"$folder/stderr") lines on stderr"
    grep -q "$(basename "$file"): " "$folder/stderr" || fail "$file: the line does not name it"
    [ "$(cat "$folder/kept.sinew")" = old ] || fail "$file: the old output is gone"
done

[ "$failures" -eq 0 ]
