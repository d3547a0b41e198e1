#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Layered bodies through the command: what a model cooked for them is stepped by, dumped, drawn and baked; in scenes; and
# one line for everything that is wrong.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

write_bar "$folder/bar.mesh"
cat >"$folder/rig.json" <<'JSON'
{"handles": [
  {"name": "left", "bone": [[0, 0.5, 0.5], [3, 0.5, 0.5]]},
  {"name": "right", "bone": [[3, 0.5, 0.5], [6, 0.5, 0.5]], "parent": "left"}]}
JSON
expect 0 0 'carried' cook "$folder/bar.mesh" --layered --rig "$folder/rig.json" -o "$folder/bar.sinew"

# At rest, and where bones move as one, it is the rig.
expect 0 0 '' sim "$folder/bar.sinew" --frames 10 --json --dump "$folder/run"
within displacement_max 0 1e-6 "a body at rest"
within iterations_mean 15 1000 "substeps of one sweep"
for name in positions rig_positions; do
    grep -aq "(10, 117, 3)" "$folder/run/$name.npy" || fail "$name.npy has another shape"
done
grep -aq "(10, 6)" "$folder/run/momentum.npy" || fail "momentum.npy has another shape"
[ ! -e "$folder/run/handles.npy" ] || fail "there are handles that nothing but the pose moves"

# Under gravity it sags; its flesh is drawn where it is, and is what is told by the flag or by the model.
run=("$folder/bar.sinew" --gravity 0,-2,0 --frames 20)
expect 0 0 '' sim "${run[@]}" --json --dump "$folder/told"
within displacement_max 1e-3 0.5 "a body under gravity"
within recoveries 0 0 "a body under gravity"
within inverted_frames 0 0 "a body under gravity"
expect 0 0 '' sim "${run[@]}" --layered --threads 2 --dump "$folder/said"
cmp -s "$folder/told/positions.npy" "$folder/said/positions.npy" || fail "--layered makes another body"
lowest() {
    values "$1" | awk 'NR % 3 == 2 && (NR == 2 || $1 < low) { low = $1 } END { printf "%.9f", low }'
}
awk -v surface="$(lowest "$folder/told/surface.npy")" -v flesh="$(lowest "$folder/told/positions.npy")" \
    -v rig="$(lowest "$folder/told/rig_positions.npy")" 'BEGIN { d = surface - flesh; exit !(d * d < 1e-10 && flesh < rig - 1e-3) }' ||
    fail "what is drawn is not the flesh"
expect 0 0 '' sim "${run[@]}" --layered --layered-mode layers --substeps 1 --sweeps 10 --consolidating 2 --json
within iterations_mean 10 10 "ten iterations of the paper's way"
expect 0 0 '' sim "${run[@]}" --layered --layered-mode unordered --double --damping 2 --rigid-damping --stiffness 2 --json
within displacement_max 1e-4 0.5 "stiffer flesh"

# What the model says is as good as the flag: options are those of layered bodies.
expect 0 0 '' sim "${run[@]}" --substeps 20 --json
within iterations_mean 20 20 "substeps of a body that the model tells"
expect 0 0 '' sim "${run[@]}" --layered-mode unordered --dump "$folder/unsaid"
expect 0 0 '' sim "${run[@]}" --layered --layered-mode unordered --dump "$folder/said"
cmp -s "$folder/unsaid/positions.npy" "$folder/said/positions.npy" || fail "--layered-mode needs the flag"
for option in "--amount 0" "--budget 5" --neo-hookean "--modes-used 2" --full-space; do
    # shellcheck disable=SC2086
    expect 1 1 "bar.sinew: ${option%% *}.*: not supported by layered bodies" sim "${run[@]}" $option
done
expect 1 1 "bar.sinew: --amount: not supported by layered bodies" bake "${run[@]:0:3}" --amount 0 --seconds 0.1 -o "$folder/none.glb"

# Baked as targets beside the bones.
expect 0 0 '"targets": 4' bake "$folder/bar.sinew" --gravity 0,-2,0 --seconds 0.3 --targets 4 -o "$folder/bar.glb" --json
within error 0 2e-3 "four targets"
within rig_error 1e-3 1 "bones alone"

# Drawn, where there is a device; the source is cooked for it.
if "$SINEW" play "$folder/bar.mesh" --layered --rig "$folder/rig.json" --gravity 0,-2,0 --headless --frames 3 --size 64x48 \
    --show-mesh --out "$folder/pictures" --device cpu --validate >"$folder/stdout" 2>"$folder/stderr"; then
    [ -s "$folder/pictures/frame-0002.png" ] || fail "play --layered draws nothing"
    # there: in another order of the same tets, near
    gpu=(--backend gpu --device "${SN_TEST_DEVICE:-cpu}")
    expect 0 0 '"recoveries": 0' sim "${run[@]}" "${gpu[@]}" --json --dump "$folder/there"
    within iterations_mean 15 1000 "substeps there"
    for name in positions rig_positions surface; do
        awk -v d="$(differ "$folder/told/$name.npy" "$folder/there/$name.npy")" 'BEGIN { exit !(d < 0.01) }' ||
            fail "$name.npy is another there"
    done
    expect 0 0 '"validation_messages": 0' play "${run[@]:0:3}" "${gpu[@]}" --headless --frames 3 --size 64x48 --validate --json \
        --out "$folder/drawn"
    cmp -s "$folder/drawn/frame-0000.png" "$folder/drawn/frame-0002.png" && fail "play --backend gpu: it stays"
else
    grep -q -i "vulkan\|device" "$folder/stderr" || fail "play --layered: $(cat "$folder/stderr")"
fi

# Scenes: two ways to bend, and an event.
cat >"$folder/bend.json" <<'JSON'
{"seconds": 0.3, "gravity": [0, -1, 0],
 "characters": [{"path": "bar.sinew"},
                {"shape": {"box": [1, 0.3, 0.3], "edge_length": 0.3}, "handles": [{"name": "axis", "bone": [[-1, 0, 0], [1, 0, 0]]}]}],
 "bodies": [{"solver": "layered", "drives": [{"bone": "right", "rotation": [0, 0, "t"]}]},
            {"character": 1, "solver": "layered", "layered_mode": "layers", "substeps": 1, "sweeps": 10, "consolidating": 4,
             "mass": 2, "damping": 1, "rigid_damped": true}],
 "events": [{"at": 0.1, "body": 1, "sweeps": 5, "stiffness": 2}]}
JSON
expect 0 0 '"recoveries": 0' sim "$folder/bend.json" --json --dump "$folder/bend"
within displacement_max 1e-4 0.5 "bodies of a scene"
before=$(cat "$folder/bend"/*/positions.npy | cksum)
expect 0 0 '' sim "$folder/bend.json" --threads 2 --dump "$folder/bend"
[ "$before" = "$(cat "$folder/bend"/*/positions.npy | cksum)" ] || fail "two threads make another scene"
grep -aq "(18, 117, 3)" "$folder/bend/body-0000/positions.npy" || fail "a body of a scene has other flesh"
grep -aq "(18, 6)" "$folder/bend/body-0001/momentum.npy" || fail "a body of a scene has no momentum"
expect 0 0 '"targets"' bake "$folder/bend.json" --body 0 -o "$folder/bend.glb" --json

# ---- everything that is wrong is one line ----

# bad PATTERN MEMBERS-OF-THE-BODY
bad() {
    printf '{"characters": [{"path": "%s/bar.sinew"}], "bodies": [{%s}]}' "$folder" "$2" >"$folder/bad.json"
    expect 1 1 "bad.json: bodies\[0\]$1" sim "$folder/bad.json" --frames 1
}
bad '.solver: is .layer.: must be one of reduced, coupled, layered' '"solver": "layer"'
bad '.layered_mode: is .both.: must be one of unordered, layers' '"solver": "layered", "layered_mode": "both"'
bad '.consolidating: ' '"solver": "layered", "consolidating": -1'
bad '.poisson: is not known to the solver "layered"' '"solver": "layered", "poisson": 0.3'
bad '.amount: is not known to the solver "layered"' '"solver": "layered", "amount": 0.3'
bad '.locks: is not known to the solver "layered"' '"solver": "layered", "locks": "all"'
bad '.layered_mode: is not known to the solver "reduced"' '"layered_mode": "layers"'
bad '.consolidating: is not known to the solver "coupled"' '"solver": "coupled", "consolidating": 3'
bad '.drives\[0\]: only coupled bodies have locks' '"solver": "layered", "drives": [{"bone": "left", "locks": "all"}]'
printf '{"characters": [{"path": "bar.sinew"}], "bodies": [{"solver": "layered"}], "events": [{"at": 0, "compliance": 1}]}' >"$folder/bad.json"
expect 1 1 "events\[0\]: a layered body has no" sim "$folder/bad.json" --frames 1

expect 0 0 '' cook "$folder/bar.mesh" --coupled -o "$folder/coupled.sinew"
expect 1 1 "coupled.sinew: it was not cooked for layered bodies" sim "$folder/coupled.sinew" --layered --frames 1
expect 2 1 "--coupled or --layered, not both" sim "$folder/bar.sinew" --coupled --layered --frames 1
expect 2 1 "--double: not with --backend gpu" sim "$folder/bar.sinew" --layered --backend gpu --double --frames 1
expect 2 1 "--layered: not with --full-space" sim "$folder/bar.sinew" --layered --full-space --frames 1
expect 2 1 "--layered-mode both: not a valid value" sim "$folder/bar.sinew" --layered --layered-mode both --frames 1
expect 0 0 "" cook "$folder/bar.mesh" --modes 2 -o "$folder/modes.sinew"
expect 1 1 "modes.sinew: --layered-mode: needs --layered" sim "$folder/modes.sinew" --layered-mode layers --frames 1
expect 2 1 "--consolidating: not with --coupled" sim "$folder/bar.sinew" --coupled --consolidating 3 --frames 1
expect 2 1 "--poisson: not with --layered" sim "$folder/bar.sinew" --layered --poisson 0.3 --frames 1
expect 1 1 "--loop: not supported by layered bodies" bake "$folder/bar.sinew" --loop -o "$folder/none.glb"

[ "$failures" -eq 0 ] && echo "layered bodies are stepped, drawn and baked"
exit $((failures > 0))
