#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Khronos' glTF validator finds nothing to remark in blendshapes: of a cycle, with and without normals, in text.
set -u

modules=$SOURCE_DIR/build/npm/node_modules
if ! command -v node >/dev/null || [ ! -d "$modules/gltf-validator" ]; then
    echo "skipped: gltf-validator is not there (npm install --prefix build/npm gltf-validator)"
    exit 77
fi
. "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers.sh"

expect 0 0 '' spacetime --demo stretch -o "$folder/stretch.glb"
expect 0 0 '' spacetime --demo twist -o "$folder/twist.gltf"
write_ball 0 "$folder/ball.obj"
echo '{"surface": "ball.obj", "vertices": 100, "keys": [{}, {"hold": false, "duration": 0}, {"hold": false}, {}]}' \
    >"$folder/ball.json"
expect 0 0 '' spacetime "$folder/ball.json" -o "$folder/ball.glb"
head -c 4000 "$folder/stretch.glb" >"$folder/broken.glb"

NODE_PATH=$modules node - "$folder" <<'EOS' || fail "the validator's findings"
const fs = require('fs');
const validator = require('gltf-validator');

async function count(path) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {maxIssues: 50});
    report.issues.messages.forEach(m => console.log(`${path}: ${m.code} ${m.pointer || ''}: ${m.message}`));
    return report.issues.messages.length;
}

async function main(folder) {
    let bad = 0;
    for (const name of ['stretch.glb', 'twist.gltf', 'ball.glb']) {
        bad += await count(`${folder}/${name}`);
    }
    return bad === 0 && await count(`${folder}/broken.glb`) > 0;
}

main(process.argv[2]).then(isSound => process.exit(isSound ? 0 : 1), error => { console.error(error); process.exit(1); });
EOS
[ "$failures" -eq 0 ]
