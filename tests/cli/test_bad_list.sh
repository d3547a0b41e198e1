#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a user can get wrong in a mesh, a rig, a motion or a number, one row each: what is refused, by one line that names
# the file, the place and the cause, what is repaired, with a warning, and what is defined. Worlds have theirs in
# tests/world/test_world_bad_input.c, surfaces as solids in test_solids.sh, files that are cut or lie in test_bad_input.sh.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# A bar of CELLS x 2 x 2 cubes of six tets in $folder/vertices and $folder/tets, of a vertex or tet (from 1) a line.
make_bar() {
    awk -v n="$1" -v vertices="$folder/vertices" -v tets="$folder/tets" 'BEGIN {
        for (z = 0; z <= 2; ++z) for (y = 0; y <= 2; ++y) for (x = 0; x <= n; ++x) print x / 4, y / 4, z / 4 >vertices
        split("0 1 2 1 2 0 2 0 1 0 2 1 2 1 0 1 0 2", axes, " ")
        for (c = 0; c < n * 4; ++c) for (i = 0; i < 6; ++i) {
            at[0] = c % n; at[1] = int(c / n) % 2; at[2] = int(c / n / 2)
            for (k = 0; k < 4; ++k) {
                corner[k] = (at[2] * 3 + at[1]) * (n + 1) + at[0] + 1
                if (k < 3) at[axes[3 * i + k + 1]] += 1
            }
            if (i > 2) { swapped = corner[1]; corner[1] = corner[2]; corner[2] = swapped }
            print corner[0], corner[1], corner[2], corner[3] >tets
        }
    }'
}

# write_mesh NAME: of what is in those two.
write_mesh() {
    {
        printf 'MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n' "$(wc -l <"$folder/vertices")"
        sed 's/$/ 0/' "$folder/vertices"
        printf 'Tetrahedra\n%d\n' "$(wc -l <"$folder/tets")"
        sed 's/$/ 0/' "$folder/tets"
        printf 'End\n'
    } >"$folder/$1"
}

# refused SAYS ARGUMENT...: exit 1, one line that says so, nothing written, and what was there stays.
refused() {
    rm -f "$folder/out.sinew"
    expect 1 1 "$@" -o "$folder/out.sinew"
    [ ! -e "$folder/out.sinew" ] || fail "$*: wrote a file"
    echo old >"$folder/out.sinew"
    expect 1 1 "$@" -o "$folder/out.sinew"
    [ "$(cat "$folder/out.sinew")" = old ] || fail "$*: wrote over a file"
}

# not_played SAYS ARGUMENT...: the same of play, which draws nothing.
not_played() {
    expect 1 1 "$@" --headless --frames 2 --size 32x24 --out "$folder/drawn"
    [ ! -e "$folder/drawn/frame-0000.png" ] || fail "$*: drew"
}

cook() {
    expect 0 "$@" --modes 4 -o "$folder/out.sinew"
}

# ---- tets ----

make_bar 6
cp "$folder/vertices" "$folder/sound_vertices"
cp "$folder/tets" "$folder/sound_tets"
renew() {
    cp "$folder/sound_vertices" "$folder/vertices"
    cp "$folder/sound_tets" "$folder/tets"
}
write_mesh good.mesh
cook 0 "" cook "$folder/good.mesh"
cp "$folder/out.sinew" "$folder/good.sinew"

# without volume: flat, and flat but for rounding
echo '1 2 3 4' >>"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: tet 144 has no volume" cook "$folder/bad.mesh"
renew
echo '.1 .1 1e-14' >>"$folder/vertices"
echo '1 2 8 64' >>"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: tet 144 has no volume" cook "$folder/bad.mesh"
renew
sed -i 's/[^ ]*$/0/' "$folder/vertices"
write_mesh bad.mesh
refused "bad.mesh: tet 0 has no volume" cook "$folder/bad.mesh"
not_played "bad.mesh: tet 0 has no volume" play "$folder/bad.mesh"
renew

# inverted: some, all
awk 'NR % 7 == 1 { print $1, $3, $2, $4; next } { print }' "$folder/sound_tets" >"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: 21 of 144 tets are inverted, the first is tet 0" cook "$folder/bad.mesh"
not_played "bad.mesh: 21 of 144 tets are inverted, the first is tet 0" play "$folder/bad.mesh"
awk '{ print $1, $3, $2, $4 }' "$folder/sound_tets" >"$folder/tets"
write_mesh turned.mesh
cook 1 "^warning: .*turned.mesh: all 144 tets are inverted; flipped" cook "$folder/turned.mesh"
renew

# in pieces: apart, and held by one vertex
make_bar 2
awk '{ print $1 + 5, $2, $3 }' "$folder/vertices" >"$folder/more_vertices"
awk '{ print $1 + 63, $2 + 63, $3 + 63, $4 + 63 }' "$folder/tets" >"$folder/more_tets"
renew
cat "$folder/more_vertices" >>"$folder/vertices"
cat "$folder/more_tets" >>"$folder/tets"
write_mesh apart.mesh
cook 1 "^warning: .*apart.mesh: the tet mesh has 2 disconnected components" cook "$folder/apart.mesh"
expect 0 0 '"recoveries": 0' sim "$folder/out.sinew" --frames 60 --gravity 0,-9.8,0 --motion hop --json
sed -i 's/\b64\b/7/g' "$folder/tets"
write_mesh apart.mesh
cook 2 "^warning: .*apart.mesh: the tet mesh has 2 disconnected components" cook "$folder/apart.mesh"
renew

# twice: as it is, in another order; a corner twice
head -n 1 "$folder/sound_tets" >>"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: tets 0 and 144 are the same" cook "$folder/bad.mesh"
renew
awk 'NR == 1 { print $2, $3, $1, $4 }' "$folder/sound_tets" >>"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: tets 0 and 144 are the same" cook "$folder/bad.mesh"
renew
echo '1 1 2 3' >>"$folder/tets"
write_mesh bad.mesh
refused "bad.mesh: tet 144 repeats a vertex" cook "$folder/bad.mesh"
renew

# vertices that nothing uses change nothing
printf '9 9 9\n.1 .1 .1\n' >>"$folder/vertices"
write_mesh unused.mesh
cook 1 "^warning: .*unused.mesh: removed 2 vertices that no tet uses" cook "$folder/unused.mesh"
cmp -s "$folder/good.sinew" "$folder/out.sinew" || fail "vertices that nothing uses change the model"
renew

# numbers that are none
for number in nan inf 1e999; do
    sed -i "1s/^[^ ]*/$number/" "$folder/vertices"
    write_mesh bad.mesh
    refused "bad.mesh: line 5: x coordinate '$number' is not a finite" cook "$folder/bad.mesh"
done
renew

# ---- rigs ----

# write_rig NAME BONES VERTEX ROW: a bar whose weights go over from bone to bone; but ROW at VERTEX (from 0).
write_rig() {
    awk -v bones="$2" -v odd="$3" -v row="$4" '
        FNR == 1 { ++file }
        file == 1 { place = place (FNR > 1 ? "," : "") "[" $1 "," $2 "," $3 "]"
            weight = $1 / 1.5
            ours = "[" 1 - weight "," weight (bones > 2 ? ",0" : "") "]"
            rows = rows (FNR > 1 ? "," : "") (FNR - 1 == odd ? row : ours) }
        file == 2 { tets = tets (FNR > 1 ? "," : "") "[" $1 - 1 "," $2 - 1 "," $3 - 1 "," $4 - 1 "]" }
        END {
            for (b = 0; b < bones; ++b) {
                parents = parents (b ? "," : "") b - 1
                bind = bind (b ? "," : "") "[[1,0,0],[0,1,0],[0,0,1],[0,0,0]]"
                lengths = lengths (b ? "," : "") 1
            }
            printf "{\"rig_type\":\"volume\",\"V\":[%s],\"F\":[%s],\"W\":[%s],\"pI\":[%s],\"p0\":[%s],\"lengths\":[%s]}\n", \
                place, tets, rows, parents, bind, lengths
        }' "$folder/sound_vertices" "$folder/sound_tets" >"$folder/$1"
}

write_rig rig.json 2 -1 ""
cook 0 "" cook "$folder/good.mesh" --rig "$folder/rig.json"
cp "$folder/out.sinew" "$folder/rigged.sinew"
write_rig bad.json 2 5 '[0,0]'
refused "bad.json: W\[5\]: the weights of the vertex sum to 0" cook "$folder/good.mesh" --rig "$folder/bad.json"
write_rig bad.json 2 5 '[-0.5,1.5]'
refused "bad.json: W\[5\]\[0\]: the weight is negative" cook "$folder/good.mesh" --rig "$folder/bad.json"
write_rig bad.json 2 5 '[-1e-9,1]'
refused "bad.json: W\[5\]\[0\]: the weight is negative" cook "$folder/good.mesh" --rig "$folder/bad.json"
write_rig bad.json 2 5 '[NaN,1]'
refused "bad.json: line 1, column [0-9]*: invalid token near 'NaN'" cook "$folder/good.mesh" --rig "$folder/bad.json"
write_rig bad.json 2 5 '[1e308,1e308]'
refused "bad.json: W\[5\]\[0\]: exceeds the range of a float" cook "$folder/good.mesh" --rig "$folder/bad.json"
write_rig bad.json 2 5 '[1e999,1]'
refused "bad.json: line 1, column [0-9]*: real number overflow" cook "$folder/good.mesh" --rig "$folder/bad.json"

# numbers of 64 bits
one='\x00\x00\x00\x00\x00\x00\xf0\x3f' zero='\x00\x00\x00\x00\x00\x00\x00\x00' nan='\x00\x00\x00\x00\x00\x00\xf8\x7f'
inf='\x00\x00\x00\x00\x00\x00\xf0\x7f' far='\xea\x8c\xa0\x39\x59\x3e\x29\x46' # 1e30
minus='\x00\x00\x00\x00\x00\x00\xf0\xbf' beyond='\x9c\x75\x00\x88\x3c\xe4\x37\x7e' # 1e300

# weights in a file of their own
echo '{"handles": [{"name": "a", "point": [0, 0, 0]}, {"name": "b", "point": [1.5, 0, 0]}]}' >"$folder/points.json"
# given SAYS ROWS VALUES
given() {
    npy '<f8' "$2, 2" "$3" >"$folder/given.npy"
    refused "$1" cook "$folder/good.mesh" --rig "$folder/points.json" --weights "$folder/given.npy"
}
given "given.npy: weights: 1 rows for the 63 vertices of the tet mesh" 1 "$one$zero"
given "given.npy\[0\]: the weights of the vertex sum to 0" 1 "$zero$zero"
given "given.npy\[0\]\[1\]: the weight is not a number" 1 "$one$nan"
given "given.npy\[0\]: the weights of the vertex sum to inf" 1 "$one$inf"
given "given.npy\[0\]\[0\]: the weight is negative: -1" 1 "$minus$one"

# a bone that touches nothing: no constraint, no motion
write_rig idle.json 3 -1 ""
cook 0 '"constraint_rows"' cook "$folder/good.mesh" --rig "$folder/idle.json" --json
idle=$(number constraint_rows)
cook 0 '"constraint_rows"' cook "$folder/good.mesh" --rig "$folder/rig.json" --json
[ "$idle" = "$(number constraint_rows)" ] || fail "a bone that touches nothing constrains: $idle rows"
cook 0 "" cook "$folder/good.mesh" --rig "$folder/idle.json"
# bone X: the 3 x 4 identity, with X in its first row's last place
bone() {
    printf '%s' "$one$zero$zero$1$zero$one$zero$zero$zero$zero$one$zero"
}
npy '<f8' '2, 3, 3, 4' "$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$one")" \
    >"$folder/motion.npy"
expect 0 0 '"recoveries": 0' sim "$folder/out.sinew" --motion "$folder/motion.npy" --frames 20 --json
within displacement_max 0 1e-9 "a bone that touches nothing"

# ---- modes and pins ----

refused "good.mesh: 61 modes requested, but 63 vertices minus 0 pinned and 3 constraint rows leave 60" \
    cook "$folder/good.mesh" --modes 61 --complementary weights
expect 0 0 '"modes": 60' cook "$folder/good.mesh" --modes 60 -o "$folder/out.sinew" --json
write_ball 0 "$folder/ball.obj"
echo '{"modes": 1000}' >"$folder/ball.sinew.json"
refused "ball.sinew.json: modes: must be an integer from 1 to 256" cook "$folder/ball.obj"
rm "$folder/ball.sinew.json"
for values in '\x00\x00\x00\x00\x01\x00\x00\x00' '\x01\x00\x00\x00\x00\x00\x00\x00'; do
    npy '<i4' 2, "$values" >"$folder/pins.npy"
    refused "pins.npy: 2 integers, all 0 or 1: vertices, or a mask" cook "$folder/good.mesh" --pin "$folder/pins.npy"
done
npy '<i4' 2, '\x00\x00\x00\x00\x02\x00\x00\x00' >"$folder/pins.npy"
expect 0 0 '"pins": 2' cook "$folder/good.mesh" --pin "$folder/pins.npy" --modes 4 --json -o "$folder/out.sinew"

# ---- inputs that are named by other inputs ----

# kept FILE WHAT arguments...: the output FILE is read on the way, and stays as it is
kept() {
    local file=$1 what=$2 before
    before=$(cksum <"$file")
    shift 2
    expect 1 1 "$(basename "$file"): was read as an input, which writing would replace" "$@" -o "$file"
    [ "$before" = "$(cksum <"$file")" ] || fail "$what was replaced"
}
write_ball 0 "$folder/ball.obj"
{ echo "mtllib look.sinew"; cat "$folder/ball.obj"; } >"$folder/look.obj"
printf 'newmtl skin\nKd 1 0 0\n' >"$folder/look.sinew"
kept "$folder/look.sinew" "a material library" cook "$folder/look.obj" --modes 4
echo '{}' >"$folder/ball.obj.sinew.json"
cp "$folder/ball.obj" "$folder/side.obj"
echo '{}' >"$folder/side.sinew.json"
ln "$folder/side.sinew.json" "$folder/side.sinew"
kept "$folder/side.sinew" "a sidecar" cook "$folder/side.obj" --modes 4
rm "$folder/side.sinew.json" "$folder/ball.obj.sinew.json"

# ---- motion and numbers of a run ----

model=$folder/rigged.sinew
for value in "$nan" "$inf"; do
    npy '<f8' '2, 2, 3, 4' "$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$value")" >"$folder/motion.npy"
    expect 1 1 "motion.npy: pose 1, bone 1, row 0, column 3: [a-z]* is not finite" \
        sim "$model" --motion "$folder/motion.npy" --frames 4 --json
    not_played "motion.npy: pose 1, bone 1, row 0, column 3: [a-z]* is not finite" play "$model" --motion "$folder/motion.npy"
done
npy '<f8' '2, 2, 3, 4' "$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$beyond")" >"$folder/motion.npy"
expect 1 1 "motion.npy: pose 1, bone 1, row 0, column 3: 1e+300 exceeds the range of a float" \
    sim "$model" --motion "$folder/motion.npy" --frames 4 --json
row='[1,0,0,0],[0,1,0,0],[0,0,1,0]'
echo "{\"P\": [[[$row],[$row]], [[$row],[[1,0,0,1e300],[0,1,0,0],[0,0,1,0]]]]}" >"$folder/clip.json"
refused "clip.json: P\[1\]\[1\]\[0\]\[3\]: exceeds the range of a float" \
    cook "$folder/good.mesh" --rig "$folder/rig.json" --clip "$folder/clip.json"
# farther than anything can follow: put back to its rig, and counted
npy '<f8' '3, 2, 3, 4' "$(bone "$zero")$(bone "$zero")$(bone "$zero")$(bone "$far")$(bone "$zero")$(bone "$zero")" \
    >"$folder/motion.npy"
for precision in "" --double; do
    # shellcheck disable=SC2086
    expect 0 0 '"recoveries"' sim "$model" --motion "$folder/motion.npy" --frames 40 --json $precision
    within recoveries 1 6 "a motion of 1e30 $precision"
    within displacement_max 0 10 "a motion of 1e30 $precision"
done

for step in 0 -1 nan inf 1e-300 1e4 one; do
    expect 2 1 "dt $step: not a valid value" sim "$model" --frames 2 --dt "$step"
    expect 2 1 "dt $step: not a valid value" play "$model" --headless --frames 2 --out "$folder/drawn" --dt "$step"
done
for step in 1 1000 1e-9; do
    expect 0 0 '"recoveries": 0' sim "$model" --frames 20 --dt "$step" --gravity 0,-9.8,0 --motion hop --json
    within displacement_max 0 2 "--dt $step"
done
for height in 1e308 -1e308 1e30; do
    expect 1 1 "floor $height: more than 10000 times the size of .* away" sim "$model" --frames 2 --floor "$height"
done
for height in nan inf '' low; do
    expect 2 1 "not a valid value" sim "$model" --frames 2 --floor "$height"
done
expect 0 0 '"recoveries": 0' sim "$model" --frames 20 --floor 100 --json # all of the body is below it
within displacement_max 0 1 "--floor 100"
for gravity in nan,0,0 0,inf,0 1,2 ''; do
    expect 2 1 "gravity $gravity: not a valid value" sim "$model" --frames 2 --gravity "$gravity"
done
expect 0 0 '"recoveries": 5' sim "$model" --frames 5 --gravity 1e308,0,0 --json
expect 0 0 '"recoveries": 0' sim "$model" --frames 20 --wind 1e308,0,0 --json

[ "$failures" -eq 0 ]
