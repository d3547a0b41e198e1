#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sim and bench with --backend gpu: wrong calls, no device, and the same numbers as the CPU's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
mesh=$SOURCE_DIR/tests/fuzz/corpus/msh/ascii_22.msh
device=${SN_TEST_DEVICE:-cpu}

# what needs no device
expect 0 0 "" cook "$mesh" --modes 1 -o "$folder/model.sinew"
gpu=(sim "$folder/model.sinew" --frames 40 --backend gpu)
expect 2 1 "not with --backend gpu" "${gpu[@]}" --double
expect 2 1 "not with --backend gpu" "${gpu[@]}" --full-space
expect 2 1 "neo-hookean: not with --full-space" sim "$folder/model.sinew" --frames 5 --full-space --neo-hookean
expect 2 1 "needs --backend gpu" sim "$folder/model.sinew" --frames 5 --device cpu
expect 2 1 "valid value" sim "$folder/model.sinew" --frames 5 --backend tpu
expect 2 1 "does not run with --backend gpu" bench modes --backend gpu
(
    export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
    expect 1 1 "mesa-vulkan-drivers" "${gpu[@]}"
    expect 1 1 "mesa-vulkan-drivers" bench reduced "$mesh" --backend gpu
    exit "$failures"
)
failures=$?

# everything else steps
"$SINEW" "${gpu[@]}" --device "$device" 2>"$folder/stderr" >/dev/null ||
    if grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
        echo "skipped: $(cat "$folder/stderr")"
        [ "$failures" -eq 0 ] && exit 77
        exit 1
    fi
motion=(--motion hop --gravity 0,-1,0 --gravity-rest --damping 1 --iterations 200 --tolerance 1e-8)

# agree MODEL OPTIONS...: the same frames from both sides, relative to the largest value.
agree() {
    local model=$1
    shift
    expect 0 0 '"recoveries": 0' sim "$model" --frames 40 --backend gpu --device "$device" "$@" --dump "$folder/gpu" --json
    expect 0 0 '"recoveries": 0' sim "$model" --frames 40 "$@" --dump "$folder/cpu" --json
    for name in positions rig_positions surface energy; do
        difference=$(differ "$folder/gpu/$name.npy" "$folder/cpu/$name.npy")
        awk -v d="$difference" 'BEGIN { exit !(d < 1e-5) }' || fail "$model $*: $name differs by $difference"
    done
}
agree "$folder/model.sinew" "${motion[@]}" --floor none
lowest=$(values "$folder/cpu/rig_positions.npy" | awk 'NR % 3 == 2 && (NR == 2 || $1 < m) { m = $1 } END { print m }')
cp "$folder/cpu/positions.npy" "$folder/free.npy"
agree "$folder/model.sinew" "${motion[@]}" --floor "$lowest" --wind .5,0,.3
difference=$(differ "$folder/gpu/positions.npy" "$folder/free.npy")
awk -v d="$difference" 'BEGIN { exit !(d > 1e-2) }' || fail "neither wind nor floor: $difference"
[ -n "$(values "$folder/gpu/energy.npy" | awk '$1 > 0')" ] || fail "nothing moved"
expect 0 0 '"recoveries": 3' sim "$folder/model.sinew" --frames 3 --backend gpu --device "$device" --gravity 1e200,0,0 --json
expect 0 0 "" cook "$mesh" --poisson .3 --modes 1 -o "$folder/kept.sinew"
agree "$folder/kept.sinew" "${motion[@]}" --wind 0,0,.3
agree "$folder/kept.sinew" "${motion[@]}" --wind 0,0,.3 --neo-hookean

# at a lower level of detail, and on a solid
write_ball 0 "$folder/ball.obj"
write_ball -1.9 "$folder/below.obj"
expect 0 0 "" cook "$folder/ball.obj" --modes 6 --clusters 12,4 -o "$folder/ball.sinew"
agree "$folder/ball.sinew" "${motion[@]}" --floor none --modes-used 3 --cluster-level 1
cp "$folder/cpu/positions.npy" "$folder/free.npy"
agree "$folder/ball.sinew" "${motion[@]}" --floor none --modes-used 3 --cluster-level 1 --collider "$folder/below.obj"
difference=$(differ "$folder/gpu/positions.npy" "$folder/free.npy")
awk -v d="$difference" 'BEGIN { exit !(d > 1e-3) }' || fail "the solid is not felt: $difference"

# clips that jump as they begin again
cook_jumps
agree "$folder/jumps.sinew" --motion clip:away --iterations 200 --tolerance 1e-8
agree "$folder/jumps.sinew" --motion clip:up --iterations 200 --tolerance 1e-8
expect 1 1 "no Vulkan 1.3 device matches" "${gpu[@]}" --device "no such device"

[ "$failures" -eq 0 ] && echo "the device steps"
exit "$failures"
