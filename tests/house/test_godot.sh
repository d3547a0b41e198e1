#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Godot add-on in a real Godot: imported characters get flesh, steps give the same numbers as here, and both renderers
# draw what the library computes. Uses the mascot, and two other characters where the shared data is present.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"
# shellcheck source=tests/house/platforms/sid.sh
. "$(dirname "$0")/platforms/sid.sh"

skip_unless debootstrap python3
need_in_sid "${sid_godot_packages[@]}"
project=$(mktemp -d "$host/tmp/project.XXXXXX")
trap 'rm -rf "$work" "$project"' EXIT
inside=${project#"$host"}

# The program, as build.sh calls it, in the folder where it is.
cat >"$work/godot" <<SCRIPT
#!/bin/sh
exec chroot "$host" sh -c 'cd "\$1" && shift && exec godot "\$@"' sh "\${PWD#$host}" "\$@"
SCRIPT
chmod +x "$work/godot"
GODOT="$work/godot" SINEW="$SINEW" "$root/bindings/godot/build.sh" "$project" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }
"${CC:-cc}" -std=c17 -O2 -I"$root/include" "$root/tests/house/platforms/largest_mode.c" "$build/libsinew.a" -lm \
    -lpthread -o "$work/here"
cp "$root/tests/golden/bar.sinew" "$project"
names=(mascot)
for name in CesiumMan:glb vrm1_example:vrm; do
    file=${SHARED_DATA:-/nonexistent}/rigged/${name/:/.}
    if [ -e "$file" ]; then
        name=${name%:*}
        names+=("$name")
        cp "$file" "$project/characters/$name.glb"
        "$SINEW" cook "$file" -o "$project/characters/$name.sinew" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    fi
done

# play LIMIT DISPLAY COMMAND...: what tests/test.gd prints; DISPLAY is headless or a rendering method.
play() {
    local command=(godot --audio-driver Dummy --resolution 480x480 --rendering-method "$2")
    if [ "$2" = headless ]; then
        command=(godot --headless)
    else
        command=(xvfb-run -a -s '-screen 0 1024x768x24' "${command[@]}")
    fi
    in_sid "$project" env HOME="$inside" TMPDIR="$inside" timeout "$1" "${command[@]}" \
        --script res://tests/test.gd -- "${@:3}" >"$work/play.log" 2>&1 || true
    if ! grep '^RESULT ' "$work/play.log" | cut -d' ' -f2- >"$work/result.json" || [ ! -s "$work/result.json" ]; then
        cat "$work/play.log"
        echo "FAIL: $*: no result" >&2
        exit 1
    fi
}
# expect EXPRESSION: of r, the result, and expected numbers as text
expect() {
    echo "$(cat "$work/result.json")   $1"
    if ! python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
        "$work/result.json" "$1"; then
        cat "$work/play.log"
        echo "FAIL: not so: $1" >&2
        exit 1
    fi
}

(cd "$project" && "$work/godot" --headless --import) >"$work/log" 2>&1 || true
if grep -qE 'SCRIPT ERROR|sinew:|Parse Error' "$work/log"; then
    cat "$work/log"
    echo "FAIL: the project is not imported without errors" >&2
    exit 1
fi
play 60 headless clip res://characters/mascot.sinew
expect "'%.10g' % r['largest'] == '$("$work/here" "$project/characters/mascot.sinew")'"
play 60 headless refuse res://characters/mascot.glb res://bar.sinew
expect "r['attached'] is False"
grep -q 'no vertex of "mascot" is in the model' "$work/play.log"
for renderer in gl_compatibility forward_plus; do
    for name in "${names[@]}"; do
        # The engine's normals leave out how the bones' weights vary, which turns them by degrees where joints bend. The
        # VRM has no animation.
        case $name in vrm1_example) degrees=0.1 ;; *) degrees=4 ;; esac
        play 200 "$renderer" compare "res://characters/$name.glb" 1
        expect "r['error'] < 2e-4 and r['normal_error'] < $degrees and r['unmatched'] == 0 and r['moved'] > 0.01"
    done
    play 200 "$renderer" compare res://characters/mascot.glb 2.5
    expect "r['error'] < 2e-4 and r['normal_error'] < 4 and r['compared'] > 10000"
    play 200 "$renderer" draw res://characters/mascot.glb "$inside/$renderer"
    expect "r['detached'] < 50 and r['flesh'] > 2000 and r['displacement'] > 20000"
done
play 200 headless crowd res://characters/mascot.glb 20 ""
expect "r['attached'] == 20"
