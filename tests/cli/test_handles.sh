#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Rigs of handles through the command: points, bones and cages for tets and for a surface that the mesher fills, given
# weights, motions, and one line for everything that is wrong with them.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

write_bar "$folder/bar.mesh"

# The same bar as a surface.
cat >"$folder/bar.obj" <<'OBJ'
v 0 0 0
v 6 0 0
v 0 1 0
v 6 1 0
v 0 0 1
v 6 0 1
v 0 1 1
v 6 1 1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
OBJ

ends='{"name": "left", "point": [0, 0.5, 0.5]}, {"name": "right", "point": [6, 0.5, 0.5]}'
box='"cage": [[-1,-1,-1],[7,-1,-1],[-1,2,-1],[7,2,-1],[-1,-1,2],[7,-1,2],[-1,2,2],[7,2,2]]'
faces='"faces": [[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]'

# rig NAME TEXT: a rig of these handles
rig() {
    printf '{"handles": [%s]}\n' "$2" >"$folder/$1.json"
}

# place X Y Z: the transform of a bone that is moved there, as bytes
place() {
    printf '\\x01\\x00\\x00\\x%02x\\x00\\x01\\x00\\x%02x\\x00\\x00\\x01\\x%02x' "$1" "$2" "$3"
}
# repeat COUNT TEXT
repeat() {
    for ((i = 0; i < $1; i++)); do printf '%s' "$2"; done
}

# ---- two points: tets, names, weights, a motion ----

rig ends "$ends"
cook=(cook "$folder/bar.mesh" --modes 4 --clusters 4)
expect 0 0 '"bones": 2' "${cook[@]}" --rig "$folder/ends.json" --units keep --dump "$folder/dump" --json -o "$folder/ends.sinew"
expect 0 0 '"left"' info "$folder/ends.sinew" --json
expect 0 0 '"affine"' info "$folder/ends.sinew" --json
npy '|u1' '2, 2, 3, 4' "$(place 0 0 0)$(place 0 0 0)$(place 0 0 0)$(place 0 2 0)" >"$folder/lift.npy"
expect 0 0 '"recoveries": 0' sim "$folder/ends.sinew" --motion "$folder/lift.npy" --frames 2 --dump "$folder/lifted" --json
# the right end went up by 2, the middle by 1, the left end stayed; and no row of weights is out of order
paste -d ' ' <(values "$folder/dump/vertices.npy" | paste -d ' ' - - -) <(values "$folder/dump/rig_weights.npy" | paste -d ' ' - -) \
    <(values "$folder/lifted/rig_positions.npy" | paste -d ' ' - - - | tail -n 117) | awk '
    function off(a, b, most) { return a - b > most || b - a > most }
    off($4 + $5, 1, 1e-6) || $4 < 0 || $5 < 0 || off($7 - $2, 2 * $5, 1e-5) || off($6, $1, 1e-5) { bad = 1 }
    $1 == 3 && off($5, .5, .03) { bad = 1 }
    $2 == .5 && $3 == .5 { if (off($5, ($1 / 6) ^ 2 * (3 - $1 / 3), .05) || $5 < last) bad = 1; last = $5; ++count }
    END { exit bad || count != 13 }' || fail "the weights of two ends are not a beam's"

# the same motion as a clip
still='[[1,0,0,0],[0,1,0,0],[0,0,1,0]]'
lifted='[[1,0,0,0],[0,1,0,2],[0,0,1,0]]'
printf '{"P": [[%s,%s],[%s,%s],[%s,%s]]}' "$still" "$still" "$still" "$lifted" "$still" "$lifted" >"$folder/lift.json"
expect 0 0 "" "${cook[@]}" --rig "$folder/ends.json" --clip "$folder/lift.json" --units keep -o "$folder/clip.sinew"
expect 0 0 '"recoveries": 0' sim "$folder/clip.sinew" --motion clip:lift --frames 2 --dump "$folder/clip" --json
paste <(values "$folder/lifted/rig_positions.npy") <(values "$folder/clip/rig_positions.npy") |
    awk '{ d = $1 - $2; if (d < -1e-5 || d > 1e-5) bad = 1 } END { exit bad || NR != 702 }' || fail "a clip of handles is another motion"

# the same by a sidecar of the surface, which the mesher fills
printf '{"handles": [%s]}' "$ends" >"$folder/bar.sinew.json"
expect 0 0 '"bones": 2' cook "$folder/bar.obj" --modes 4 --json -o "$folder/beside.sinew"
printf '{"handles": [%s], "pin": ["left"]}' "$ends" >"$folder/bar.sinew.json"
expect 0 0 '"pins": [1-9]' cook "$folder/bar.obj" --modes 4 --json -o "$folder/pinned.sinew"
rm "$folder/bar.sinew.json"
expect 0 0 '"bones": 2' cook "$folder/bar.obj" --rig "$folder/ends.json" --modes 4 --json -o "$folder/surface.sinew"
cmp -s "$folder/beside.sinew" "$folder/surface.sinew" || fail "handles of a sidecar are others than those of a rig"
expect 0 0 '"recoveries": 0' sim "$folder/surface.sinew" --motion "$folder/lift.npy" --frames 2 --amount 0 --dump "$folder/drawn" --json
values "$folder/drawn/surface.npy" | paste -d ' ' - - - | awk '
    { x[NR] = $1; y[NR] = $2 }
    END { n = NR / 2; for (i = 1; i <= n; i++) { d = y[n + i] - y[i] - (x[i] < 3 ? 0 : 2); if (d < -.05 || d > .05) bad = 1 }
          exit bad || n < 8 }' || fail "the drawn corners do not follow their handles"

# a skeleton gives way to a rig, not to a sidecar
cp "$SOURCE_DIR/tests/fuzz/corpus/gltf/skin_animation_sparse.glb" "$folder/skinned.glb"
rig one '{"name": "heart", "point": [0, 0, 0]}'
expect 0 0 '"bones": 1' cook "$folder/skinned.glb" --rig "$folder/one.json" --modes 2 --json -o "$folder/skinned.sinew"
cp "$folder/one.json" "$folder/skinned.sinew.json"
expect 1 1 "skinned.sinew.json: handles: .*skinned.glb has 2 bones of its own" cook "$folder/skinned.glb" -o "$folder/skinned.sinew"

# ---- mixed; a cage; a loop ----

rig mixed "$ends, {\"name\": \"spine\", \"bone\": [[2, 0.5, 0.5], [4, 0.5, 0.5]], \"radius\": 0.3}"
expect 0 0 '"bones": 3' "${cook[@]}" --rig "$folder/mixed.json" --json -o "$folder/mixed.sinew"
rig box "{\"name\": \"box\", $box, $faces}"
expect 0 0 '"bones": 8' "${cook[@]}" --rig "$folder/box.json" --json -o "$folder/box.sinew"
rows=$(number constraint_rows)
{ [ "$rows" -gt 4 ] && [ "$rows" -le 32 ]; } || fail "eight translations have $rows rows, not four each"
expect 0 0 '"box.7"' info "$folder/box.sinew" --json
expect 0 0 '"translation"' info "$folder/box.sinew" --json
npy '|u1' '2, 8, 3, 4' "$(repeat 8 "$(place 0 0 0)")$(repeat 8 "$(place 1 2 3)")" >"$folder/move.npy"
expect 0 0 '"recoveries": 0' sim "$folder/box.sinew" --motion "$folder/move.npy" --frames 2 --json
rig boxed "{\"name\": \"box\", $box, $faces}, {\"name\": \"heart\", \"point\": [3, 0.5, 0.5]}"
expect 0 0 '"bones": 9' "${cook[@]}" --rig "$folder/boxed.json" --json -o "$folder/boxed.sinew"
rig loop '{"name": "belt", "cage": [[0,0,0],[6,0,0],[6,1,0],[0,1,0]], "edges": [[0,1],[1,2],[2,3],[3,0]]}'
expect 0 0 '"bones": 4' "${cook[@]}" --rig "$folder/loop.json" --json -o "$folder/loop.sinew"

# a cage's vertex is translated, not turned
turned='\x00\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01\x00'
npy '|u1' '1, 8, 3, 4' "$(repeat 5 "$(place 0 0 0)")$turned$(repeat 2 "$(place 0 0 0)")" >"$folder/turn.npy"
expect 1 1 "turn.npy: pose 0, bone 5: the cage's vertex 'box.5' is not only translated" \
    sim "$folder/box.sinew" --motion "$folder/turn.npy" --frames 2
printf '{"P": [[%s[[0,1,0,0],[1,0,0,0],[0,0,1,0]]]]}' "$(repeat 7 '[[1,0,0,0],[0,1,0,0],[0,0,1,0]],')" >"$folder/turn.json"
expect 1 1 "turn.json: P\[0\]\[7\]: the transform of cage vertex 'box.7' is not a translation" \
    "${cook[@]}" --rig "$folder/box.json" --clip "$folder/turn.json" -o "$folder/box.sinew"

# ---- given weights ----

printf '{"handles": [%s], "weights": "half.npy"}' "$ends" >"$folder/given.json"
npy '|u1' '117, 2' "$(repeat 117 '\x01\x03')" >"$folder/half.npy"
expect 0 0 "" "${cook[@]}" --rig "$folder/given.json" --dump "$folder/given" -o "$folder/given.sinew"
values "$folder/given/rig_weights.npy" | awk '$1 != (NR % 2 ? .25 : .75) { bad = 1 } END { exit bad || NR != 234 }' ||
    fail "weights of a file are not taken as given"
npy '|u1' '116, 2' "$(repeat 116 '\x01\x03')" >"$folder/half.npy"
expect 1 1 "half.npy: weights: 116 rows for the 117 vertices" "${cook[@]}" --rig "$folder/given.json" -o "$folder/given.sinew"
npy '|u1' '117, 3' "$(repeat 117 '\x01\x03\x01')" >"$folder/half.npy"
expect 1 1 "half.npy: the shape must be (vertices, 2)" "${cook[@]}" --rig "$folder/given.json" -o "$folder/given.sinew"
npy '|u1' '117, 2' "$(repeat 116 '\x01\x03')\\x00\\x00" >"$folder/half.npy"
expect 1 1 "half.npy\[116\]: the weights of the vertex sum to 0" "${cook[@]}" --rig "$folder/given.json" -o "$folder/given.sinew"
rm "$folder/half.npy"
expect 1 1 "half.npy" "${cook[@]}" --rig "$folder/given.json" -o "$folder/given.sinew"

# ---- everything that is wrong is one line ----

# wrong PATTERN HANDLES
wrong() {
    rig wrong "$2"
    expect 1 1 "wrong.json: $1" "${cook[@]}" --rig "$folder/wrong.json" -o "$folder/wrong.sinew"
}
wrong "handles\[2\] 'far': lies outside the mesh, .* of its diagonal" "$ends, {\"name\": \"far\", \"point\": [3, 9, 0]}" 2>/dev/null
wrong "handles\[0\] 'far': lies outside the mesh" '{"name": "far", "point": [3, 9, 0]}'
wrong "handles\[0\] 'far': lies outside the mesh" '{"name": "far", "bone": [[3, 9, 0], [9, 9, 0]]}'
wrong "handles\[0\] 'a' and handles\[1\] 'b': have the same nearest vertex" '{"name": "a", "point": [0, 0, 0]}, {"name": "b", "point": [0.1, 0, 0]}'
wrong "the cage's faces at handles\[0\] 'box.[0-7]' and handles\[0\] 'box.[0-7]' cross" "{\"name\": \"box\", ${box/\[7,-1,2\]/[-3,0.5,0.5]}, $faces}"
wrong "handles\[0\] 'box.0': .* of the body's 117 vertices lie outside the cage" "{\"name\": \"box\", ${box//7/4}, $faces}"
wrong "handles\[0\].faces: the edge from vertex 0 to 1 has 1 face instead of 2; a cage must be closed" "{\"name\": \"box\", $box, ${faces/\[0,1,5,4\],/}}"
wrong "handles\[0\].point: must be three finite numbers" '{"name": "a", "point": [0, "x", 0]}'
rig near '{"name": "left", "point": [0, 0.5, 0.5]}, {"name": "right", "point": [6.5, 0.5, 0.5]}'
expect 0 1 "warning: .*near.json: handles\[1\] 'right': lies outside the mesh; its nearest vertex" \
    cook "$folder/bar.obj" --modes 4 --rig "$folder/near.json" -o "$folder/near.sinew"
rig many "$(for ((i = 0; i < 1025; i++)); do printf '%s{"name": "p%d", "point": [%d, 0, 0]}' "${comma-}" "$i" "$i" && comma=,; done)"
expect 1 1 "many.json: handles\[1024\]: the handles up to this one have more than 1024 bones" "${cook[@]}" --rig "$folder/many.json" -o "$folder/many.sinew"

[ "$failures" -eq 0 ]
