#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Coupled bodies through the command: cooked for nothing else, held and free, dumped, drawn; and one line for everything
# that is wrong.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

write_bar "$folder/bar.mesh"
cat >"$folder/rig.json" <<'JSON'
{"handles": [
  {"name": "left", "point": [0, 0.5, 0.5]},
  {"name": "middle", "bone": [[2, 0.5, 0.5], [4, 0.5, 0.5]], "parent": "left"},
  {"name": "right,end", "point": [6, 0.5, 0.5], "parent": "middle", "stretch": true}]}
JSON
# heights FRAMES BONE X: in each frame, how much higher the bone's pivot, at X, .5, .5, is than at rest
heights() {
    tail -c $(($1 * 3 * 96)) "$folder/run/handles.npy" | od -An -v -t f8 -w96 |
        awk -v bone="$2" -v x="$3" '(NR - 1) % 3 == bone { print $5 * x + ($6 + $7) / 2 + $8 - .5 }'
}

expect 0 0 '117 vertices, 288 tets, 3 bones, 0 modes, 0 clusters' cook "$folder/bar.mesh" --coupled --rig "$folder/rig.json" --dump "$folder/dump" -o "$folder/bar.sinew"
[ -s "$folder/dump/rig_weights.npy" ] || fail "cook --coupled dumps no weights"
[ ! -e "$folder/dump/modes.npy" ] || fail "cook --coupled dumps modes"
expect 0 0 '"modes": 0' info "$folder/bar.sinew" --json
expect 0 0 '"stretched"' info "$folder/bar.sinew" --json
cp "$folder/bar.sinew" "$folder/again.sinew"
expect 0 0 '' cook "$folder/bar.mesh" --coupled --rig "$folder/rig.json" -o "$folder/bar.sinew"
cmp -s "$folder/bar.sinew" "$folder/again.sinew" || fail "the same input gives other bytes"

# All locked: the pose, and nothing else.
expect 0 0 '' sim "$folder/bar.sinew" --coupled --motion hop --frames 30 --json
within displacement_max 0 1e-6 "a locked body"
within recoveries 0 0 "a locked body"

# Held at its left end, under gravity: that stays, the rest sags, and all that it is made of is finite.
run=(sim "$folder/bar.sinew" --coupled --gravity 0,-2,0 --frames 60 --json --dump "$folder/run")
expect 0 0 '' "${run[@]}" --free "middle" --free "right,end"
within displacement_max 0.02 1 "a body that is held at one end"
within recoveries 0 0 "a body that is held at one end"
within iterations_mean 15 15 "15 substeps"
expect 0 0 '' "${run[@]}" --free "middle" --free "right,end" --substeps 0
within iterations_mean 15 60 "as many substeps as the flesh asks for"
grep -aq "(60, 3, 3, 4)" "$folder/run/handles.npy" || fail "handles.npy has another shape"
grep -aq "(60, 117, 3)" "$folder/run/rig_positions.npy" || fail "rig_positions.npy has another shape"
heights 60 0 0 | awk '$1 < -1e-4 || $1 > 1e-4 { bad = 1 } END { exit bad || NR != 60 }' || fail "what is locked moves"
heights 60 2 6 | awk '{ last = $1 } END { exit !(last < -.1) }' || fail "what is free does not sag"

# Its flesh is drawn where it is: here the surface is the boundary of the tets. Its skin is elsewhere.
# lowest FILE: of all points of all frames
lowest() {
    values "$1" | awk 'NR % 3 == 2 && (NR == 2 || $1 < low) { low = $1 } END { printf "%.9f", low }'
}
sag=("$folder/bar.sinew" --coupled --gravity 0,-2,0 --frames 30 --free middle --free "right,end" --compliance 1e-3)
expect 0 0 '' sim "${sag[@]}" --dump "$folder/skin"
expect 0 0 '' sim "${sag[@]}" --dump "$folder/flesh" --flesh
cmp -s "$folder/skin/positions.npy" "$folder/flesh/positions.npy" || fail "what is drawn changes the flesh"
awk -v skin="$(lowest "$folder/skin/surface.npy")" -v flesh="$(lowest "$folder/flesh/surface.npy")" \
    -v is="$(lowest "$folder/flesh/positions.npy")" 'BEGIN { d = flesh - is; e = skin - is; exit !(d * d < 1e-10 && e * e > 1e-6) }' ||
    fail "--flesh draws something else than the flesh"

# So it is baked: as targets beside the bones, which alone are off.
expect 0 0 '"targets": 8' bake "${sag[@]:0:4}" --seconds 0.5 --free middle --free "right,end" --compliance 1e-3 --flesh --targets 8 -o "$folder/flesh.glb" --json
within error 0 1e-3 "eight targets"
within rig_error 2e-3 1 "the bones alone"
expect 2 1 "--targets: not with --coupled" bake "$folder/bar.sinew" --coupled --targets 8 -o "$folder/flesh.glb"

# Free: it falls by g t^2 / 2 (model units; the file's are larger by the diagonal).
expect 0 0 '' "${run[@]}" --free all
heights 60 1 2 | awk '{ last = $1 } END { d = last + 1.0011111 * 6.1644140; exit !(d > -.01 && d < .01) }' || fail "a free body does not fall as it should"
# On one axis alone.
expect 0 0 '' "${run[@]}" --free all --lock left:y --lock "right,end:y"
heights 60 0 0 | awk '$1 < -1e-3 || $1 > 1e-3 { bad = 1 } END { exit bad }' || fail "a locked axis moves"
expect 0 0 '' "${run[@]}" --free all --double --substeps 4 --sweeps 2 --compliance 1e-5 --poisson 0.2 --damping 2 --rigid-damping
within iterations_mean 8 8 "4 substeps of 2 sweeps"

# An ordinary model is stepped by either; one cooked for coupling is not.
expect 0 0 '' cook "$folder/bar.mesh" --rig "$folder/rig.json" --modes 4 --clusters 4 -o "$folder/modes.sinew"
expect 0 0 '' sim "$folder/modes.sinew" --coupled --free all --gravity 0,-2,0 --frames 10 --json
expect 0 0 '' sim "$folder/modes.sinew" --motion hop --frames 10 --json
expect 1 1 'bar.sinew: it has no modes, .*--coupled' sim "$folder/bar.sinew" --frames 2
expect 1 1 'bar.sinew: it has no modes' sim "$folder/bar.sinew" --frames 2 --full-space
expect 1 1 'bar.sinew: it has no modes' sim "$folder/bar.sinew" --frames 2 --backend gpu --device cpu

# Drawn, where there is a device.
if "$SINEW" play "$folder/bar.mesh" --coupled --rig "$folder/rig.json" --free all --lock left:xyzr --gravity 0,-2,0 --headless \
    --frames 3 --size 64x48 --out "$folder/pictures" --device cpu >"$folder/stdout" 2>"$folder/stderr"; then
    [ -s "$folder/pictures/frame-0002.png" ] || fail "play --coupled draws nothing"
    expect 0 0 '"validation_messages": 0' play "${sag[@]}" --flesh --headless --size 64x48 --out "$folder/drawn" --device cpu --validate --json
    [ -s "$folder/drawn/frame-0029.png" ] || fail "play --flesh draws nothing"
else
    grep -q -i "vulkan\|device" "$folder/stderr" || fail "play --coupled: $(cat "$folder/stderr")"
fi

# ---- everything that is wrong is one line ----

expect 1 1 "bar.sinew: --free nose: it has no such bone" sim "$folder/bar.sinew" --coupled --free nose --frames 2
expect 1 1 "bar.sinew: --free left,nose: it has no such bone" sim "$folder/bar.sinew" --coupled --free left,nose --frames 2
expect 1 1 "bar.sinew: --lock left: it has no such bone" sim "$folder/bar.sinew" --coupled --lock left --frames 2
expect 1 1 "bar.sinew: --lock left:xq: 'q' is none of x, y, z, r and s" sim "$folder/bar.sinew" --coupled --lock left:xq --frames 2
expect 2 1 "--free: needs --coupled" sim "$folder/modes.sinew" --free all --frames 2
expect 1 1 "modes.sinew: --flesh: needs --coupled or --layered" sim "$folder/modes.sinew" --flesh --frames 2
expect 1 1 "modes.sinew: --substeps: needs --coupled or --layered" sim "$folder/modes.sinew" --substeps 4 --frames 2
expect 2 1 "--full-space" sim "$folder/bar.sinew" --coupled --full-space --frames 2
expect 2 1 "--amount: not with --coupled" sim "$folder/bar.sinew" --coupled --amount 0.5 --frames 2
expect 2 1 "--poisson" sim "$folder/bar.sinew" --coupled --poisson 0.5 --frames 2

[ "$failures" -eq 0 ]
