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

# Characters: eight to twelve thousand vertices, in one piece, every vertex in its tet.
for file in CesiumMan.glb Fox.glb Godette_vrm_v4.vrm vrm1_example.vrm RiggedSimple_external/RiggedSimple.gltf; do
    cook "rigged/$file" || continue
    within vertices 8000 12000 "$file"
    within components 1 1 "$file"
    within outside 0 0 "$file"
    within min_dihedral 40 90 "$file"
done

# walk FILE CLIP FRAMES LEAST [COOK ARGUMENT...]: a clip, with its flesh seen and not silly.
walk() {
    cook "$1" "${@:5}" || return
    "$SINEW" sim "$folder/model.sinew" --motion "clip:$2" --frames "$3" --json >"$folder/stdout" 2>"$folder/stderr" ||
        { fail "$1: $(cat "$folder/stderr")"; return; }
    within edge_stretch_max 1 2 "$1"
    within inverted_frames 0 5 "$1"
    within ground_penetration_max 0 0.005 "$1"
    within rigid_drift_max 0 0.00001 "$1"
    within displacement_max "$4" 0.15 "$1"
    within recoveries 0 0 "$1"
}
walk rigged/CesiumMan.glb "clip 0" 120 0.003
walk rigged/Fox.glb Walk 42 0.003
walk rigged/KayKit_Knight.glb Hit_A 40 0.003 # a cape over rigid boots, on a floor
walk rigged/RiggedSimple.glb "clip 0" 120 0.003
walk rigged/SimpleSkin.gltf "clip 0" 300 0.003

# A thin tail, which sixteen modes would draw out to a thread.
ray=tet/mantaray
walk $ray/mantaray.msh swim 240 0.003 --rig "$data/$ray/rigs/skeleton_rig/skeleton_rig.json" \
    --clip "$data/$ray/rigs/skeleton_rig/anim/swim.json"

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
