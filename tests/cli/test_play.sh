#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew play without a window: exactly the pictures asked for, whole and of the right size; every wrong call is one line.
# With a window, where there is Xvfb: opens, draws, closes.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
mesh=$SOURCE_DIR/tests/fuzz/corpus/msh/ascii_22.msh
device=${SN_TEST_DEVICE:-cpu}

# The bytes of the file from OFFSET on, COUNT of them, in hexadecimal.
bytes() {
    od -An -v -t x1 -j "$2" -N "$3" "$1" | tr -d ' \n'
}

# is_png FILE WIDTH HEIGHT: signature, size, its end.
is_png() {
    local size
    size=$(wc -c <"$1")
    [ "$(bytes "$1" 0 8)" = 89504e470d0a1a0a ] &&
        [ "$(bytes "$1" 16 8)" = "$(printf '%08x%08x' "$2" "$3")" ] &&
        [ "$(bytes "$1" $((size - 12)) 12)" = 0000000049454e44ae426082 ]
}

# has_frames DIR COUNT WIDTH HEIGHT: those and nothing else.
has_frames() {
    local i name
    [ "$(find "$1" -mindepth 1 | wc -l)" -eq "$2" ] || fail "$1 holds $(find "$1" -mindepth 1 | wc -l) files instead of $2"
    for ((i = 0; i < $2; ++i)); do
        name=$1/$(printf 'frame-%04d.png' "$i")
        is_png "$name" "$3" "$4" || fail "$name is no picture of $3 x $4"
    done
}

play() {
    local code=$1 lines=$2 pattern=$3
    shift 3
    expect "$code" "$lines" "$pattern" play "$@"
}

# what needs no device
out=(--headless --frames 3 --size 64x48 --out "$folder/out")
play 2 1 "too few"
(
    unset DISPLAY WAYLAND_DISPLAY
    play 1 1 "--headless" "$mesh"
    exit "$failures"
)
failures=$?
play 2 1 "--out needs --headless" "$mesh" --out "$folder/out"
play 2 1 "--double needs --headless" "$mesh" --double
play 2 1 "--every: needs --headless" "$mesh" --every 2
play 2 1 "--every: not with --backend gpu" "$mesh" "${out[@]}" --every 2 --backend gpu
play 2 1 "--every: not with --scene" --scene bar "${out[@]}" --every 2
play 2 1 "--show-handles needs --headless" "$mesh" --show-handles
play 2 1 "--show-mesh needs --headless" "$mesh" --show-mesh
play 2 1 "--view top: not front, side, back or portrait" "$mesh" "${out[@]}" --view top
for color in 00ff0 00ff001 00ff0g "#00ff00" red ""; do
    play 2 1 "not six hexadecimal digits or transparent" "$mesh" "${out[@]}" --background "$color"
done
play 2 1 "transparent needs --headless" "$mesh" --background transparent
play 2 1 "--view: not with --scene" --scene bar "${out[@]}" --view back
play 2 1 "--background: not with --replay" --replay "$folder/absent" "${out[@]}" --background 00ff00
play 2 1 "--frames N is missing" "$mesh" --headless --out "$folder/out"
play 2 1 "--out DIR is missing" "$mesh" --headless --frames 3
play 2 1 "valid value" "$mesh" "${out[@]}" --frames 0
for size in 64 64x 64x48x 0x48 64x0 -1x48 64x16385 "64*48" "64 x48" "64x 48" +64x48 64.0x48 1e2x48 99999999999999999999x48 x ""; do
    play 2 1 "valid value" "$mesh" "${out[@]}" --size "$size"
done
play 2 1 "needs --rig" "$mesh" "${out[@]}" --clip walk.json
play 2 1 "valid value" "$mesh" "${out[@]}" --backend tpu
play 2 1 "--double: not with --backend gpu" "$mesh" "${out[@]}" --backend gpu --double
play 1 1 "--full-space: not in this version" "$mesh" "${out[@]}" --full-space
[ -e "$folder/out" ] && fail "a refused call made its folder"

# everything else draws
"$SINEW" play "$mesh" --headless --frames 1 --size 1x1 --out "$folder/probe" --device "$device" 2>"$folder/stderr" >/dev/null ||
    if grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
        echo "skipped: $(cat "$folder/stderr")"
        [ "$failures" -eq 0 ] && exit 77
        exit 1
    fi
out+=(--device "$device")
play 0 0 "3 frames of 64 x 48" "$mesh" "${out[@]}"
has_frames "$folder/out" 3 64 48
before=$(cat "$folder/out"/* | cksum)
play 0 0 '"validation_messages": 0' "$mesh" "${out[@]}" --validate --json
[ "$before" = "$(cat "$folder/out"/* | cksum)" ] || fail "a second run drew other pictures"
for key in frames width height device seconds cook total step_ms_median draw_ms_median; do
    grep -q "\"$key\":" "$folder/stdout" || fail "--json has no $key"
done
[ "$(head -c 1 "$folder/stdout")" = "{" ] || fail "--json printed something before its object"

# handles and the mesh over the picture, of either kind of body
for marks in --show-handles --show-mesh; do
    play 0 0 '"validation_messages": 0' "$mesh" "${out[@]}" --out "$folder/marks$marks" --validate --json "$marks"
    [ "$before" = "$(cat "$folder/marks$marks"/* | cksum)" ] && fail "$marks draws nothing"
    play 0 0 "" "$mesh" "${out[@]}" --out "$folder/coupled$marks" --coupled "$marks"
    has_frames "$folder/coupled$marks" 3 64 48
done

# a cooked model, and a shorter run into the same folder
expect 0 0 "" cook "$mesh" -o "$folder/model.sinew"
play 0 0 "" "$folder/model.sinew" "${out[@]}"
[ "$before" = "$(cat "$folder/out"/* | cksum)" ] || fail "the model draws other pictures than its mesh"
play 0 1 "^warning: .*1 pictures" "$folder/model.sinew" "${out[@]}" --frames 2
has_frames "$folder/out" 3 64 48
mv "$folder/model.sinew" "$folder/model.bin"
play 0 0 "" "$folder/model.bin" "${out[@]}" --gravity 0,-1,0
has_frames "$folder/out" 3 64 48
play 0 0 "" "$folder/model.bin" "${out[@]}" --out "$folder/odd" --frames 1 --size 3x251
has_frames "$folder/odd" 1 3 251

# another side, and another background or none
play 0 0 "" "$folder/model.bin" "${out[@]}" --out "$folder/back" --frames 1 --view back
cmp -s "$folder/back/frame-0000.png" "$folder/out/frame-0000.png" && fail "--view back draws the front"
play 0 0 '"validation_messages": 0' "$folder/model.bin" "${out[@]}" --out "$folder/cut" --frames 1 --validate --json \
    --background transparent --view portrait --sheet "$folder/cut.png"
has_frames "$folder/cut" 1 64 48
[ "$(bytes "$folder/cut/frame-0000.png" 25 1)" = 06 ] || fail "a transparent picture has no alpha"
[ "$(bytes "$folder/cut.png" 25 1)" = 02 ] || fail "a contact sheet of transparent pictures has alpha"
play 0 0 "" "$folder/model.bin" "${out[@]}" --out "$folder/green" --frames 1 --background 00b140
[ "$(bytes "$folder/green/frame-0000.png" 25 1)" = 02 ] || fail "a picture with a background has alpha"

# every second picture of a run
play 0 0 "" "$folder/model.bin" "${out[@]}" --frames 5 --motion jump --gravity 0,-1,0 --out "$folder/all"
play 0 0 "" "$folder/model.bin" "${out[@]}" --frames 3 --every 2 --motion jump --gravity 0,-1,0 --out "$folder/second"
has_frames "$folder/second" 3 64 48
for i in 0 1 2; do
    cmp -s "$folder/all/frame-000$((2 * i)).png" "$folder/second/frame-000$i.png" || fail "--every 2: picture $i differs"
done

# where it steps on the device, it is drawn from there
gpu=("$folder/model.bin" "${out[@]}" --frames 8 --motion hop --gravity 0,-1,0 --backend gpu)
play 0 0 '"validation_messages": 0' "${gpu[@]}" --out "$folder/gpu" --validate --json
has_frames "$folder/gpu" 8 64 48
play 0 0 "" "${gpu[@]}" --out "$folder/again"
play 0 0 "" "${gpu[@]}" --out "$folder/rig" --amount 0
[ "$(cat "$folder/gpu"/* | cksum)" = "$(cat "$folder/again"/* | cksum)" ] || fail "a second run on the device drew other pictures"
cmp -s "$folder/gpu/frame-0007.png" "$folder/rig/frame-0007.png" && fail "no flesh moves on the device"
play 0 0 "" "$folder/model.bin" "${out[@]}" --frames 8 --motion hop --out "$folder/rig_cpu" --amount 0
cmp -s "$folder/rig/frame-0007.png" "$folder/rig_cpu/frame-0007.png" || fail "the device draws another rig"

play 0 0 "" "${gpu[@]}" --out "$folder/windy" --wind 2,0,0
cmp -s "$folder/gpu/frame-0007.png" "$folder/windy/frame-0007.png" && fail "no wind blows on the device"

# solids are drawn, in any number
write_ball 0 "$folder/ball.obj"
write_ball -1 "$folder/lower.obj"
play 0 0 "" "$folder/model.bin" "${out[@]}" --out "$folder/bare"
play 0 0 '"validation_messages": 0' "$folder/model.bin" "${out[@]}" --out "$folder/solids" --validate --json \
    --collider "$folder/ball.obj" --collider "$folder/lower.obj" --collider-cells 16
has_frames "$folder/solids" 3 64 48
cmp -s "$folder/bare/frame-0000.png" "$folder/solids/frame-0000.png" && fail "solids are not drawn"
play 1 1 "absent.obj: cannot open" "$folder/model.bin" "${out[@]}" --collider "$folder/absent.obj"

# what fails, fails in one line
play 1 1 "nonsense" "$mesh" "${out[@]}" --device nonsense
play 1 1 "" "$mesh" "${out[@]}" --device nonsense
play 1 1 "absent.msh" "$folder/absent.msh" "${out[@]}"
play 1 1 "absent.sinew" "$folder/absent.sinew" "${out[@]}"
play 1 1 "is already cooked" "$folder/model.bin" "${out[@]}" --rig rig.json
play 1 1 "walk" "$folder/model.bin" "${out[@]}" --out "$folder/none" --motion clip:walk
[ -e "$folder/none" ] && fail "a failing call made its folder"
play 1 1 "no/such" "$folder/model.bin" "${out[@]}" --out "$folder/no/such"
play 1 1 "model.bin" "$folder/model.bin" "${out[@]}" --out "$folder/model.bin"
mkdir "$folder/blocked" "$folder/blocked/frame-0001.png"
play 1 1 "frame-0001.png" "$folder/model.bin" "${out[@]}" --out "$folder/blocked"
[ -e "$folder/blocked/frame-0002.png" ] && fail "a failing write did not stop the run"
rmdir "$folder/blocked/frame-0001.png"
[ "$(find "$folder/blocked" -mindepth 1 | wc -l)" -eq 1 ] || fail "a failing write left $(ls "$folder/blocked")"
chmod a-w "$folder/odd"
if [ ! -w "$folder/odd" ]; then
    play 1 1 "frame-0000.png" "$folder/model.bin" "${out[@]}" --out "$folder/odd"
fi
chmod u+w "$folder/odd"

# a window
if command -v Xvfb >/dev/null; then
    mkfifo "$folder/display"
    Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp -noreset 3>"$folder/display" 2>/dev/null &
    server=$!
    trap 'kill "$server"; rm -rf "$folder"' EXIT
    read -r number <"$folder/display"
    export DISPLAY=:$number
    unset WAYLAND_DISPLAY
    window=(--device "$device" --size 200x120 --frames 5)
    play 0 0 "" "$folder/model.bin" "${window[@]}"
    [ -s "$folder/stdout" ] && fail "the window printed: $(cat "$folder/stdout")"
    play 0 0 '"validation_messages": 0' "$mesh" "${window[@]}" --validate --json
    grep -q '"frames": 5' "$folder/stdout" || fail "not 5 frames: $(cat "$folder/stdout")"
    play 0 0 '"validation_messages": 0' "$folder/model.bin" "${window[@]}" --backend gpu --motion hop --wind 1,0,0 --validate --json
    play 0 0 '"validation_messages": 0' "$mesh" "${window[@]}" --view side --background 00b140 --validate --json
    play 0 0 '"validation_messages": 0' "$mesh" "${window[@]}" --backend gpu --coupled --validate --json
    play 0 0 '"validation_messages": 0' "$folder/model.bin" "${window[@]}" --validate --json \
        --collider "$folder/ball.obj" --collider-cells 16
    play 1 1 "absent.obj: cannot open" "$folder/model.bin" "${window[@]}" --collider "$folder/absent.obj"
    play 1 1 "absent.sinew" "$folder/absent.sinew" "${window[@]}"
    play 1 1 "nonsense" "$folder/model.bin" "${window[@]}" --device nonsense
    play 1 1 "walk" "$folder/model.bin" "${window[@]}" --motion clip:walk
    play 0 0 "" "$folder/model.bin" "${window[@]}" --motion hop --gravity 0,-1,0 --stiffness 2 --damping 1 --threads 2 --dt 0.01
else
    echo "the window is not tested: there is no Xvfb (the package xvfb)"
fi

# a rig and its clip: the first clip plays unless another motion is named
dolphin=$SHARED_DATA/tet/dolphin
if [ -d "$dolphin" ]; then
    rig=$dolphin/rigs/skeleton_rig
    play 0 2 "dolphin_tex.mtl' is missing" "$dolphin/dolphin.msh" --rig "$rig/skeleton_rig.json" --clip "$rig/anim/swim.json" "${out[@]}" --out "$folder/clip" --dt 0.2
    has_frames "$folder/clip" 3 64 48
    expect 0 2 "dolphin_tex.mtl' is missing" cook "$dolphin/dolphin.msh" --rig "$rig/skeleton_rig.json" --clip "$rig/anim/swim.json" -o "$folder/dolphin.sinew"
    play 0 0 "" "$folder/dolphin.sinew" "${out[@]}" --out "$folder/named" --dt 0.2 --motion clip:swim
    [ "$(cat "$folder/clip"/* | cksum)" = "$(cat "$folder/named"/* | cksum)" ] || fail "the first clip is not the default motion"
    cmp -s "$folder/clip/frame-0000.png" "$folder/clip/frame-0002.png" && fail "nothing moves"
fi

# clips that move morph targets alone
cube=$SHARED_DATA/rigged/AnimatedMorphCube.glb
if [ -f "$cube" ]; then
    expect 0 0 "" cook "$cube" --vertices 1500 --modes 4 -o "$folder/cube.sinew"
    cube=$folder/cube.sinew
    play 0 0 "" "$cube" "${out[@]}" --out "$folder/morphs" --dt 0.7
    has_frames "$folder/morphs" 3 64 48
    cmp -s "$folder/morphs/frame-0000.png" "$folder/morphs/frame-0002.png" && fail "no morph target moves"
    [ -z "${server:-}" ] || play 0 0 '"validation_messages": 0' "$cube" "${window[@]}" --validate --json
fi

# a second run adds its pictures to a contact sheet
play 0 0 "" "$mesh" "${out[@]}" --sheet "$folder/sheet.png"
once=$(wc -c <"$folder/sheet.png")
play 0 0 "" "$mesh" "${out[@]}" --sheet "$folder/sheet.png"
[ "$(wc -c <"$folder/sheet.png")" -gt "$once" ] || fail "the contact sheet has not grown"

[ "$failures" -eq 0 ] && echo "play draws what it is asked for"
exit "$failures"
