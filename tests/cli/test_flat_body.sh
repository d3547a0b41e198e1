#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Flat bodies through the command: a drawing of triangles, with one handle, with points and with a rig file; what is
# dumped, simulated and drawn; and one line for everything that is wrong with it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# drawing FILE [RAISED]: a sheet of 12 x 4 squares in the plane z = 3, without its lower left corner; one vertex may be raised.
drawing() {
    awk -v raised="${2:-0}" 'BEGIN {
        nx = 12; ny = 4
        for (y = 0; y <= ny; y++) for (x = 0; x <= nx; x++) print "v", x / 2, y / 2, 3 + (x == 7 && y == 2 ? raised : 0)
        print "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1"
        for (y = 0; y < ny; y++) for (x = 0; x < nx; x++) if (x > 3 || y > 1) {
            o = y * (nx + 1) + x + 1
            if ((x + y) % 2) printf "f %d/1 %d/2 %d/3\nf %d/1 %d/3 %d/4\n", o, o + 1, o + nx + 2, o, o + nx + 2, o + nx + 1
            else printf "f %d/1 %d/2 %d/4\nf %d/2 %d/3 %d/4\n", o, o + 1, o + nx + 1, o + 1, o + nx + 2, o + nx + 1
        }
    }' >"$1"
}

drawing "$folder/sheet.obj"
expect 0 0 '57 vertices, 80 triangles, 1 bones, 16 modes' cook "$folder/sheet.obj" --flat --dump "$folder/dump" -o "$folder/sheet.sinew"
grep -aq "(80, 3)" "$folder/dump/tets.npy" || fail "triangles are not dumped as such"
grep -aq "(6, 57)" "$folder/dump/constraint.npy" || fail "a handle gives six rows"
expect 0 0 ' 80 triangles,' info "$folder/sheet.sinew"
expect 0 0 '"flat": true' info "$folder/sheet.sinew" --json

# It jiggles in its plane, and nowhere else: z is 3 throughout.
expect 0 0 '' sim "$folder/sheet.sinew" --frames 60 --motion hop --gravity 0,-1,0 --wind 1,0,1 --dump "$folder/run" --json
within displacement_max 0.005 0.3 'a hopping sheet'
within inverted_frames 0 0 'a hopping sheet'
within recoveries 0 0 'a hopping sheet'
tail -c $((60 * 57 * 24)) "$folder/run/positions.npy" | od -An -v -t f8 -w24 |
    awk '{ d = $3 - 3; if (d > 1e-12 || d < -1e-12) bad++ } END { exit bad > 0 || NR != 60 * 57 }' || fail 'flesh leaves the plane'
expect 1 1 'sheet.sinew: is a flat body' sim "$folder/sheet.sinew" --frames 1 --full-space

# Points, with bounded biharmonic weights.
echo '{"handles": [{"name": "a", "point": [3, 1, 3]}, {"name": "b", "point": [6, 2, 3]}]}' >"$folder/points.json"
expect 0 0 '80 triangles, 2 bones' cook "$folder/sheet.obj" --flat --rig "$folder/points.json" -o "$folder/points.sinew"
expect 0 0 '' sim "$folder/points.sinew" --frames 30 --motion hop

# A loop, whose vertices are only translated: three rows each.
echo '{"handles": [{"name": "frame", "cage": [[3,0,3], [6,0,3], [6,2,3], [3,2,3]], "edges": [[0,1], [1,2], [2,3], [3,0]]}]}' >"$folder/loop.json"
expect 0 0 '"constraint_rows": 12' cook "$folder/sheet.obj" --flat --rig "$folder/loop.json" -o "$folder/loop.sinew" --json
expect 0 0 '' sim "$folder/loop.sinew" --frames 30 --motion hop --modes-used 6 --cluster-level 1
echo '{"handles": [{"name": "box", "cage": [[-1,-1,2], [7,-1,2], [3,4,2], [3,1,5]], "faces": [[0,2,1], [0,1,3], [1,2,3], [2,0,3]]}]}' >"$folder/box.json"
expect 1 1 'cages with faces are for solid bodies' cook "$folder/sheet.obj" --flat --rig "$folder/box.json" -o "$folder/none.sinew"

# A rig with weights on the drawing's vertices, and a clip that leaves the plane.
awk 'BEGIN {
    printf "{\"rig_type\": \"surface\", \"V\": ["
    n = 0
    for (y = 0; y <= 4; y++) for (x = 0; x <= 12; x++) { printf "%s[%g, %g, 3]", n++ ? ", " : "", x / 2, y / 2 }
    printf "], \"F\": [[0, 1, 13]], \"W\": ["
    for (i = 0; i < n; i++) { w = (i % 13) / 12; printf "%s[%.9f, %.9f]", i ? ", " : "", 1 - w, w }
    one = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]"
    printf "], \"pI\": [-1, 0], \"p0\": [%s, %s], \"lengths\": [1, 1]}\n", one, one
}' >"$folder/rig.json"
one='[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]'
up='[[1, 0, 0, 0], [0, 1, 0, 0.3], [0, 0, 1, 0]]'
out='[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5]]'
echo "{\"P\": [[$one, $one], [$one, $up], [$up, $one]]}" >"$folder/up.json"
echo "{\"P\": [[$one, $one], [$one, $out]]}" >"$folder/out.json"
expect 0 0 '2 bones, 16 modes' cook "$folder/sheet.obj" --flat --rig "$folder/rig.json" --clip "$folder/up.json" -o "$folder/rig.sinew"
expect 0 0 '' sim "$folder/rig.sinew" --frames 30 --motion clip:up
expect 0 1 "clip 'out': frame 1, bone 1 leaves the plane" cook "$folder/sheet.obj" --flat --rig "$folder/rig.json" --clip "$folder/out.json" -o "$folder/out.sinew"

# What is wrong.
expect 1 1 'already cooked' play "$folder/sheet.sinew" --flat --headless --frames 1 --out "$folder/pictures"
drawing "$folder/raised.obj" 0.25
expect 1 1 'raised.obj: vertex .*z is 3.25' cook "$folder/raised.obj" --flat -o "$folder/none.sinew"
{ cat "$folder/sheet.obj"; echo 'f 5/1 6/2 18/4'; } >"$folder/twice.obj"
expect 1 1 'twice.obj: triangles .* are the same' cook "$folder/twice.obj" --flat -o "$folder/none.sinew"
write_ball 0 "$folder/ball.obj"
expect 1 1 'ball.obj: vertex .*plane' cook "$folder/ball.obj" --flat -o "$folder/none.sinew"
expect 1 1 'a flat body needs a surface, not a tet mesh' cook "$folder/sheet.obj" --flat --tets "$folder/none.msh" -o "$folder/none.sinew"
[ ! -e "$folder/none.sinew" ] || fail 'a refused drawing leaves a model'

[ "$failures" -eq 0 ]
