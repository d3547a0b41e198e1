#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the page of `sinew puppet --web` does without a browser, and that it is built where npm cannot bring MediaPipe.
set -u

if ! command -v node >/dev/null || ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)'; then
    echo "skipped: node 18 or later is not installed"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

node --test "$SOURCE_DIR/tests/puppet/page/" >"$folder/log" 2>&1 || { cat "$folder/log"; status=1; }
grep -q '^# pass [1-9]' "$folder/log" || { echo "FAILED: no test ran"; status=1; }

# A tree of its own, in which npm finds nothing.
mkdir -p "$folder/tools" "$folder/bin"
cp -r "$SOURCE_DIR/tools/puppet-page" "$folder/tools"
printf '#!/bin/sh\necho "npm: no network"\nexit 1\n' >"$folder/bin/npm"
chmod +x "$folder/bin/npm"
PATH=$folder/bin:$PATH "$folder/tools/puppet-page/build" "$folder/page" >"$folder/stdout" 2>"$folder/stderr" ||
    { echo "FAILED: the page is not built without npm"; status=1; }
grep -q '^warning: @mediapipe/tasks-vision [0-9.]* cannot be had' "$folder/stderr" || { echo "FAILED: no warning"; status=1; }
grep -q 'npm: no network' "$folder/stderr" || { echo "FAILED: not what npm says"; status=1; }
for file in "$SOURCE_DIR"/tools/puppet-page/*.mjs index.html style.css; do
    [ -s "$folder/page/$(basename "$file")" ] || { echo "FAILED: no $(basename "$file")"; status=1; }
done

# With what npm would have brought.
package=$folder/build/puppet-page-modules/node_modules/@mediapipe/tasks-vision
mkdir -p "$package/wasm"
version=$(sed -n 's/.*"@mediapipe\/tasks-vision": "\([0-9.]*\)".*/\1/p' "$SOURCE_DIR/tools/puppet-page/package.json")
echo "{ \"version\": \"$version\" }" >"$package/package.json"
echo "export {};" >"$package/vision_bundle.mjs"
echo wasm >"$package/wasm/vision_wasm_internal.wasm"
PATH=$folder/bin:$PATH "$folder/tools/puppet-page/build" "$folder/page" >"$folder/stdout" 2>"$folder/stderr"
[ ! -s "$folder/stderr" ] && [ -s "$folder/page/vision/vision_bundle.mjs" ] &&
    [ -s "$folder/page/vision/wasm/vision_wasm_internal.wasm" ] || { echo "FAILED: MediaPipe is not in the page"; status=1; }
exit $status
