#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A capture for a character of another skeleton: cooked into it as a clip, and played as a motion of its own; what has
# no skeleton for it, or is no capture, is refused with a line that says why.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# A person that rests with its arms down, in inches, z up, and then raises the left one and turns.
joint() { # NAME X Y Z
    printf 'JOINT %s { OFFSET %s %s %s CHANNELS 3 Zrotation Xrotation Yrotation\n' "$@"
}
{
    echo 'HIERARCHY'
    echo 'ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation'
    joint Spine 0 0 5
    joint Chest 0 0 5
    joint Head 0 0 12
    echo 'End Site { OFFSET 0 0 8 } }'
    for side in Left Right; do
        x=$([ $side = Left ] && echo 1 || echo -1)
        joint "${side}Collar" "${x}" 0 8
        joint "${side}Shoulder" "${x}0" 0 0
        joint "${side}Elbow" 0 0 -11
        joint "${side}Wrist" 0 0 -10
        echo '} } } }'
    done
    echo '} }'
    for side in Left Right; do
        x=$([ $side = Left ] && echo 1 || echo -1)
        joint "${side}Hip" "${x}" 0 -2
        joint "${side}Knee" 0 0 -16
        joint "${side}Ankle" 0 0 -16
        joint "${side}Toe" 0 -6 -3
        echo 'End Site { OFFSET 0 -2 0 } } } } }'
    done
    echo '}'
    printf 'MOTION\nFrames: 13\nFrame Time: .0083333\n'
    for ((frame = 0; frame < 13; ++frame)); do
        printf '0 0 37 %d 0 0' $((5 * frame))
        for ((value = 0; value < 57; ++value)); do
            # the left shoulder is the sixth joint: values 12 to 14 behind those of the hips
            printf ' %d' "$([ "$value" = 14 ] && echo $((-10 * frame)) || echo 0)"
        done
        echo
    done
} >"$folder/raise.bvh"

# what it is: read, but nothing to cook
expect 0 0 "a motion of 20 joints, a humanoid" info "$folder/raise.bvh"
expect 0 0 "  joint LeftElbow: leftLowerArm" info "$folder/raise.bvh"
expect 0 0 "  clip raise: 0.100 s, 13 frames" info "$folder/raise.bvh"
expect 0 0 '"leftLowerArm": 6' info "$folder/raise.bvh" --json
face=$SOURCE_DIR/tests/fuzz/corpus/gltf/expressions.vrma
expect 0 0 "a motion of 3 joints, no humanoid: it has no leftUpperLeg, leftLowerLeg" info "$face"
expect 0 0 "  clip expressions: 2.000 s, 2 frames" info "$face"
expect 0 0 "  expression Grin" info "$face"
expect 1 1 "expressions.vrma: scenes: the scene has no mesh with triangles" cook "$face" -o "$folder/none.sinew"

mascot=$CHARACTERS/mascot.glb
expect 0 0 "" cook "$mascot" --vertices 3000 --clip "$folder/raise.bvh" -o "$folder/mascot.sinew"
expect 0 0 "clip raise: 0.100 s" info "$folder/mascot.sinew"
expect 0 0 '"recoveries": 0' sim "$folder/mascot.sinew" --motion clip:raise --frames 6 --json --dump "$folder/clip"
expect 0 0 '"recoveries": 0' sim "$folder/mascot.sinew" --motion "$folder/raise.bvh" --frames 6 --json --dump "$folder/file"
# the same but for the floats of a model's bones
numbers() { od -An -v -w24 -t f8 -j 128 "$folder/$1/rig_positions.npy"; }
paste <(numbers clip) <(numbers file) | awk '{ for (i = 1; i < 4; ++i) { d = $i - $(i + 3); if (d * d > 1e-9) exit 1 } }' ||
    fail "--clip and --motion differ"
# in a scene, of both kinds of bodies, beside what the model has already and beside the scene's file
# scene MOTION FILE
scene() {
    printf '{"seconds": 0.1, "characters": [{"path": "mascot.sinew"}], "bodies": [%s]}' "$1" >"$folder/$2.json"
}
scene '{"clip": "raise"}, {"clip": "raise", "solver": "coupled", "delay": 0.02}' clips
scene '{"motion": "raise.bvh"}, {"motion": "raise.bvh", "solver": "coupled", "delay": 0.02}, {}' motions
expect 0 1 '"recoveries": 0' sim "$folder/clips.json" --json --dump "$folder/clips"
expect 0 1 '"recoveries": 0' sim "$folder/motions.json" --json --dump "$folder/motions"
for body in body-0000 body-0001; do
    found=$(differ "$folder/clips/$body/rig_positions.npy" "$folder/motions/$body/rig_positions.npy")
    awk -v found="$found" 'BEGIN { exit !(found != "" && found < 1e-5) }' || fail "$body of the scene is $found from its clip"
done
found=$(differ "$folder/motions/body-0000/rig_positions.npy" "$folder/motions/body-0002/rig_positions.npy")
awk -v found="$found" 'BEGIN { exit !(found > .01) }' || fail "the scene's motion is $found from rest"
scene '{"motion": "raise.bvh", "rate": 30}' bad
expect 1 1 "bad.json: bodies.0..rate: belongs to an array" sim "$folder/bad.json"
scene '{"motion": "none.bvh"}' bad
expect 1 1 "none.bvh: .*No such file" sim "$folder/bad.json"
printf '{"characters": [{"name": "box", "shape": {"box": [1, 1, 1], "edge_length": 0.5}}], "bodies": [{"motion": "raise.bvh"}]}' >"$folder/bad.json"
expect 1 1 "raise.bvh: cannot be retargeted to box: the joint names differ" sim "$folder/bad.json"
expect 0 0 "" bake "$folder/mascot.sinew" --motion "$folder/raise.bvh" -o "$folder/raise.glb"
expect 0 0 "clip .*: 0.100 s" info "$folder/raise.glb"
# and another character's motion, from the file that was just baked, whose flesh is morph targets
expect 0 1 "raise.glb: .* animated expressions and morph targets have no counterpart of the same name in .*mascot.glb: flesh 0, " cook "$mascot" --vertices 3000 --clip "$folder/raise.glb" -o "$folder/twice.sinew"
expect 0 0 "clip raise: 0.100 s" info "$folder/twice.sinew"
expect 0 0 "" sim "$folder/mascot.sinew" --motion "$mascot" --frames 3

expect 1 1 "raise.bvh: cannot be retargeted to .*octopus.sinew.* lacks the humanoid bones hips, leftUpperLeg" \
    sim "$CHARACTERS/octopus.sinew" --motion "$folder/raise.bvh" --frames 2
sed 's/^Frames: 13/Frames: 14/' "$folder/raise.bvh" >"$folder/short.bvh"
expect 1 1 "short.bvh: line .*: the file ends before frame 14 of 14" \
    sim "$folder/mascot.sinew" --motion "$folder/short.bvh" --frames 2
expect 1 1 "short.bvh: line .*: the file ends before frame 14 of 14" info "$folder/short.bvh"
expect 1 1 "short.bvh: line" cook "$mascot" --clip "$folder/short.bvh" -o "$folder/none.sinew"
sed 's/Knee/Hose/' "$folder/raise.bvh" >"$folder/kneeless.bvh"
expect 1 1 "kneeless.bvh lacks the humanoid bones leftLowerLeg, leftFoot, rightLowerLeg, rightFoot" \
    sim "$folder/mascot.sinew" --motion "$folder/kneeless.bvh" --frames 2
expect 1 1 "no clip is called 'raise.bvh'" sim "$folder/mascot.sinew" --motion clip:raise.bvh --frames 2

# a small file that asks for hours, many times: the first of them alone is a motion of its own
cook_jumps
buffer=$(printf '\0\0\0\0\0\0\200\077\0\0\0\0\0\240\014\107\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0\0\0\0\0' | base64 -w0)
{
    printf '{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 40, "uri": "data:;base64,%s"}],' "$buffer"
    echo '"bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 8},
          {"buffer": 0, "byteOffset": 16, "byteLength": 24}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
          {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [36000]},
          {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "nodes": [{"name": "a"}, {"name": "b", "translation": [6, 0, 0]}], "animations": ['
    for ((clip = 0; clip < 100; ++clip)); do
        printf '{"name": "%s", "samplers": [{"input": %d, "output": 2}], "channels": [{"sampler": 0, "target":
            {"node": 0, "path": "translation"}}]}' $((clip)) $((clip > 0))
        [ $clip -lt 99 ] && echo ,
    done
    echo ']}'
} >"$folder/hours.gltf"
expect 0 0 '"recoveries": 0' sim "$folder/jumps.sinew" --motion "$folder/hours.gltf" --frames 3 --json
expect 1 1 "hours.gltf: with the poses of 1080001 frames of 2 joints for 2 bones, all poses exceed 2048 MiB" \
    cook "$folder/bar.mesh" --rig "$folder/ends.json" --clip "$folder/hours.gltf" -o "$folder/none.sinew"

# all that they can be, wherever it is said
for verb in "cook --help-all" "play --help-all" "sim --help" "bake --help"; do
    # shellcheck disable=SC2086
    expect 0 0 " .bvh .vrma .glb .gltf .vrm .fbx" $verb
done
expect 0 0 "--motion F|clip:NAME|... motion: .npy .bvh" sim --help
expect 2 1 "except for .bvh .vrma .glb .gltf .vrm .fbx" cook "$mascot" --clip "$folder/walk.json" -o "$folder/none.sinew"
expect 1 1 "none of .npy .bvh .vrma .glb .gltf .vrm .fbx, nor clip" sim "$folder/mascot.sinew" --motion walk.txt --frames 2

# FBX, where it is read: a bar's own bend by the names of its joints, and its morph target by its own
if [ -x "$BINARY_DIR/sinew-read-fbx" ]; then
    bar=$SOURCE_DIR/tests/io/fbx/bar.fbx
    expect 0 2 "" cook "$bar" --vertices 300 --modes 2 --clusters 4 --clip "$bar" -o "$folder/bar.sinew"
    expect 0 0 "clip bar: 1.000 s" info "$folder/bar.sinew"
    expect 0 0 "" sim "$folder/bar.sinew" --frames 30 --dump "$folder/rest"
    expect 0 0 "" sim "$folder/bar.sinew" --motion clip:Bend --frames 30 --dump "$folder/clip"
    expect 0 1 "" sim "$folder/bar.sinew" --motion "$bar" --frames 30 --dump "$folder/file"
    for case in "rest .2 .4" "clip 0 .00001"; do
        # shellcheck disable=SC2086
        set -- $case
        found=$(differ "$folder/$1/rig_positions.npy" "$folder/file/rig_positions.npy")
        awk -v found="$found" -v least="$2" -v most="$3" 'BEGIN { exit !(found >= least && found <= most) }' ||
            fail "the bar's motion is $found from $1"
    done
    expect 1 2 "cannot be retargeted to .*mascot.sinew: the joint names differ" sim "$folder/mascot.sinew" --motion "$bar" --frames 2
    kenney=$SHARED_DATA/rigged/maya_kenney_character_7700_binary.fbx
fi

for character in Godette_vrm_v4.vrm CesiumMan.glb; do
    [ -r "$SHARED_DATA/rigged/$character" ] || continue
    model=$folder/$character.sinew
    expect 0 0 "" cook "$SHARED_DATA/rigged/$character" --vertices 3000 --modes 4 --young 1e5 -o "$model"
    for file in rigged/humanoid_test.vrma mocap/cmu1_jumping_jacks.bvh mocap/rokoko_jesse_dance.bvh mocap/fair1_dab.bvh ${kenney:+rigged/${kenney##*/}}; do
        [ -r "$SHARED_DATA/$file" ] || continue
        lines=0 # the .vrma smiles, which who has no face cannot
        [ "$character $file" = "CesiumMan.glb rigged/humanoid_test.vrma" ] && lines=1
        expect 0 $lines '"recoveries": 0' sim "$model" --motion "$SHARED_DATA/$file" --frames 30 --json
    done
done
[ "$failures" -eq 0 ]
