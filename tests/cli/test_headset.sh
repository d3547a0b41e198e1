#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew play --xr: with the headset of tests/support/fake_xr, which breaks no rule in silence, and without one: one line
# names what is absent.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
model=$SOURCE_DIR/tests/golden/bar.sinew
export XR_RUNTIME_JSON=$BINARY_DIR/tests/fake_xr.json

# headset WORDS CODE LINES_ON_STDERR PATTERN arguments...
headset() {
    export SN_FAKE_XR=$1
    shift
    local code=$1 lines=$2 pattern=$3
    shift 3
    expect "$code" "$lines" "$pattern" play "$@"
    unset SN_FAKE_XR
}

headset "" 2 1 "--headless: not with --xr" "$model" --xr --headless --frames 1 --out "$folder/out"
headset "" 2 1 "--device: not with --xr" "$model" --xr --device cpu
headset "" 2 1 "--xr-height needs --xr" "$model" --xr-height 2
headset "" 2 1 "--replay: not with --xr" --replay "$folder/record" --xr
if [ ! -e "$XR_RUNTIME_JSON" ]; then
    headset "" 1 1 "this build has no OpenXR" "$model" --xr
    exit "$failures"
fi

# who is not there
mkdir "$folder/libraries"
echo "no library" >"$folder/libraries/libopenxr_loader.so.1"
LD_LIBRARY_PATH=$folder/libraries headset "" 1 1 "no OpenXR loader" "$model" --xr
XR_RUNTIME_JSON=$folder/absent.json headset "" 1 1 "no OpenXR runtime" "$model" --xr
headset headless 1 1 "no headset" "$model" --xr
headset plain 1 1 "XR_KHR_vulkan_enable2" "$model" --xr

# who leaves
headset lose=4 1 1 "headset was lost" "$model" --xr
headset drop=4 1 1 "headset was lost" "$model" --xr
headset pending=4 1 1 "headset was lost" "$model" --xr
headset exit=5 0 0 "" "$model" --xr
headset local,exit=5 0 0 "" "$model" --xr

# what hands did, again without a headset
headset poke 0 0 "" "$model" --xr --frames 4 --record "$folder/record"
expect 0 0 "each as it was recorded" sim --replay "$folder/record"

# frames, and what both eyes see of a scene in the last one
headset "poke,out=$folder" 0 0 "" --scene PbdTest1 --xr --xr-height 1 --frames 6 --json --validate
[ "$(number frames)" -ge 6 ] || fail "only $(number frames) frames of the scene"
[ "$(number validation_messages)" -eq 0 ] || fail "messages of the validation layer"
for eye in left right; do
    [ "$(head -c 15 "$folder/$eye.ppm" | tr '\n' ' ')" = "P6 256 288 255 " ] || fail "$eye.ppm is no picture"
done
cmp -s "$folder/left.ppm" "$folder/right.ppm" && fail "both eyes see the same"

[ "$failures" -eq 0 ] && echo "play --xr ends as it should, with a headset and without"
exit "$failures"
