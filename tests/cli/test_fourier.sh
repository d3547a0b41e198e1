#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `sinew fourier` through the command: surfaces and rigged characters, every file, what comes back in, and bad input.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# write_tube BEND FILE: a closed tube along x whose middle line is y = BEND x^2.
write_tube() {
    awk -v bend="$1" 'BEGIN {
        rings = 24; sides = 16
        for (i = 0; i < rings; i++) for (j = 0; j < sides; j++) {
            x = 2 * i / (rings - 1) - 1; a = 6.2831853 * j / sides
            printf "v %.7f %.7f %.7f\n", x, bend * x * x + .2 * cos(a), (.2 + .1 * bend) * sin(a)
        }
        print "v -1.1", bend, 0; print "v 1.1", bend, 0
        for (i = 0; i + 1 < rings; i++) for (j = 0; j < sides; j++) {
            k = (j + 1) % sides; o = i * sides + 1
            printf "f %d %d %d\nf %d %d %d\n", o + j, o + k, o + j + sides, o + k, o + k + sides, o + j + sides
        }
        last = (rings - 1) * sides + 1; tip = rings * sides + 1
        for (j = 0; j < sides; j++) {
            k = (j + 1) % sides
            printf "f %d %d %d\nf %d %d %d\n", tip, 1 + k, 1 + j, tip + 1, last + j, last + k
        }
    }' >"$2"
}

for bend in 0 0.3 0.6; do
    write_tube "$bend" "$folder/tube$bend.obj"
done
cat >"$folder/tube.json" <<'END'
{"character": "tube0.obj", "name": "bends", "harmonics": 5, "key_error": 1e-3,
 "keys": [{"seconds": 0, "shape": "tube0.obj"}, {"seconds": 1, "shape": "tube0.6.obj"},
          {"seconds": 1.5, "shape": "tube0.3.obj"}],
 "check": [{"seconds": 0.5, "shape": "tube0.3.obj"}]}
END
for file in tube.glb tube.gltf tube.usda; do
    expect 0 0 '"error_at_keys"' fourier "$folder/tube.json" -o "$folder/$file" --json --dump "$folder/dump"
    within error_at_keys 0 1e-5 "$file"
    within error 0 0.2 "$file"
    within curves 5 100 "$file"
    within targets 12 12 "$file"
    within bytes "$(wc -c <"$folder/$file")" "$(wc -c <"$folder/$file")" "$file"
done
[ -s "$folder/dump/target_11.npy" ] || fail "--dump: no last target"
expect 0 0 'off by' fourier "$folder/tube.json" -o "$folder/again.glb"
cmp -s "$folder/tube.glb" "$folder/again.glb" || fail "the same sequence gives other bytes"
expect 0 0 'bends' info "$folder/tube.glb"

# A rigged character: its own clip moves it, shapes are met in its poses.
cat >"$folder/octopus.json" <<END
{"character": "$CHARACTERS/octopus.glb", "harmonics": 2, "key_error": 1e-3, "fps": 12,
 "keys": [{"seconds": 0, "clip": "swim", "time": 0.1},
          {"seconds": 0.3, "clip": "swim", "time": 0.4, "shape": "$CHARACTERS/octopus.glb"},
          {"seconds": 0.5, "pose": "rest"}]}
END
expect 0 0 '"error_at_keys"' fourier "$folder/octopus.json" -o "$folder/octopus.glb" --json
within error_at_keys 0 1e-4 octopus.glb
within targets 6 6 octopus.glb

# bad WORDS JSON: exit 1, one line that names the file and says WORDS.
bad() {
    printf '%s\n' "$2" >"$folder/bad.json"
    echo old >"$folder/bad.glb"
    expect 1 1 "$1" fourier "$folder/bad.json" -o "$folder/bad.glb"
    grep -q "$folder/\(bad.json\|none.obj\|short.obj\|far.obj\|bad.glb\): " "$folder/stderr" ||
        fail "no file in: $(cat "$folder/stderr")"
    [ "$(cat "$folder/bad.glb")" = old ] || fail "the old file is gone: $1"
}
keys='"keys": [{"seconds": 0}, {"seconds": 1, "shape": "tube0.6.obj"}]'
bad 'character: is missing' "{$keys}"
bad 'none.obj' "{\"character\": \"none.obj\", $keys}"
bad 'a sequence takes two' '{"character": "tube0.obj", "keys": [{"seconds": 0}]}'
bad 'keys\[1\].seconds: is 0' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 0}]}'
bad 'keys\[0\].seconds: is -1' '{"character": "tube0.obj", "keys": [{"seconds": -1}, {"seconds": 0}]}'
bad 'keys\[1\].clip: .*no clip of that name' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1, "clip": "x"}]}'
bad 'keys\[0\].pose: .*no node of that name' '{"character": "tube0.obj", "keys": [{"seconds": 0, "pose": {"x": {}}}, {"seconds": 1}]}'
bad 'keys\[1\].time: is that of a clip' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1, "time": 1}]}'
bad 'material.damping: is -1' "{\"character\": \"tube0.obj\", \"material\": {\"damping\": -1}, $keys}"
bad 'membrane, plate, paper' "{\"character\": \"tube0.obj\", \"material\": {\"stiffness\": \"steel\"}, $keys}"
bad 'harmonics: ' "{\"character\": \"tube0.obj\", \"harmonics\": 65, $keys}"
bad 'colour' "{\"character\": \"tube0.obj\", \"colour\": 1, $keys}"
bad 'bad.json: line ' '{"character": '
head -n 100 "$folder/tube0.obj" | grep '^v' >"$folder/short.obj"
echo 'f 1 2 3' >>"$folder/short.obj"
bad 'has 100 vertices: .*tube0.obj has 386' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1, "shape": "short.obj"}]}'
# Faces say which vertices are drawn: a shape that draws fewer has no place for the others.
{ printf 'v %d 1 0\n' $(seq 0 385); echo 'f 1 2 3'; } >"$folder/short.obj"
bad 'short.obj: vertex [0-9]* is in no face' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1, "shape": "short.obj"}]}'
bad 'keys\[1\].seconds: in the 1e-200 s .*material is out of range' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1e-200, "shape": "tube0.6.obj"}], "material": {"time": "second"}}'
bad 'time.*' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1}], "material": {"time": "minute"}}'
bad 'keys\[1\].seconds: frames up to 99999 s exceed the limit of 65536' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 99999}]}'
# Numbers that are no floats: a shape that is too far, and weights of modes that grow from join to join.
awk '/^v/ { $2 = NR % 2 "e39" } { print }' "$folder/tube0.obj" >"$folder/far.obj"
bad 'far.obj' '{"character": "tube0.obj", "keys": [{"seconds": 0}, {"seconds": 1, "shape": "far.obj"}]}'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$folder/three.obj"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n' >"$folder/turned.obj"
swings='{"seconds": 0}'
for k in $(seq 1 12); do
    swings="$swings, {\"seconds\": $k, \"shape\": \"$([ $((k % 2)) = 0 ] && echo three || echo turned).obj\"}"
done
printf '{"character": "three.obj", "keys": [%s], "harmonics": 0, "key_error": 1, "material": {"density": 1, "damping": 0, "stretch": -1e8}}\n' "$swings" >"$folder/swings.json"
for file in swings.glb swings.usda; do
    echo old >"$folder/$file"
    "$SINEW" fourier "$folder/swings.json" -o "$folder/$file" 2>"$folder/stderr" && fail "infinite weights are written"
    grep -q "$file: clip 'shapes': weights of node .*: the value is not finite" "$folder/stderr" || fail "$(cat "$folder/stderr")"
    [ "$(cat "$folder/$file")" = old ] || fail "the old file is gone: infinite weights"
done

# Frames are as many as the rate asks for, and what swings faster than frames follow is said.
swing() {
    printf '{"character": "three.obj", "harmonics": 0, %s, "keys": [{"seconds": 0}, {"seconds": %s, "shape": "turned.obj"}]}\n' \
        "$1" "$2" >"$folder/swing.json"
}
swing '"fps": 25' 100
expect 0 0 '' fourier "$folder/swing.json" -o "$folder/swing.glb" --json
within frames 2501 2501 'fps 25'
swing '"key_error": 1e-7, "material": {"density": 1, "damping": 0, "stretch": 1e8}' 1
expect 0 1 'keys\[1\].seconds: weights swing faster than frames' fourier "$folder/swing.json" -o "$folder/swing.glb" --json
within frames 2049 2049 'stretch 1e8'

# What is read is not written: the sequence, its character and its shapes, by any name.
cp "$folder/tube.glb" "$folder/own.glb"
cp "$folder/tube.glb" "$folder/mine.glb"
ln -s own.glb "$folder/link.glb"
echo '{"character": "own.glb", "keys": [{"seconds": 0}, {"seconds": 1, "shape": "mine.glb"}]}' >"$folder/own.json"
expect 1 1 'is the input .*own.glb' fourier "$folder/own.json" -o "$folder/own.glb"
expect 1 1 'is the input .*own.glb' fourier "$folder/own.json" -o "$folder/link.glb"
expect 1 1 'is the input .*mine.glb' fourier "$folder/own.json" -o "$folder/mine.glb"
cmp -s "$folder/own.glb" "$folder/tube.glb" || fail "the character is gone"

# A node with a matrix is posed by what that is made of; a sheared one cannot be.
write_matrix() {
    sed "s/MATRIX/$1/" >"$folder/matrix.gltf" <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"name": "a", "matrix": [MATRIX, 3, 0, 0, 1], "mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
}
posed='{"character": "matrix.gltf", "keys": [{"seconds": 0}, {"seconds": 1, "pose": {"a": {"translation": [7, 0, 0]}}}], "harmonics": 0}'
printf '%s\n' "$posed" >"$folder/matrix.json"
write_matrix '0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0'
expect 0 0 'off by' fourier "$folder/matrix.json" -o "$folder/matrix_out.gltf"
grep -q '"path":"translation"' "$folder/matrix_out.gltf" || fail "a matrix takes no pose"
grep -q '"scale":\[2.0*[0-9]*,' "$folder/matrix_out.gltf" || fail "a matrix is not taken apart"
write_matrix '1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0'
bad 'keys\[1\].pose.a: has a sheared matrix' "$posed"

expect 2 1 'must end in' fourier "$folder/tube.json" -o "$folder/tube.obj"
expect 2 1 '-o' fourier "$folder/tube.json"
expect 1 1 'cannot' fourier "$folder/tube.json" -o "$folder/no/such/folder.glb"
expect 1 1 '' fourier "$folder/none.json" -o "$folder/x.glb"
expect 0 0 'usage: sinew fourier' fourier --help

[ "$failures" -eq 0 ] || exit 1
