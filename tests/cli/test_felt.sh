#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Morph targets that shake flesh: of a clip that moves nothing else, of an expression, and only drawn.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

cube=$SHARED_DATA/rigged/AnimatedMorphCube.glb vrm=$SHARED_DATA/rigged/Godette_vrm_v4.vrm
[ -f "$cube" ] && [ -f "$vrm" ] || {
    echo "$cube or $vrm is missing: skipped"
    exit 77
}

# The cube through its clip.
# play ARGUMENT...
play() {
    expect 0 0 '' sim "$folder/cube.sinew" --motion clip:Square --frames 60 --json "$@"
}

expect 0 0 '"morph_fields": 2' cook "$cube" --json -o "$folder/cube.sinew"
expect 0 0 "morph target" info "$folder/cube.sinew"
play --dump "$folder/cube"
within displacement_max 0.001 0.02 "flesh under morph targets"
# the tets' own places move with the targets: the last frame's differ from the first's
vertices=$("$SINEW" info "$folder/cube.sinew" --json | sed -n 's/^ *"vertices": *\([0-9]*\),*$/\1/p')
tail -c $((24 * vertices)) "$folder/cube/rig_positions.npy" >"$folder/last"
tail -c $((60 * 24 * vertices)) "$folder/cube/rig_positions.npy" | head -c $((24 * vertices)) >"$folder/first"
[ -s "$folder/first" ] && ! cmp -s "$folder/first" "$folder/last" || fail "the tets do not move with morph targets"
expect 1 1 "cube.sinew: no expression is called 'happy'" sim "$folder/cube.sinew" --motion expression:happy --frames 2

# the same on the device, where there is one
device=${SN_TEST_DEVICE:-cpu}
if "$SINEW" sim "$folder/cube.sinew" --frames 1 --backend gpu --device "$device" >"$folder/out" 2>&1; then
    play --backend gpu --device "$device" --dump "$folder/device"
    for name in positions energy; do
        difference=$(differ "$folder/device/$name.npy" "$folder/cube/$name.npy")
        awk -v d="$difference" 'BEGIN { exit !(d < 1e-4) }' || fail "on the device $name differs by $difference"
    done
else
    grep -q "no Vulkan\|no device has Vulkan" "$folder/out" || fail "on the device: $(cat "$folder/out")"
fi

expect 0 0 '"morph_fields": 0' cook "$cube" --morphs visual --json -o "$folder/cube.sinew"
play
within displacement_max 0 0.000000001 "flesh under targets that are only drawn"

expect 0 0 '"target_modes": 8' cook "$vrm" --method complementary --no-generated-clips --json -o "$folder/vrm.sinew"
expect 0 0 "" sim "$folder/vrm.sinew" --motion expression:blink --frames 60 --floor none --json
within displacement_max 0.0005 0.05 "flesh under an expression"
# the same of an animation that comes within a tenth of a second, by its name of VRM 1.0, and one that she has not
values=$(printf '\0\0\0\0\315\314\314\075\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0\0\0\0\0' | base64 -w0)
sed "s|base64,[^\"]*|base64,$values|; s|\"max\":\[2\]|\"max\":[0.1]|" "$SOURCE_DIR/tests/fuzz/corpus/gltf/expressions.vrma" >"$folder/smile.vrma"
expect 0 1 "smile.vrma: 1 of 2 animated expressions and morph targets have no counterpart of the same name in .*vrm.sinew: Grin" \
    sim "$folder/vrm.sinew" --motion "$folder/smile.vrma" --frames 7 --floor none --json
within displacement_max 0.0001 0.05 "flesh under an animation of expressions"
moved=$(number displacement_max)
expect 0 1 "have no counterpart of the same name in .*Godette_vrm_v4.vrm: Grin" cook "$vrm" --method complementary --no-generated-clips --clip "$folder/smile.vrma" -o "$folder/smile.sinew"
expect 0 0 "clip smile: 0.100 s" info "$folder/smile.sinew"
expect 0 0 "" sim "$folder/smile.sinew" --motion clip:smile --frames 7 --floor none --json
within displacement_max "$(awk -v m="$moved" 'BEGIN { print m / 2 }')" "$(awk -v m="$moved" 'BEGIN { print m * 2 }')" "flesh under the same as a clip"
expect 0 1 "" bake "$folder/vrm.sinew" --motion "$folder/smile.vrma" -o "$folder/smile.glb"

expect 0 0 '"target_modes": 0' cook "$vrm" --method complementary --no-generated-clips --target-modes 0 --json -o "$folder/none.sinew"
# (her fringe rests on what it bumps into, and flesh strains against the bind pose: springs stay out of what is small)
expect 0 0 "" sim "$folder/none.sinew" --springbones ignore --motion expression:blink --frames 60 --floor none --json
within displacement_max 0.000005 0.0002 "flesh under an expression without modes for it"
expect 0 0 "" cook "$vrm" --method complementary --no-generated-clips --target-shake 0.01 -o "$folder/little.sinew"
expect 0 0 "" sim "$folder/little.sinew" --springbones ignore --motion expression:blink --frames 60 --floor none --json
within displacement_max 0.00005 0.0003 "flesh that may shake by a hundredth of a target"
# spring bones that are let go leave the face what it feels, and the body its stiffness
young() { sed -n 's/^ *"young": *\([0-9.]*\).*$/\1/p' "$folder/stdout"; }
expect 0 0 '"loose_bones": 0' cook "$vrm" --method complementary --no-generated-clips --json -o "$folder/vrm.sinew"
held=$(young)
expect 0 0 '"loose_bones": 16' cook "$vrm" --method complementary --no-generated-clips --loose springs --json -o "$folder/springs.sinew"
awk -v a="$held" -v b="$(young)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-12 * a * a) }' ||
    fail "with spring bones the body is as stiff as $(young), without $held"
expect 0 0 "" sim "$folder/springs.sinew" --motion expression:blink --frames 60 --floor none --json
within displacement_max 0.0005 0.05 "flesh under an expression beside spring bones"
expect 2 1 "--target-modes" cook "$vrm" --method complementary --no-generated-clips --target-modes 97 -o "$folder/none.sinew"
expect 0 0 "" sim "$folder/vrm.sinew" --springbones ignore --frames 60 --floor none --json
within displacement_max 0 0.0000001 "flesh without one"

[ "$failures" -eq 0 ] && echo "flesh feels morph targets"
exit "$failures"
