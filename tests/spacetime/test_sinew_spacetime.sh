#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew spacetime as users have it: built-in sequences, a bar that swings, a surface that is meshed, a ball that bounces,
# what files may be wrong, and what is left when one is.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers.sh"

# The built-in ones, in every format; the glTF is read back with its clip and as many frames as it says.
for name in stretch twist; do
    expect 0 0 '' spacetime --demo $name -o "$folder/$name.glb" --json
    within vertices 594 594 "$name"
    within tets 2400 2400 "$name"
    within bytes 1000 200000 "$name"
    expect 0 0 '' info "$folder/$name.glb" --json
    grep -q '"name": "spacetime"' "$folder/stdout" || fail "$name: no clip"
done
expect 0 0 '' spacetime --demo stretch -o "$folder/stretch.usda"
grep -q 'rel skel:blendShapeTargets' "$folder/stretch.usda" || fail "no blend shapes in the .usda"
expect 0 0 '' spacetime --demo stretch -o "$folder/other.glb" --threads 1
cmp -s "$folder/stretch.glb" "$folder/other.glb" || fail "threads change the result"

expect 0 0 '' spacetime --demo twist -o "$folder/other.glb" --threads 1
cmp -s "$folder/twist.glb" "$folder/other.glb" || fail "threads change the modes' result"

# A bar whose end is turned: the middle is free. Its keys name regions and files.
write_bar "$folder/bar.mesh"
bar=$folder/bar.json
write_keys() {
    cat >"$bar" <<EOS
{"mesh": "bar.mesh", "material": {"young": 100, "poisson": 0.4}, "damping": 0.5, "duration": 0.4, "samples": 6,
 "hold": [{"box": [[-1, -1, -1], [0.1, 9, 9]]}, {"box": [[5.9, -1, -1], [7, 9, 9]]}],
 "keys": [{}, {"move": [{"region": {"box": [[3, -9, -9], [9, 9, 9]]}, "rotate": [0, 0, 30], "pivot": [3, 0.5, 0.5]}]},
          {}] $1}
EOS
}
write_keys ''
expect 0 0 '' spacetime "$bar" -o "$folder/bar.glb" --json
within surface_vertices 106 106 "a bar"
within targets 7 7 "3 keys have 3 (3 - 1) + 1 targets"
write_keys ', "cyclic": true, "timing": "alike"'
expect 0 0 '' spacetime "$bar" -o "$folder/cycle.gltf" --json
within targets 6 6 "the last key of a cycle is its first"

# What cannot move.
echo '{"mesh": "bar.mesh", "hold_velocity": true, "keys": [{}, {}]}' >"$folder/still.json"
expect 0 0 '' spacetime "$folder/still.json" -o "$folder/still.glb" --json
within first 0 0 "a bar that is held"

# A surface alone gets a mesh, and shapes of it are keys; a floor takes it.
write_ball 0 "$folder/ball.obj"
write_ball 3 "$folder/high.obj"
write_ball 1 "$folder/low.obj"
cat >"$folder/ball.json" <<'EOS'
{"surface": "ball.obj", "vertices": 200, "material": {"volume": 30, "strain": 30}, "gravity": [0, -9.8, 0],
 "obstacles": [{"plane": {"point": [0, 0.05, 0], "normal": [0, 1, 0]}}],
 "keys": [{"shape": "high.obj", "duration": 0.6}, {"shape": "low.obj", "hold": false, "duration": 0},
          {"shape": "low.obj", "hold": false, "duration": 0.6}, {"shape": "high.obj"}]}
EOS
expect 0 0 '' spacetime "$folder/ball.json" -o "$folder/ball.glb" --json
within contacts 1 200 "a ball on a floor"
within fit_error 0 0.02 "the mesh in the ball"
expect 0 0 "" info "$folder/ball.glb"

# A surface stands where its file's node puts it, with a shape of its own.
expect 0 0 '' spacetime --demo stretch -o "$folder/still.gltf"
sed 's/{"name":"Body","mesh":0}/{"name":"Body","mesh":0,"translation":[0,10,0],"scale":[2,2,2]}/' \
    "$folder/still.gltf" >"$folder/moved.gltf"
echo '{"surface": "moved.gltf", "vertices": 60, "iterations": 1, "keys": [{}, {}]}' >"$folder/node.json"
expect 0 0 '' spacetime "$folder/node.json" -o "$folder/node.gltf"
top=$(sed -n 's/.*"type":"VEC3","min":\[-1.6[0-9]*,10.0,-1.0\],"max":\[1.6[0-9]*,\([0-9.]*\),1.0\].*/\1/p' "$folder/node.gltf")
[ "$top" = 16.0 ] || fail "a node's surface is not where the node has it: $(head -c 900 "$folder/node.gltf")"

# Real sequences, where they are: a surface with its shapes in files whose normals split vertices differently.
data=$SHARED_DATA/blendsim/cheburashka
if [ -d "$data" ]; then
    sed "s|DATA|$data|g" >"$folder/real.json" <<'EOS'
{"surface": "DATA/rest.obj", "vertices": 500, "material": {"volume": 4.7, "strain": 4.7}, "duration": 0.3,
 "keys": [{"shape": "DATA/01.obj"}, {"shape": "DATA/02.obj"}, {"shape": "DATA/03.obj"}]}
EOS
    expect 0 0 '' spacetime "$folder/real.json" -o "$folder/real.glb" --json
    within surface_vertices 6669 20000 "a real surface"
    within fit_error 0 0.1 "a real surface"
else
    echo "skipped: $data is not there"
fi

# A hit and a cycle are one shape, with what the tets leave of it: said once or twice is the same.
pair() {
    for second in '{}' "$3"; do
        echo "{\"surface\": \"ball.obj\", \"vertices\": 60, \"iterations\": 1, $1 $second $2}" >"$folder/pair.json"
        expect 0 0 '' spacetime "$folder/pair.json" -o "$folder/pair${#second}.glb"
    done
    cmp -s "$folder/pair2.glb" "$folder/pair${#3}.glb" || fail "$1: a shape said twice is another"
}
pair '"keys": [{}, {"shape": "low.obj", "duration": 0},' ', {"shape": "high.obj"}]' '{"shape": "low.obj"}'
pair '"cyclic": true, "keys": [{"shape": "low.obj"}, {"shape": "high.obj"},' ']' '{"shape": "low.obj"}'

# wrong SAYS JSON: refused by one line, and the file that was there stays.
wrong() {
    echo "$2" >"$folder/wrong.json"
    echo old >"$folder/kept.glb"
    expect 1 1 "$1" spacetime "$folder/wrong.json" -o "$folder/kept.glb"
    [ "$(cat "$folder/kept.glb")" = old ] || fail "$1: the old file is gone"
    [ "$(find "$folder" -name 'kept.glb*' | wc -l)" -eq 1 ] || fail "$1: something is left"
}
wrong 'wrong.json: line' '{"mesh": '
wrong 'needs a mesh or a surface' '{"keys": [{}, {}]}'
wrong 'keys: needs two keys' '{"mesh": "bar.mesh", "keys": [{}]}'
wrong 'wrong.json: keys: ' '{"mesh": "bar.mesh"}'
wrong 'keys\[0\].duration: is 1e-06' '{"mesh": "bar.mesh", "keys": [{"duration": 1e-6}, {}]}'
wrong 'keys\[0\].duration: a hit' '{"mesh": "bar.mesh", "keys": [{"duration": 0}, {}, {}]}'
wrong 'keys\[1\].samples' '{"mesh": "bar.mesh", "keys": [{}, {"samples": 1}]}'
wrong 'keys\[1\].hold.box: the first point' '{"mesh": "bar.mesh", "keys": [{}, {"hold": {"box": [[1, 0, 0], [0, 1, 1]]}}]}'
wrong 'keys\[0\].hold: must have one of' '{"mesh": "bar.mesh", "keys": [{"hold": {}}, {}]}'
wrong 'keys\[0\].hold.vertices\[0\]: is 9000, but the mesh has 117' '{"mesh": "bar.mesh", "keys": [{"hold": {"vertices": [9000]}}, {}]}'
wrong 'keys\[2\].shape: is not that of keys\[1\]' \
    '{"mesh": "bar.mesh", "keys": [{}, {"duration": 0}, {"shape": "bar.mesh"}, {}]}'
wrong 'keys\[2\].move: is not that of keys\[0\]' \
    '{"mesh": "bar.mesh", "cyclic": true, "keys": [{}, {}, {"move": [{"translate": [0, 0, 1]}]}]}'
wrong 'keys\[1\].move: moves a vertex by .* diagonals of the mesh; the maximum is' '{"mesh": "bar.mesh", "keys": [{}, {"move": [{"scale": 1e30}]}]}'
wrong 'material.poisson: is 0.5' '{"mesh": "bar.mesh", "material": {"young": 1, "poisson": 0.5}, "keys": [{}, {}]}'
wrong 'material: volume and strain, or' '{"mesh": "bar.mesh", "material": {"young": 1, "strain": 1}, "keys": [{}, {}]}'
wrong 'timing: is .never.' '{"mesh": "bar.mesh", "timing": "never", "keys": [{}, {}]}'
wrong 'colour' '{"mesh": "bar.mesh", "colour": 1, "keys": [{}, {}]}'
wrong 'obstacles\[0\].plane: normal has no length' \
    '{"mesh": "bar.mesh", "obstacles": [{"plane": {"normal": [0, 0, 0]}}], "keys": [{}, {}]}'
wrong 'none.mesh' '{"mesh": "none.mesh", "keys": [{}, {}]}'
wrong 'none.mesh' '{"mesh": "bar.mesh", "keys": [{}, {"shape": "none.mesh"}]}'
wrong 'ball.obj: the shape of a mesh without a surface' '{"mesh": "bar.mesh", "keys": [{}, {"shape": "ball.obj"}]}'
wrong 'wrong.json: the spacetime system is too ill-conditioned; use a softer' '{"mesh": "bar.mesh", "cyclic": true, "material": {"young": 1e12},
    "keys": [{}, {"move": [{"rotate": [0, 0, 180]}]}, {}]}'
npy '<f8' '2,' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$folder/two.npy"
wrong 'two.npy: 2 numbers, but the mesh has 117' '{"mesh": "bar.mesh", "keys": [{"hold": {"paint": "two.npy"}}, {}]}'
echo '{"mesh": "bar.mesh", "keys": [{"duration": 1000}, {}]}' >"$folder/long.json"
echo old >"$folder/long.usda"
expect 1 1 '100001 frames at 100 fps exceed the limit of 65536' spacetime "$folder/long.json" --fps 100 -o "$folder/long.usda"
[ "$(cat "$folder/long.usda")" = old ] || fail "too many frames: the old file is gone"
# An output that is what it is made of.
cp "$folder/stretch.glb" "$folder/own.glb"
echo '{"surface": "own.glb", "keys": [{}, {}]}' >"$folder/own.json"
expect 1 1 'is the input .*own.glb' spacetime "$folder/own.json" -o "$folder/own.glb"
cmp -s "$folder/own.glb" "$folder/stretch.glb" || fail "the surface is gone"
expect 1 1 'cannot' spacetime --demo stretch -o "$folder/no/such.glb"
expect 2 1 'not a .glb' spacetime --demo stretch -o "$folder/out.obj"
expect 2 1 'not a valid value of --demo' spacetime --demo bend -o "$folder/out.glb"
expect 2 1 'too few arguments' spacetime -o "$folder/out.glb"
[ "$failures" -eq 0 ]
