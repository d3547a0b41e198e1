#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Coupled bodies on a device through the command: sim and play of a model and of scenes, against the CPU's numbers and
# pictures.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
device=${SN_TEST_DEVICE:-cpu}

write_bar "$folder/bar.mesh"
cat >"$folder/rig.json" <<'JSON'
{"handles": [
  {"name": "left", "point": [0, 0.5, 0.5]},
  {"name": "middle", "bone": [[2, 0.5, 0.5], [4, 0.5, 0.5]], "parent": "left"},
  {"name": "right", "point": [6, 0.5, 0.5], "parent": "middle", "stretch": true}]}
JSON
expect 0 0 '' cook "$folder/bar.mesh" --coupled --rig "$folder/rig.json" -o "$folder/bar.sinew"
body=("$folder/bar.sinew" --coupled --free middle,right --gravity 0,-2,0 --substeps 4)

# what needs no device
expect 2 1 "not with --backend gpu" sim "${body[@]}" --frames 2 --backend gpu --double
expect 2 1 "--single: needs --backend gpu" sim "${body[@]}" --frames 2 --single
expect 2 1 "--single: needs --backend gpu" sim --scene worm --frames 2 --single --backend cpu
expect 2 1 "--single: needs --coupled or --layered" sim "$folder/bar.sinew" --frames 2 --backend gpu --single
(
    export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
    expect 1 1 "mesa-vulkan-drivers" sim "${body[@]}" --frames 2 --backend gpu
    expect 1 1 "mesa-vulkan-drivers" sim --scene worm --frames 2 --backend gpu
    exit "$failures"
)
failures=$?

"$SINEW" sim "${body[@]}" --frames 1 --backend gpu --device "$device" 2>"$folder/stderr" >/dev/null ||
    if grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
        echo "skipped: $(cat "$folder/stderr")"
        [ "$failures" -eq 0 ] && exit 77
        exit 1
    fi

# near A.npy B.npy WHAT: the same numbers, bit for bit on software Vulkan.
near() {
    local difference
    difference=$(differ "$1" "$2")
    awk -v d="$difference" -v most="$([ "$device" = cpu ] && echo 0 || echo 1e-4)" 'BEGIN { exit !(d <= most) }' ||
        fail "$3: $1 and $2 differ by $difference"
}

# agree WHAT OPTIONS...: a model, stepped there and here.
agree() {
    local what=$1
    shift
    expect 0 0 '"recoveries": 0' sim "$@" --json --dump "$folder/cpu"
    local displaced
    displaced=$(number displacement_max)
    expect 0 0 '"recoveries": 0' sim "$@" --json --dump "$folder/gpu" --backend gpu --device "$device"
    awk -v d="$displaced" 'BEGIN { exit !(d > 1e-3) }' || fail "$what: nothing moves"
    for name in positions rig_positions surface energy handles; do
        near "$folder/cpu/$name.npy" "$folder/gpu/$name.npy" "$what"
    done
}
write_ball -1.2 "$folder/below.obj"
agree "held at one end" "${body[@]}" --frames 12 --motion hop --floor 0
# in float throughout: near, and not the same
expect 0 0 '"recoveries": 0' sim "${body[@]}" --frames 12 --motion hop --floor 0 --json --dump "$folder/single" \
    --backend gpu --device "$device" --single
difference=$(differ "$folder/gpu/positions.npy" "$folder/single/positions.npy")
awk -v d="$difference" 'BEGIN { exit !(d > 0 && d < 6e-3) }' || fail "--single differs by $difference"
agree "with all parameters" "${body[@]}" --frames 15 --lock right:y --sweeps 2 --compliance 1e-5 --poisson 0.2 \
    --damping 2 --rigid-damping --stiffness 0.01 --dt 0.02 --gravity 0,-9,0 --collider "$folder/below.obj" --collider-cells 24
expect 0 0 '"recoveries": 3' sim "${body[@]}" --frames 3 --gravity 1e200,0,0 --json
expect 0 0 '"recoveries": 3' sim "${body[@]}" --frames 3 --gravity 1e200,0,0 --json --backend gpu --device "$device"

# scenes: both solvers, an event that changes what a body is made of
cat >"$folder/scene.json" <<'JSON'
{"seconds": 0.2,
 "characters": [{"name": "stick", "shape": {"box": [0.5, 0.5, 0.5], "edge_length": 0.5}, "modes": 4, "clusters": 4},
                {"name": "box", "shape": {"box": [0.5, 0.5, 0.5], "edge_length": 0.4},
                 "handles": [{"name": "low", "point": [0, -0.4, 0]}, {"name": "high", "point": [0, 0.4, 0]}]}],
 "bodies": [{"character": "stick", "translation": [0, {"keys": [[0, 0], [0.1, 1]]}, 0]},
            {"character": "box", "solver": "coupled", "translation": [-3, 0.6, 0], "locks": "none", "substeps": 4},
            {"character": "box", "solver": "coupled", "translation": [3, 2, 0], "substeps": 4,
             "drives": [{"bone": "low", "rotation": [0, 0, "sin(9*t)"]}]}],
 "gravity": [0, -9.81, 0], "floor": {"height": 0},
 "grabs": [{"body": 2, "path": [3, "2.4 + t", 0], "reach": 1}],
 "events": [{"at": 0.1, "body": 1, "handles": [{"name": "low", "point": [0, -0.4, 0]}]}]}
JSON
expect 0 0 '"recoveries": 0' sim "$folder/scene.json" --json --dump "$folder/cpu"
expect 0 0 '"recoveries": 0' sim "$folder/scene.json" --json --dump "$folder/gpu" --backend gpu --device "$device"
for name in positions rig_positions surface; do
    near "$folder/cpu/body-0001/$name.npy" "$folder/gpu/body-0001/$name.npy" "a free body of a scene"
    near "$folder/cpu/body-0002/$name.npy" "$folder/gpu/body-0002/$name.npy" "a held body of a scene"
done
difference=$(differ "$folder/cpu/body-0000/positions.npy" "$folder/gpu/body-0000/positions.npy")
awk -v d="$difference" 'BEGIN { exit !(d < 1e-5) }' || fail "a reduced body of a scene differs by $difference"

# pictures: the same ones, from where the matrices lie
# seen WHAT ARGUMENTS...
seen() {
    local what=$1 run=(--headless --frames 3 --size 96x64 --device "$device" --validate --json)
    shift
    expect 0 0 '"validation_messages": 0' play "$@" "${run[@]}" --out "$folder/here"
    expect 0 0 '"validation_messages": 0' play "$@" "${run[@]}" --out "$folder/there" --backend gpu
    [ "$device" != cpu ] || cmp -s "$folder/here/frame-0002.png" "$folder/there/frame-0002.png" || fail "$what looks different"
}
seen "a coupled body" "${body[@]}"
seen "a coupled body with marks" "${body[@]}" --show-handles --show-mesh
agree "drawn as its flesh" "${body[@]}" --frames 4 --flesh
expect 0 0 '"validation_messages": 0' play "${body[@]}" --flesh --headless --frames 3 --size 96x64 --device "$device" \
    --validate --json --out "$folder/flesh" --backend gpu
cmp -s "$folder/flesh/frame-0000.png" "$folder/flesh/frame-0002.png" && fail "flesh that is drawn from the device stays"
cat >"$folder/coupled.json" <<'JSON'
{"seconds": 0.1,
 "characters": [{"name": "box", "shape": {"box": [0.5, 0.5, 0.5], "edge_length": 0.4},
                 "handles": [{"name": "low", "point": [0, -0.4, 0]}, {"name": "high", "point": [0, 0.4, 0]}]}],
 "bodies": [{"character": "box", "solver": "coupled", "translation": [-1, 0.6, 0], "locks": "none", "substeps": 4},
            {"character": "box", "solver": "coupled", "translation": [1, 0.52, 0], "locks": "none", "substeps": 4}],
 "gravity": [0, -9.81, 0], "floor": {"height": 0},
 "events": [{"at": 0.03, "body": 1, "handles": [{"name": "low", "point": [0, -0.4, 0]}]}]}
JSON
seen "a scene" --scene "$folder/coupled.json"
seen "a scene with marks" --scene "$folder/coupled.json" --show-handles

[ "$failures" -eq 0 ] && echo "coupled bodies step on the device"
exit "$failures"
