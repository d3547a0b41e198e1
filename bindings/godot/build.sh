#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a Godot project in build/godot-project: the add-on in addons/sinew, a demo, and the demo's character where the
# command `sinew` is built.
#   bindings/godot/build.sh [FOLDER [SYSTEM...]]    another folder; other systems than linux.x86_64: linux.arm64,
#                                                   windows.x86_64 (docs/how-to/build-for-other-systems.md)
# Environment: GODOT, the engine's program (default: godot); SINEW, the command (default: build/release/sinew).
set -euo pipefail
cd "$(dirname "$0")/../.."
project=${1:-build/godot-project}
systems=("${@:2}")
if [ ${#systems[@]} -eq 0 ]; then systems=(linux.x86_64); fi
sinew=$(realpath -m "${SINEW:-build/release/sinew}")
mkdir -p "$project/addons"
project=$(realpath "$project")
cp -r bindings/godot/addon/sinew "$project/addons"
cp -r bindings/godot/{demo,tests,project.godot} "$project"
cp LICENSE bindings/godot/README.md "$project/addons/sinew"

work=$project/.build # hidden from the engine
mkdir -p "$work"
touch "$work/.gdignore"
if [ ! -e "$work/gdextension_interface.h" ]; then
    (cd "$work" && "${GODOT:-godot}" --headless --dump-gdextension-interface >godot.log 2>&1) ||
        { cat "$work/godot.log"; echo "error: ${GODOT:-godot} wrote no gdextension_interface.h" >&2; exit 1; }
fi

for system in "${systems[@]}"; do
    suffix=so
    if [ "$system" = windows.x86_64 ]; then suffix=dll; fi
    bindings/bridge/build.sh "$system" "$(echo bindings/godot/source/*.c)" \
        "$project/addons/sinew/libsinew_godot.$system.$suffix" -isystem "$work"
done

if [ -x "$sinew" ] && [ ! -e "$project/characters/mascot.sinew" ]; then
    mkdir -p "$project/characters"
    "$sinew" characters "$work/characters"
    cp "$work/characters/mascot.glb" "$project/characters"
    "$sinew" cook "$project/characters/mascot.glb" -o "$project/characters/mascot.sinew"
fi
