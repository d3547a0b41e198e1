#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Khronos' glTF validator finds nothing to say about the characters that the project makes: no error, warning, info or
# hint. tools/check puts it into build/npm.
set -u

modules=$SOURCE_DIR/build/npm/node_modules
if ! command -v node >/dev/null || [ ! -d "$modules/gltf-validator" ]; then
    echo "skipped: gltf-validator is not there (npm install --prefix build/npm gltf-validator)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A broken file, so that a validator that says nothing at all is seen too.
head -c 4000 "$CHARACTERS/mascot.glb" >"$folder/broken.glb"

NODE_PATH=$modules node - "$CHARACTERS" "$folder/broken.glb" <<'EOF'
const fs = require('fs');
const validator = require('gltf-validator');

async function count(path) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {maxIssues: 20});
    const {numErrors, numWarnings, numInfos, numHints} = report.issues;
    console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
    report.issues.messages.forEach(m => console.log(`  ${m.code} ${m.pointer || ''}: ${m.message}`));
    return numErrors + numWarnings + numInfos + numHints;
}

async function main(folder, broken) {
    let bad = 0;
    for (const name of ['mascot', 'octopus']) {
        bad += await count(`${folder}/${name}.glb`);
    }
    return bad === 0 && await count(broken) > 0;
}

main(process.argv[2], process.argv[3]).then(isSound => process.exit(isSound ? 0 : 1), error => { console.error(error); process.exit(1); });
EOF
