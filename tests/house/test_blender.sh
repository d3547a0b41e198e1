#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Blender add-on in a real Blender: it cooks a character, previews its flesh as the library computes it, paints, tunes
# and bakes.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"
# shellcheck source=tests/house/platforms/sid.sh
. "$(dirname "$0")/platforms/sid.sh"

skip_unless debootstrap python3
need_in_sid "${sid_blender_packages[@]}"
folder=$(mktemp -d "$host/tmp/blender.XXXXXX")
trap 'rm -rf "$work" "$folder"' EXIT
inside=${folder#"$host"}
"$root/bindings/blender/build.sh" "$folder/package" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }
cp "$root/bindings/blender/tests/test_blender.py" "$CHARACTERS/mascot.glb" "$folder"

# The command, with the libraries of this system.
mkdir "$folder/lib" "$folder/bin"
ldd "$SINEW" | grep -o '/[^ ]*' | xargs -I{} cp -L {} "$folder/lib"
cp "$SINEW" "$folder/lib/sinew"
loader=$(ldd "$SINEW" | grep -o '/[^ ]*/ld-linux[^ ]*')
cat >"$folder/bin/sinew" <<SCRIPT
#!/bin/sh
exec $inside/lib/$(basename "$loader") --library-path $inside/lib $inside/lib/sinew "\$@"
SCRIPT
chmod +x "$folder/bin/sinew"

in_sid "$folder" env PATH="$inside/bin:$PATH" HOME="$inside" TMPDIR="$inside" blender --background --python-exit-code 1 \
    --python test_blender.py -- "$inside" mascot.glb >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: the script ended with an error" >&2; exit 1; }
grep '^RESULT ' "$work/log" | cut -d' ' -f2- >"$work/result.json"
cat "$work/result.json"
python3 - "$work/result.json" <<'CHECK'
import json, sys
r = json.load(open(sys.argv[1]))
expected = {
    "the model has parts": r["parts"] > 3,
    "every vertex is in the model": r["unmatched"] == 0,
    "Blender draws what the library computes": r["error"] < 1e-5,
    "the flesh moves": r["displacement"] > 0.005,
    "painted amplitude 0 stops it": r["painted"] == 0,
    "the preview leaves no shape key": r["keys_left"] == 0,
    "the bake is as exact as asked": r["baked_error"] < 6e-4,
    "a larger error needs fewer keys": 0 < r["coarse_keys"] < r["keys"] < 40,
    "a bake to joints adds some": 4 <= r["joints"] <= 40,
    "and moves the skin likewise": r["joints_error"] < 0.01,
    "the command tunes the belly": abs(r["tuned"] - 0.7) < 0.1,
    "a missing command is named": "sinew: No such file" in r["missing"],
}
wrong = [text for text, is_so in expected.items() if not is_so]
print("\n".join(f"FAIL: not so: {text}" for text in wrong))
sys.exit(bool(wrong))
CHECK
