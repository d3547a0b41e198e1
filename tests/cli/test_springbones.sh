#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Spring bones of a VRM by its own numbers, by flesh, or not at all: cook, info, sim, bake, and what is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

chain=$SHARED_DATA/rigged/springbone/sphere-collider.gltf
[ -f "$chain" ] || {
    echo "$chain is missing: skipped"
    exit 77
}
quick=(--modes 2 --clusters 5)

expect 0 0 '"springs": 4' cook "$chain" "${quick[@]}" --json -o "$folder/run.sinew"
expect 0 0 "spring on Spring A: length 0.[0-9]*, stiffness 1, drag 0.4, 1 colliders" info "$folder/run.sinew"
expect 0 0 '"spring_colliders": 1' info "$folder/run.sinew" --json
expect 0 0 '"springs": 0' cook "$chain" "${quick[@]}" --springbones ignore --json -o "$folder/ignore.sinew"

# swung <-> as posed: the rig itself differs, and springs that are ignored are as if there were none
for how in run ignore; do
    expect 0 0 '"recoveries": 0' sim "$folder/run.sinew" --springbones $how --motion hop --frames 40 --json --dump "$folder/$how"
done
expect 0 0 '"recoveries": 0' sim "$folder/run.sinew" --motion hop --frames 40 --json --dump "$folder/default"
expect 0 0 '"recoveries": 0' sim "$folder/ignore.sinew" --motion hop --frames 40 --json --dump "$folder/none"
cmp -s "$folder/run/rig_positions.npy" "$folder/default/rig_positions.npy" || fail "springs do not run unless said"
cmp -s "$folder/run/rig_positions.npy" "$folder/ignore/rig_positions.npy" && fail "springs do not move the rig"
cmp -s "$folder/none/rig_positions.npy" "$folder/ignore/rig_positions.npy" || fail "springs that are ignored move the rig"

# layered flesh: the device's rig is swung as the one here
expect 0 0 "" cook "$chain" --layered -o "$folder/layered.sinew"
layered=(sim "$folder/layered.sinew" --layered --motion hop --frames 4)
expect 0 0 "" "${layered[@]}" --dump "$folder/layered"
expect 0 0 "" "${layered[@]}" --springbones ignore --dump "$folder/still"
cmp -s "$folder/layered/rig_positions.npy" "$folder/still/rig_positions.npy" && fail "springs do not move a layered rig"
if "$SINEW" "${layered[@]}" --backend gpu --device "${SN_TEST_DEVICE:-cpu}" --dump "$folder/device" >/dev/null 2>"$folder/stderr"; then
    cmp -s "$folder/layered/rig_positions.npy" "$folder/device/rig_positions.npy" || fail "springs do not move a layered rig on a device"
else
    grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr" || fail "a layered body on a device: $(cat "$folder/stderr")"
fi

# a loop closes, with what swings
expect 0 0 '"periods"' bake "$folder/run.sinew" --motion hop --loop --fps 60 --json -o "$folder/loop.glb"
difference=$(sed -n 's/^ *"period_difference": *\([^,]*\),*$/\1/p' "$folder/stdout")
awk -v d="$difference" 'BEGIN { exit !(d < 1e-3) }' || fail "periods of the loop differ by $difference"

expect 2 1 "springbones sometimes: not a valid value (run|suppress|ignore)" sim "$folder/run.sinew" --springbones sometimes --frames 1
expect 2 1 "springbones sometimes: not a valid value (run|suppress|ignore)" cook "$chain" --springbones sometimes -o "$folder/x.sinew"
expect 2 1 "loose none: not with --springbones suppress" cook "$chain" --loose none --springbones suppress -o "$folder/x.sinew"
expect 2 1 "springbones: not with --coupled" sim "$folder/run.sinew" --springbones run --coupled --frames 1
expect 1 1 "springbones suppress: its flesh has none to swing" sim "$folder/run.sinew" --springbones suppress --frames 1
expect 1 1 "springbones run: it has none that run" sim "$folder/ignore.sinew" --springbones run --frames 1

[ "$failures" -eq 0 ] && echo "spring bones run, or do not"
exit "$failures"
