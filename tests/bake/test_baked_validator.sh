#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Khronos' glTF validator finds no error, warning or hint in baked files; that texture coordinates of a character without
# pictures are unused is all it may remark.
set -u

modules=$SOURCE_DIR/build/npm/node_modules
if ! command -v node >/dev/null || [ ! -d "$modules/gltf-validator" ]; then
    echo "skipped: gltf-validator is not there (npm install --prefix build/npm gltf-validator)"
    exit 77
fi
. "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers.sh"

cp "$CHARACTERS/octopus.sinew" "$folder"
# bake NAME MODEL arguments...
bake() {
    expect 0 0 '' bake "$folder/$2.sinew" "${@:3}" -o "$folder/$1"
}
bake rig.glb octopus --clip wave --rig-only --seconds 0.2
bake targets.gltf octopus --clip wave --targets 8 --seconds 0.2
bake joints.glb octopus --clip wave --joints 8 --seconds 0.1
bake joints8.glb octopus --clip wave --joints 8 --influences 8 --seconds 0.1

# Others, where they are: a skeleton with a scaled armature, faces, given tets with a texture.
data=$SHARED_DATA
if [ -d "$data/rigged" ]; then
    fish=$data/tet/cd_fish
    expect 0 0 '' cook "$data/rigged/Fox.glb" --vertices 3000 --modes 6 -o "$folder/fox.sinew"
    expect 0 0 '' cook "$data/rigged/vrm1_example.vrm" --modes 6 -o "$folder/vrm.sinew"
    "$SINEW" cook "$fish/cd_fish_tex.obj" --tets "$fish/cd_fish.msh" --rig "$fish/rigs/skeleton_rig/skeleton_rig.json" \
        --clip "$fish/rigs/skeleton_rig/anim/swim.json" --modes 6 -o "$folder/fish.sinew" >/dev/null 2>&1 || fail "the fish"
    bake fox.glb fox --clip Walk --targets 8 --seconds 0.2
    bake fox_joints.glb fox --clip Walk --joints 8 --seconds 0.2
    bake vrm.glb vrm --motion hop --seconds 0.2 --targets 4
    bake avatar.vrm vrm --motion hop --seconds 0.2 --targets 4
    bake fish.glb fish --seconds 0.2
fi
# Shapes at keys, with physics between them.
cat >"$folder/shapes.json" <<END
{"character": "$CHARACTERS/octopus.glb", "harmonics": 1, "key_error": 1e-2, "fps": 10,
 "keys": [{"seconds": 0, "clip": "swim", "time": 0.1},
          {"seconds": 0.3, "pose": "rest", "shape": "$CHARACTERS/octopus.glb"}]}
END
expect 0 0 '' fourier "$folder/shapes.json" -o "$folder/shapes.glb"
# A surface that rests moved, turned and scaled: the joint that it gets has all of that.
cat >"$folder/surface.gltf" <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"translation": [1, 2, 3], "scale": [2, 2, 2], "rotation": [1, 0, 0, 0], "mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36, "target": 34962}],
 "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
printf 'v 0 0 0\nv 2 0 0\nv 0 3 1\nf 1 2 3\n' >"$folder/moved.obj"
echo '{"character": "surface.gltf", "harmonics": 0, "keys": [{"seconds": 0}, {"seconds": 1, "shape": "moved.obj"}]}' \
    >"$folder/surface.json"
expect 0 0 'off by' fourier "$folder/surface.json" -o "$folder/surface.glb"
head -c 4000 "$folder/rig.glb" >"$folder/broken.glb"

NODE_PATH=$modules node - "$folder" <<'EOS' || fail "the validator's findings"
const fs = require('fs');
const validator = require('gltf-validator');

async function count(path) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {maxIssues: 50});
    const found = report.issues.messages.filter(m => !(m.code === 'UNUSED_OBJECT' && /TEXCOORD/.test(m.pointer)) &&
        !(m.code === 'UNSUPPORTED_EXTENSION' && /VRM/.test(m.message)));
    found.forEach(m => console.log(`${path}: ${m.code} ${m.pointer || ''}: ${m.message}`));
    return found.length;
}

async function main(folder) {
    let bad = 0, seen = 0;
    for (const name of fs.readdirSync(folder)) {
        if (/\.(glb|gltf|vrm)$/.test(name) && !/broken/.test(name)) {
            bad += await count(`${folder}/${name}`);
            ++seen;
        }
    }
    return bad === 0 && seen >= 4 && await count(`${folder}/broken.glb`) > 0;
}

main(process.argv[2]).then(isSound => process.exit(isSound ? 0 : 1), error => { console.error(error); process.exit(1); });
EOS
[ "$failures" -eq 0 ]
