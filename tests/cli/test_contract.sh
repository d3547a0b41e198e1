#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command's contract without any data: exit codes, one error line, JSON alone on stdout, old output kept.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# A pyramid of cubes' corners is enough of a mesh: two tets that share a face.
cat >"$folder/two.msh" <<'MSH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 1 1 1
$EndNodes
$Elements
2
1 4 0 1 2 3 4
2 4 0 2 3 4 5
$EndElements
MSH

expect 0 0 "usage:" --help
expect 0 0 "sinew 0" --version
expect 2 1 ""
expect 2 1 "unknown verb" frobnicate
for verb in cook info sim play bake bench characters puppet; do
    expect 0 0 "usage: sinew $verb" "$verb" --help
    expect 2 1 "unknown option" "$verb" --no-such-flag
done

# check_columns WHAT: at most 100 columns on stdout
check_columns() {
    awk 'length($0) > 100 { found = 1 } END { exit found }' "$folder/stdout" || fail "$1: a line has more than 100 columns"
}

expect 0 0 "" --help
check_columns --help
for verb in $(sed -n 's/^  \([a-z]*\) .*/\1/p' "$folder/stdout"); do
    expect 0 0 "^usage: sinew $verb" "$verb" --help
    check_columns "$verb --help"
    [ "$(wc -l <"$folder/stdout")" -le 24 ] || fail "$verb --help: more than 24 lines"
    grep -q "^Examples:" "$folder/stdout" || fail "$verb --help: no examples"
    count=$(sed -n "s/^\`sinew $verb --help-all\` lists all \([0-9]*\) option.*/\1/p" "$folder/stdout")
    sed -n 's/^  \(-[-a-z]*\).*/\1/p' "$folder/stdout" >"$folder/common"
    [ "$(wc -l <"$folder/common")" -le 10 ] || fail "$verb --help: more than 10 options"
    expect 0 0 "^usage: sinew $verb" "$verb" --help-all
    check_columns "$verb --help-all"
    sed -n 's/^  \(-[-a-z]*\).*/\1/p' "$folder/stdout" >"$folder/all"
    [ "$(wc -l <"$folder/all")" -eq "$((count + 2))" ] || fail "$verb --help-all: does not list $count options, --help and --help-all"
    [ -z "$(sort "$folder/all" | uniq -d)" ] || fail "$verb --help-all: an option is listed twice"
    [ -z "$(sort -u "$folder/common" | comm -23 - <(sort -u "$folder/all"))" ] || fail "$verb --help-all: lacks options of --help"
    grep -v -e '^--help' "$folder/all" >"$folder/listed"
    while read -r option; do # the parser knows every option that is listed
        "$SINEW" "$verb" "$option" >"$folder/none" 2>"$folder/stderr" </dev/null
        ! grep -q "unknown option" "$folder/stderr" || fail "$verb $option: listed, but unknown"
    done < <(grep -v -x -e --web -e --vmc -e --list "$folder/listed")
done
expect 0 0 "" play --help-all
for group in Input Simulation Rendering Output Advanced; do
    grep -q "^$group:" "$folder/stdout" || fail "play --help-all: no group $group"
done
expect 2 1 "too few" cook
expect 2 1 "missing" cook "$folder/two.msh"
expect 2 1 "valid value" cook "$folder/two.msh" --clusters 2,2 -o "$folder/two.sinew"
expect 2 1 "valid value" cook "$folder/two.msh" --clusters 9,4,2,1 -o "$folder/two.sinew"
expect 2 1 "valid value" cook "$folder/two.msh" --clusters 9,x -o "$folder/two.sinew"
expect 2 1 "valid value" cook "$folder/two.msh" --modes zero -o "$folder/two.sinew"
expect 2 1 "valid value" cook "$folder/two.msh" --poisson .46 -o "$folder/two.sinew"
expect 2 1 "valid value" cook "$folder/two.msh" --poisson -.1 -o "$folder/two.sinew"
expect 1 1 "is only for surfaces" cook "$folder/two.msh" --tets x.msh -o "$folder/two.sinew"
expect 1 1 "absent.msh" cook "$folder/absent.msh" -o "$folder/two.sinew"
expect 1 1 "modes" cook "$folder/two.msh" --modes 100 -o "$folder/two.sinew"
[ -e "$folder/two.sinew" ] && fail "a failed cook left a file"

# what is found deep inside, where nobody is told of files, names the file, too
sed 's/^2$/3/; s/^2 4 0 2 3 4 5/2 4 0 2 3 4 6\n3 4 0 2 3 4 5/; s/^5$/6/; s/^5 1 1 1/5 1 1 1\n6 2 2 2/' "$folder/two.msh" >"$folder/fan.msh"
expect 1 1 "^sinew: $folder/fan.msh: tets 0, 1 and 2 share one face" cook "$folder/fan.msh" -o "$folder/fan.sinew"

expect 0 0 '"vertices": 5' cook "$folder/two.msh" --json -o "$folder/two.sinew"
expect 0 0 '"modes": 5' info "$folder/two.sinew" --json
expect 0 0 '"tets": 2' info "$folder/two.msh" --json
before=$(cksum <"$folder/two.sinew")
sed 's/^2 1 0 0/2 nan 0 0/' "$folder/two.msh" >"$folder/nan.msh"
expect 1 1 "nan.msh" cook "$folder/nan.msh" -o "$folder/two.sinew"
[ "$before" = "$(cksum <"$folder/two.sinew")" ] || fail "a failed cook touched the old model"
expect 0 0 "" cook "$folder/two.msh" --threads 4 -o "$folder/again.sinew"
cmp -s "$folder/two.sinew" "$folder/again.sinew" || fail "the number of threads changed the model"

expect 0 0 "" cook "$folder/two.msh" --poisson 0 -o "$folder/again.sinew"
cmp -s "$folder/two.sinew" "$folder/again.sinew" || fail "a Poisson's ratio of 0 is not the default"
expect 0 0 "" cook "$folder/two.msh" --poisson .45 -o "$folder/again.sinew"
expect 0 0 '"recoveries": 0' sim "$folder/again.sinew" --frames 5 --gravity 0,-1,0 --json
expect 0 0 '"recoveries": 0' sim "$folder/again.sinew" --frames 5 --gravity 0,-1,0 --full-space --json

expect 0 0 '"recoveries": 0' sim "$folder/two.sinew" --frames 5 --gravity 0,-1,0 --json --dump "$folder/dump"
for name in positions rig_positions surface energy; do
    [ -s "$folder/dump/$name.npy" ] || fail "sim --dump wrote no $name.npy"
done
expect 2 1 "frames" sim "$folder/two.sinew"
expect 1 1 "walk" sim "$folder/two.sinew" --frames 5 --motion clip:walk
expect 1 1 "x.bvh" sim "$folder/two.sinew" --frames 5 --motion x.bvh
expect 1 1 "x.txt: no motion" sim "$folder/two.sinew" --frames 5 --motion x.txt
expect 0 0 '"recoveries": 0' sim "$folder/two.sinew" --frames 5 --full-space --gravity 0,-1,0 --json --dump "$folder/full"
for name in positions rig_positions surface energy; do
    [ -s "$folder/full/$name.npy" ] || fail "sim --full-space --dump wrote no $name.npy"
done
cmp -s "$folder/dump/rig_positions.npy" "$folder/full/rig_positions.npy" || fail "--full-space has another rig"
expect 0 0 '"recoveries": 0' sim "$folder/two.sinew" --frames 5 --full-space --full-space-clusters --unconstrained --json
expect 2 1 "not with --full-space" sim "$folder/two.sinew" --frames 5 --full-space --wind 1,0,0
expect 2 1 "not with --full-space" sim "$folder/two.sinew" --frames 5 --full-space --floor 0
expect 2 1 "needs --full-space" sim "$folder/two.sinew" --frames 5 --unconstrained
expect 0 0 '"recoveries": 0' sim "$folder/two.sinew" --frames 5 --wind 3,0,0 --floor 0 --json
expect 2 1 "valid value" sim "$folder/two.sinew" --frames 5 --floor low
expect 2 1 "valid value" sim "$folder/two.sinew" --frames 5 --wind 1,0
expect 1 1 "scene.json: cannot open" sim scene.json --frames 5
expect 2 1 "valid value" sim "$folder/two.sinew" --frames 5 --dt nan

# level of detail: fewer modes and coarser clusters than there are; all of them are the model
expect 0 0 '"cluster_levels"' cook "$folder/two.msh" --clusters 2,1 --json -o "$folder/levels.sinew"
expect 0 0 "level of detail 1: 1 clusters" info "$folder/levels.sinew"
expect 0 0 '"cluster_levels"' info "$folder/levels.sinew" --json
for detail in "" "--modes-used 5 --cluster-level 0" "--modes-used 2" "--cluster-level 1" "--modes-used 2 --cluster-level 1"; do
    # shellcheck disable=SC2086
    expect 0 0 '"recoveries": 0' sim "$folder/levels.sinew" --frames 9 --gravity 0,-90,0 --gravity-rest --json --dump "$folder/d" $detail
    cksum <"$folder/d/positions.npy" >>"$folder/detail"
done
[ "$(sed -n 1p "$folder/detail")" = "$(sed -n 2p "$folder/detail")" ] || fail "all modes and the finest clusters differ from the model"
[ "$(sort -u "$folder/detail" | wc -l)" -eq 4 ] || fail "levels of detail do not differ"
expect 1 1 "levels.sinew: --modes-used 6: it has 5 modes" sim "$folder/levels.sinew" --frames 5 --modes-used 6
expect 1 1 "levels.sinew: --cluster-level 2: its coarsest is 1" sim "$folder/levels.sinew" --frames 5 --cluster-level 2
expect 2 1 "valid value" sim "$folder/levels.sinew" --frames 5 --modes-used 0
expect 2 1 "valid value" sim "$folder/levels.sinew" --frames 5 --cluster-level -1
expect 2 1 "not with --full-space" sim "$folder/levels.sinew" --frames 5 --full-space --modes-used 2

# names that begin with a dash
cp "$folder/two.sinew" "$folder/--help.sinew"
(cd "$folder" && "$SINEW" info --json -- --help.sinew) | grep -q '"tets"' || fail "info -- --help.sinew"
expect 1 1 "-x.sinew: cannot open" info -- -x.sinew
expect 2 1 "too few" info --json --

expect 2 1 "would replace" cook "$folder/two.msh" -o "$folder/two.msh"
grep -q MeshFormat "$folder/two.msh" || fail "cook -o IN replaced its input"
for arguments in "info $folder/two.sinew --json" --help --version; do
    # shellcheck disable=SC2086
    "$SINEW" $arguments >/dev/full 2>"$folder/stderr" && fail "$arguments: a full disk went unseen"
    # shellcheck disable=SC2086
    "$SINEW" $arguments >&- 2>"$folder/stderr" && fail "$arguments: a closed standard output went unseen"
    [ "$(cat "$folder/stderr")" = "sinew: standard output: cannot write" ] || fail "$arguments: $(cat "$folder/stderr")"
done
# a closed standard error is not a place for files
"$SINEW" cook "$folder/two.msh" --mask x.png -o "$folder/closed.sinew" <&- >&- 2>&-
[ ! -e "$folder/closed.sinew" ] || fail "a failed cook left a file"
expect 0 0 "" cook "$folder/two.msh" -o "$folder/again.sinew"
"$SINEW" cook "$folder/two.msh" -o "$folder/closed.sinew" <&- >&- 2>&-
cmp -s "$folder/again.sinew" "$folder/closed.sinew" || fail "what was printed is in the model"

# little memory: an end, not a wait for threads of libraries that find none (what sanitizers reserve leaves no room)
(
    ulimit -v 150000
    timeout 60 "$SINEW" info "$folder/two.sinew" >"$folder/stdout" 2>"$folder/stderr"
)
code=$?
[ "$code" -ne 124 ] || fail "the command does not end where memory is short"
(
    ulimit -v 200000
    timeout 60 "$SINEW" cook "$folder/two.msh" -o "$folder/short.sinew" >"$folder/none" 2>"$folder/stderr"
)
[ $? -ne 124 ] || fail "cook does not end where memory is short"
write_bar "$folder/bar.mesh"
for room in 220000 250000 280000; do # just about what it takes
    (
        ulimit -v "$room"
        timeout 60 "$SINEW" cook "$folder/bar.mesh" -o "$folder/short.sinew" >"$folder/none" 2>"$folder/stderr"
    )
    code=$?
    [ "$code" -ne 124 ] || fail "cook does not end where there are $room KiB"
    ! grep -q "^sinew:" "$folder/stderr" || grep -q "bar.mesh: .*out of memory" "$folder/stderr" ||
        fail "cook in $room KiB: $(cat "$folder/stderr")"
done
cat >"$folder/keys.json" <<'KEYS'
{"character": "four.obj", "keys": [{"seconds": 0}, {"seconds": 1}]}
KEYS
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >"$folder/four.obj"
for verb in "bake $folder/two.sinew -o" "sim $folder/two.sinew --frames 2 --full-space --dump" "fourier $folder/keys.json -o" \
    "spacetime --demo stretch --iterations 1 -o"; do
    (
        ulimit -v 200000
        # shellcheck disable=SC2086
        timeout 60 "$SINEW" $verb "$folder/short.glb" >"$folder/none" 2>"$folder/stderr"
    )
    [ $? -ne 124 ] || fail "$verb does not end where memory is short"
done
(
    ulimit -f 1
    "$SINEW" cook "$folder/two.msh" -o "$folder/large.sinew" >"$folder/none" 2>"$folder/stderr"
) && fail "a file beyond the limit was written"
[ ! -e "$folder/large.sinew" ] && grep -q "large.sinew: cannot write: File too large" "$folder/stderr" ||
    fail "a file beyond the limit: $(cat "$folder/stderr")"
mkfifo "$folder/pipe" "$folder/pipe.sinew"
for pipe in pipe pipe.sinew; do
    timeout 20 "$SINEW" info "$folder/$pipe" >"$folder/none" 2>"$folder/stderr"
    [ $? -eq 1 ] || fail "info $pipe: $(cat "$folder/stderr")"
done
[ "$code" -ne 0 ] || grep -q "5 vertices" "$folder/stdout" || fail "with little memory info says nothing"
expect 0 0 '"recoveries": 3' sim "$folder/two.sinew" --frames 3 --gravity 1e200,0,0 --double --json
cp "$folder/two.sinew" "$folder/two.bin"
expect 0 0 "tets" info "$folder/two.bin"

# rows of weights that do not sum to one, in percent and tiny: a quarter and three quarters
cat >"$folder/rig.json" <<'RIG'
{"rig_type": "volume", "V": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1]], "F": [[0,1,2,3],[1,2,3,4]],
 "W": [[25,75],[1e-12,3e-12],[0.25,0.75],[0.1,0.3],[1,3]], "pI": [-1,0], "lengths": [1,1],
 "p0": [[[1,0,0],[0,1,0],[0,0,1],[0,0,0]],[[1,0,0],[0,1,0],[0,0,1],[0,0,0]]]}
RIG
expect 0 0 "" cook "$folder/two.msh" --rig "$folder/rig.json" --modes 1 --dump "$folder/rigged" -o "$folder/rigged.sinew"
weights=$(tail -c 80 "$folder/rigged/rig_weights.npy" | od -An -v -t f8 | tr -s ' \n' '\n' | sed '/^$/d' | awk '{ printf "%.6f ", $1 }')
[ "$weights" = "$(for _ in 1 2 3 4 5; do printf '0.250000 0.750000 '; done)" ] || fail "weights are not normalised: $weights"
expect 2 1 "dynamic|visual" cook "$folder/two.msh" --morphs none -o "$folder/two.sinew"

# the constraint on coordinates: 5 vertices' displacements less 4 rows; said on the line, or beside the file
expect 2 1 "auto|none|springs" cook "$folder/two.msh" --loose all -o "$folder/two.sinew"
expect 2 1 "weights|coordinates" cook "$folder/two.msh" --complementary rig -o "$folder/two.sinew"
expect 0 0 '"barred": 4' cook "$folder/two.msh" --leak none --modes 2 --complementary coordinates --json \
    --dump "$folder/dump" -o "$folder/coordinates.sinew"
grep -q '"coordinates": 1,' "$folder/stdout" || fail "5 vertices less 4 rows are one coordinate: $(cat "$folder/stdout")"
grep -q "'shape': (4, 5)" "$folder/dump/coordinate_constraint.npy" || fail "no rows of coordinates are dumped"
expect 1 1 "two.msh: 1 modes have 4 coordinates, and the rig's constraint takes 4" \
    cook "$folder/two.msh" --leak none --modes 1 --complementary coordinates -o "$folder/coordinates.sinew"
write_ball 0 "$folder/ball.obj"
expect 0 0 '"barred": 4' cook "$folder/ball.obj" --vertices 300 --complementary coordinates --json -o "$folder/coordinates.sinew"
expect 0 0 '"barred": 4' cook "$folder/ball.obj" --vertices 300 --json -o "$folder/again.sinew" # one bone: by itself
grep -q '"modes": 16,' "$folder/stdout" || fail "a ball by itself has not 16 modes"
expect 0 0 '"barred": 0' cook "$folder/two.msh" --modes 1 --json -o "$folder/again.sinew"
echo '{"complementary": "coordinates"}' >"$folder/ball.sinew.json"
expect 0 0 '"barred": 4' cook "$folder/ball.obj" --vertices 300 --json -o "$folder/again.sinew"
cmp -s "$folder/coordinates.sinew" "$folder/again.sinew" || fail "a sidecar's word is not the option's"
expect 0 0 '"barred": 0' cook "$folder/ball.obj" --vertices 300 --complementary weights --json -o "$folder/again.sinew"
expect 1 1 "rig_weights.npy" cook "$folder/two.msh" --leak "$folder/rigged/rig_weights.npy" -o "$folder/two.sinew"
expect 1 1 "eigenvalues.npy" cook "$folder/two.msh" --leak "$folder/rigged/eigenvalues.npy" -o "$folder/two.sinew"
expect 1 1 "mass.npy" cook "$folder/two.msh" --labels "$folder/rigged/mass.npy" -o "$folder/two.sinew"

one='\x00\x00\x00\x00\x00\x00\xf0\x3f' nan='\x00\x00\x00\x00\x00\x00\xf8\x7f'
npy '|b1' 5, '\x01\x00\x00\x00\x01' >"$folder/mask.npy"
npy '<i4' 2, '\x04\x00\x00\x00\x00\x00\x00\x00' >"$folder/list.npy"
expect 0 0 '"pins": 2' cook "$folder/two.msh" --pin "$folder/mask.npy" --json -o "$folder/pinned.sinew"
expect 0 0 '"modes": 3' cook "$folder/two.msh" --pin "$folder/list.npy" --json -o "$folder/again.sinew"
cmp -s "$folder/pinned.sinew" "$folder/again.sinew" || fail "a list of pins is not what its mask is"
expect 0 0 "pinned:  2 vertices" cook "$folder/two.msh" --pin "$folder/list.npy" -o "$folder/again.sinew"
expect 1 1 "4 modes requested, but 5 vertices minus 2 pinned and 0 constraint rows leave 3" \
    cook "$folder/two.msh" --pin "$folder/mask.npy" --modes 4 -o "$folder/again.sinew"
expect 2 1 "would replace" cook "$folder/two.msh" --pin "$folder/mask.npy" -o "$folder/mask.npy"
expect 0 0 '"over_budget": 0' sim "$folder/coordinates.sinew" --motion hop --frames 4 --json
expect 0 0 "steps ended by the budget" sim "$folder/coordinates.sinew" --motion hop --frames 4 --budget 0.001
expect 2 1 "budget: not with --coupled" sim "$folder/coordinates.sinew" --coupled --frames 4 --budget 1
expect 2 1 "budget: not with --full-space" sim "$folder/coordinates.sinew" --full-space --frames 4 --budget 1
expect 2 1 "--budget" sim "$folder/coordinates.sinew" --frames 4 --budget -1
npy '<f8' 2, "$one$one" >"$folder/ones.npy"
expect 0 0 '"modes": 4' cook "$folder/two.msh" --tet-stiffness "$folder/ones.npy" --tet-density "$folder/ones.npy" \
    --modes 4 --json -o "$folder/again.sinew"
expect 0 0 '"modes": 4' cook "$folder/two.msh" --modes 4 --json -o "$folder/even.sinew"
cmp -s "$folder/even.sinew" "$folder/again.sinew" || fail "tets of one stuff are not what plain ones are"
expect 1 1 "ones.npy: entry 0 is 1, outside 0 to 0.45" \
    cook "$folder/two.msh" --tet-poisson "$folder/ones.npy" -o "$folder/again.sinew"
expect 1 1 "mask.npy: 5 entries for the 2 tets" \
    cook "$folder/two.msh" --tet-density "$folder/mask.npy" -o "$folder/again.sinew"
expect 2 1 "would replace" cook "$folder/two.msh" --tet-density "$folder/ones.npy" -o "$folder/ones.npy"
npy '|u1' 5, '\x01\x01\x01\x01\x01' >"$folder/bad.npy"
expect 1 1 "two.msh: all 5 vertices are pinned" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '|u1' 5, '\x01\x00\x00\x07\x00' >"$folder/bad.npy"
expect 1 1 "bad.npy: entry 3 is 7, neither 0" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '<f8' 1, "$nan" >"$folder/bad.npy"
expect 1 1 "bad.npy: entry 0 is nan, neither 0" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '<f8' 1, "$one" >"$folder/bad.npy"
expect 1 1 "bad.npy: 1 entries for the 5 vertices" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '<i4' 1, '\x05\x00\x00\x00' >"$folder/bad.npy"
expect 1 1 "bad.npy: entry 0 is 5, outside 0 .. 4" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '<i4' 3, '\x03\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00' >"$folder/bad.npy"
expect 1 1 "bad.npy: entry 2: vertex 3 is listed twice" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"
npy '<i8' 1, '\x01\x00\x00\x00\x01\x00\x00\x00' >"$folder/bad.npy"
expect 1 1 "bad.npy: entry 0: 4.29497e+09 is no vertex" cook "$folder/two.msh" --pin "$folder/bad.npy" -o "$folder/two.sinew"

npy '<f8' '1, 5' "$one$one$one$one$one" >"$folder/row.npy"
expect 0 0 '"constraint_rows": 1' cook "$folder/two.msh" --leak all --constraint "$folder/row.npy" --json -o "$folder/row.sinew"
expect 0 0 '"constraint_rows": 1' cook "$folder/two.msh" --constraint "$folder/row.npy" --pin "$folder/mask.npy" --json -o "$folder/row.sinew"
expect 1 1 "5 modes requested, but 5 vertices minus 0 pinned and 1 constraint rows leave 4" \
    cook "$folder/two.msh" --constraint "$folder/row.npy" --modes 5 -o "$folder/row.sinew"
npy '<f8' '1, 5' "$one$one$nan$one$one" >"$folder/bad.npy"
expect 1 1 "bad.npy: row 0, entry 2: is not finite" cook "$folder/two.msh" --constraint "$folder/bad.npy" -o "$folder/row.sinew"
npy '<f8' '2, 2' "$one$one$one$one" >"$folder/bad.npy"
expect 1 1 "bad.npy: rows of 2 entries for the 5 vertices" cook "$folder/two.msh" --constraint "$folder/bad.npy" -o "$folder/row.sinew"
npy '<f8' 5, "$one$one$one$one$one" >"$folder/bad.npy"
expect 1 1 "bad.npy: has 1 dimensions instead of 2" cook "$folder/two.msh" --constraint "$folder/bad.npy" -o "$folder/row.sinew"
expect 1 1 "absent.npy" cook "$folder/two.msh" --constraint "$folder/absent.npy" -o "$folder/row.sinew"

# nothing holds it: all of it falls by g h^2 n (n + 1) / 2, here 15 / 3600 of a diagonal of 1
expect 0 0 "" cook "$folder/two.msh" --leak all -o "$folder/free.sinew"
expect 0 0 '"displacement_max": 0[,.}]' sim "$folder/free.sinew" --frames 5 --gravity 0,-1,0 --json
expect 0 0 '"displacement_max": 0.00416' sim "$folder/free.sinew" --frames 5 --gravity 0,-1,0 --gravity-rest --json

head -c 1000 "$folder/two.sinew" >"$folder/cut.sinew"
expect 1 1 "cut.sinew" sim "$folder/cut.sinew" --frames 5
printf '\377' | dd of="$folder/again.sinew" bs=1 seek=700 conv=notrunc 2>/dev/null
expect 1 1 "checksum" info "$folder/again.sinew"
for name in coupled crowd weights; do
    expect 2 1 "two.msh: $name measures meshes of its own" bench $name "$folder/two.msh"
done
expect 2 1 "two.sinew: modes takes no model" bench modes "$folder/two.sinew"
expect 2 1 "two.sinew: xpbd takes no model" bench xpbd "$folder/two.sinew"
expect 2 1 "two.sinew: reduced takes no --rig for a model" bench reduced "$folder/two.sinew" --rig "$folder/rig.json"
expect 2 1 "rig.json: reduced takes no --rig" bench reduced --rig "$folder/rig.json"
expect 2 1 "two.msh: xpbd takes no --rig" bench xpbd "$folder/two.msh" --rig "$folder/rig.json"
printf '%s\n' "MeshVersionFormatted 2" "Dimension 3" Vertices 5 "0 0 0 0" "1 0 0 0" "0 1 0 0" "0 0 1e-9 0" "5 5 5 0" \
    Tetrahedra 1 "1 2 3 4 0" End >"$folder/thin.mesh"
expect 1 1 "^sinew: $folder/thin.mesh: xpbd model: element 0: volume" bench xpbd "$folder/thin.mesh"
expect 1 1 "absent.sinew" bench reduced "$folder/absent.sinew"
expect 1 1 "nowhere.json" bench modes "$folder/two.msh" --rig "$folder/nowhere.json"
for option in '--modes 3' '--clusters 4' '--sparsity 1' '--leak none' '--loose none' '--pin x.npy' '--labels x.npy' '--morphs dynamic' \
    '--complementary weights'; do
    # shellcheck disable=SC2086
    expect 2 1 "${option%% *}.*: not with --coupled" cook "$folder/two.msh" --coupled $option -o "$folder/none.sinew"
done
expect 2 1 "--vertices: the tet mesh determines its vertices" cook "$folder/two.msh" --vertices 100 -o "$folder/none.sinew"
echo 'skeleton: []' >"$folder/char_cfg.yaml"
expect 1 1 "char_cfg.yaml: this skeleton is for a drawing" cook "$folder/two.msh" --rig "$folder/char_cfg.yaml" -o "$folder/none.sinew"
expect 2 1 "bench weights: does not run with --backend gpu; use one of: .*crowd.*, all" bench weights --backend gpu
expect 2 1 "bench no-such-bench: there is no such benchmark; use one of: modes, .*, all" bench no-such-bench
echo "not an animation" >"$folder/walk.fbx"
expect 1 1 "^sinew: $folder/walk.fbx: " cook "$folder/walk.fbx" -o "$folder/two.sinew"
expect 1 1 "walk.bvh" cook "$folder/two.msh" --rig "$folder/rig.json" --clip walk.bvh -o "$folder/two.sinew"

# a clip is named after its file, and a report's line stays one line
frame='[[[1,0,0,0],[0,1,0,0],[0,0,1,0]],[[1,0,0,0],[0,1,0,0],[0,0,1,0]]]'
echo "{\"P\": [$frame, $frame]}" >"$folder"/$'a\tw\304lk\n.json'
expect 0 0 "" cook "$folder/two.msh" --rig "$folder/rig.json" --modes 1 --clip "$folder"/$'a\tw\304lk\n.json' -o "$folder/rigged.sinew"
expect 0 0 "bone bone 1" info "$folder/rigged.sinew"
expect 0 0 "clip a_w_lk_: 0.017 s" info "$folder/rigged.sinew"

# where a clip jumps as it begins again, flesh does not feel it, nor where it begins
cook_jumps
for clip in away up; do
    jumps=(sim "$folder/jumps.sinew" --motion "clip:$clip" --floor none --json)
    expect 0 0 '"recoveries": 0' "${jumps[@]}" --frames 20
    once=$(number displacement_max)
    within displacement_max 0.003 "$([ "$clip" = away ] && echo 0.02 || echo 0.2)" "clip $clip, once"
    expect 0 0 '"recoveries": 0' "${jumps[@]}" --frames 100
    within displacement_max 0.003 "$(awk -v once="$once" 'BEGIN { print 1.00001 * once }')" "clip $clip, five times"
    # steps that end a hair before the clip does
    expect 0 0 '"recoveries": 0' "${jumps[@]}" --frames 100 --dt 0.01666666665
    within displacement_max 0.003 "$(awk -v once="$once" 'BEGIN { print 1.1 * once }')" "clip $clip, a hair short"
    expect 0 "$([ "$clip" = away ] && echo 0 || echo 1)" '"recoveries": 0' bake "$folder/jumps.sinew" --clip "$clip" \
        --floor none --loop --json -o "$folder/jumps.glb"
    within rig_error 0 "$(awk -v once="$once" 'BEGIN { print 1.1 * once }')" "clip $clip, a loop"
done
# nor is it moved along where a step takes whole periods, and the pose stays
expect 0 0 '"recoveries": 0' sim "$folder/jumps.sinew" --motion clip:away --floor none --dt 1 --frames 9 --json
within displacement_max 0 1e-9 "clip away, three times a step"

[ "$failures" -eq 0 ] && echo "the contract holds"
exit "$failures"
