#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the add-on in build/blender-package: sinew_flesh, and sinew_flesh.zip, which Blender installs from disk.
#   bindings/blender/build.sh [FOLDER [SYSTEM...]]    another folder; other systems than linux.x86_64: windows.x86_64
#                                                     (docs/how-to/build-for-other-systems.md)
set -euo pipefail
cd "$(dirname "$0")/../.."
package=${1:-build/blender-package}
systems=("${@:2}")
if [ ${#systems[@]} -eq 0 ]; then systems=(linux.x86_64); fi
mkdir -p "$package/sinew_flesh/lib"
cp bindings/blender/sinew_flesh/*.{py,toml} LICENSE bindings/blender/README.md "$package/sinew_flesh"
for system in "${systems[@]}"; do
    name=libsinew_bridge.so
    if [ "$system" = windows.x86_64 ]; then name=sinew_bridge.dll; fi
    bindings/bridge/build.sh "$system" bindings/bridge/bridge.c "$package/sinew_flesh/lib/$name"
done
cd "$package"
rm -f sinew_flesh.zip
python3 -m zipfile -c sinew_flesh.zip sinew_flesh
