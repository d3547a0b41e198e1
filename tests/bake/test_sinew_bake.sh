#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `sinew bake` through the command: every form and file, loops, what comes back in, and bad input.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers.sh"

model=$CHARACTERS/octopus.sinew

# bake NAME LEAST_ERROR MOST_ERROR arguments...: a file, its error in between.
bake() {
    local name=$1 least=$2 most=$3
    shift 3
    expect 0 0 '"error"' bake "$model" --clip swim --seconds 0.25 -o "$folder/$name" --json "$@"
    within error "$least" "$most" "$name $*"
    within bytes "$(wc -c <"$folder/$name")" "$(wc -c <"$folder/$name")" "$name"
}

# The default key error is 1e-4; the rig alone has no other.
bake rig.glb 0 0.00013 --rig-only
within rig_error 0 0 rig.glb
bake rig.gltf 0 0.00001 --rig-only --key-error 0
bake nothing.glb 0.001 1 --targets 0
bake targets.glb 0 0.001 --targets 12
bake joints.glb 0 0.004 --joints 16
bake targets.usda 0 0.001 --targets 6
[ -s "$folder/targets.texture0.png" ] || fail "targets.usda: its picture is not beside it"
bake handles.json 0.001 1
grep -q '"format":"sinew motion","version":1' "$folder/handles.json" || fail "handles.json: not the format"

# A picture that came as JPEG leaves as it came.
photo=$SOURCE_DIR/tests/fuzz/corpus/jpeg/rgb_444.jpg
cp "$photo" "$folder/photo.jpg"
sed -E 's|\{"bufferView":[0-9]+,"mimeType":"image/png"\}|{"uri":"photo.jpg"}|g' "$folder/rig.gltf" >"$folder/photo.gltf"
expect 0 0 "" cook "$folder/photo.gltf" --vertices 1500 --modes 4 -o "$folder/photo.sinew"
expect 0 0 "" bake "$folder/photo.sinew" --clip swim --seconds 0.25 -o "$folder/photo.usda"
cmp -s "$folder/photo.texture0.jpg" "$photo" || fail "photo.usda: its picture is not the file's"
grep -q "photo.texture0.jpg" "$folder/photo.usda" || fail "photo.usda names another picture"
expect 0 0 "" bake "$folder/photo.sinew" --clip swim --seconds 0.25 -o "$folder/photo_again.glb"
grep -qa '"mimeType":"image/jpeg"' "$folder/photo_again.glb" || fail "photo_again.glb: its picture is no JPEG"

# Same call, same bytes.
bake again.glb 0 0.004 --joints 16
cmp -s "$folder/joints.glb" "$folder/again.glb" || fail "the same bake gives other bytes"

# All clips in one file: with the names and lengths of the model, and about as exact as one clip alone.
expect 0 0 '"error"' bake "$model" --clip all --seconds 0.25 --targets 12 -o "$folder/all.glb" --json
within error 0 0.001 all.glb
within error_between 0 0.001 all.glb
within frames 48 48 all.glb
[ "$(grep -c '"name"' "$folder/stdout")" -eq 3 ] || fail "all.glb: the report has not three clips: $(cat "$folder/stdout")"
"$SINEW" info "$folder/all.glb" >"$folder/stdout"
for clip in idle swim wave; do
    grep -q "clip $clip: 0.250 s" "$folder/stdout" || fail "all.glb: no clip $clip of 0.25 s: $(cat "$folder/stdout")"
done
expect 0 0 '"error"' bake "$model" --clip all --seconds 0.25 --joints 16 -o "$folder/all.gltf" --json
within error 0 0.006 all.gltf
expect 0 0 '"error"' bake "$model" --clip all --rig-only --key-error 0 -o "$folder/rigs.glb" --json
within error 0 0.00001 rigs.glb
"$SINEW" info "$folder/rigs.glb" >"$folder/stdout"
grep -q "clip swim: 1.600 s" "$folder/stdout" || fail "rigs.glb: swim is not as long as in the model: $(cat "$folder/stdout")"
expect 2 1 "--clip all: not with -o all.usda, which has one clip" bake "$model" --clip all -o all.usda
expect 2 1 "--clip all: not with -o all.json" bake "$model" --clip all -o all.json

# A loop's period is the clip's, and it is steady within a few.
expect 0 0 '"periods"' bake "$model" --clip swim --loop --damping 5 --fps 24 --targets 8 -o "$folder/loop.glb" --json
within periods 2 11 loop.glb
within period_difference 0 0.0001 loop.glb
within frames 39 40 loop.glb

# What was baked is a character again: its bones and its clip, of the same length.
expect 0 0 '' cook "$folder/joints.glb" --vertices 3000 --modes 4 -o "$folder/again.sinew"
expect 0 0 '"seconds": 0.25' info "$folder/again.sinew" --json
within bones 39 60 again.sinew

# Coupled: the bones as physics moved them, which are those of sim; the written file is played back for the error.
# transforms FILE.json: 12 numbers of a frame of a bone a line, bone by bone
transforms() {
    sed 's/"transforms":\[\[/\n&/g' "$1" | sed -n 's/^"transforms":\[\[\(.*\)\]\],*.*$/\1/p' | sed 's/\],\[/\n/g' | awk '{ gsub(",", " ") } 1'
}
# same_handles FILE.json HANDLES.npy FRAMES BONES FIRST: whether from frame FIRST on the transforms of the one are those
# of the other from its first on; and whether they move.
same_handles() {
    local header
    header=$((10 + $(od -An -t u2 -j 8 -N 2 "$2")))
    { transforms "$1" && echo handles && od -An -v -t f8 -w96 -j "$header" "$2"; } |
        awk -v frames="$3" -v bones="$4" -v first="$5" '
            $1 == "handles" { is_handles = 1; n = lines; next }
            !is_handles { for (k = 1; k <= 12; k++) baked[lines * 12 + k] = $k; lines++; next }
            { f = int(row / bones) + first; b = row % bones; row++
              for (k = 1; f < frames && k <= 12; k++) {
                  d = $k - baked[(b * frames + f) * 12 + k]; far = d > far ? d : -d > far ? -d : far
                  m = $k - baked[b * frames * 12 + k]; moved = m > moved ? m : -m > moved ? -m : moved } }
            END { exit !(n == frames * bones && row >= (frames - first) * bones && far < 1e-4 && moved > 1e-2) }'
}
coupled=(--coupled --free all --lock tail:xyzr --motion hop --gravity 0,-2,0)
write_bar "$folder/bar.mesh"
echo '{"handles": [{"name": "tail", "point": [0, 0.5, 0.5]}, {"name": "head", "point": [6, 0.5, 0.5], "stretch": true}]}' >"$folder/rig.json"
expect 0 0 '' cook "$folder/bar.mesh" --coupled --rig "$folder/rig.json" -o "$folder/bar.sinew"
expect 0 0 '' sim "$folder/bar.sinew" "${coupled[@]}" --frames 19 --dump "$folder/run"
expect 0 0 '"error"' bake "$folder/bar.sinew" "${coupled[@]}" --seconds 0.3 -o "$folder/bar.json" --json
within frames 19 19 bar.json
within error 0 0 bar.json
grep -q '"place":\[6\.0*[0-9]*,0\.5' "$folder/bar.json" || fail "bar.json: the head is not where the rig has it"
same_handles "$folder/bar.json" "$folder/run/handles.npy" 19 2 0 || fail "bar.json: other handles than sim's"
expect 0 0 '"error"' bake "$folder/bar.sinew" "${coupled[@]}" --seconds 0.3 -o "$folder/bar.glb" --json
within error 0 0.00013 bar.glb
within targets 0 0 bar.glb
# What modes a model has are not in its coupled bodies.
expect 0 0 '' cook "$folder/bar.mesh" --rig "$folder/rig.json" --modes 2 --clusters 4 -o "$folder/soft.sinew"
expect 0 0 '"error"' bake "$folder/soft.sinew" "${coupled[@]}" --seconds 0.1 -o "$folder/soft.glb" --json
within rig_error 0 0 soft.glb
within targets 0 0 soft.glb

# A body of a scene, in the scene's coordinates: its first frame is time 0, sim's is a step later.
cat >"$folder/two.json" <<'JSON'
{"seconds": 0.3, "gravity": [0, -3, 0],
 "characters": [{"shape": {"box": [0.5, 0.5, 0.5], "edge_length": 0.25}, "modes": 3, "clusters": 4,
                 "handles": [{"name": "low", "point": [0, -0.5, 0]}, {"name": "high", "point": [0, 0.5, 0]}]},
                {"path": "bar.mesh", "units": "unit", "modes": 3, "clusters": 4}],
 "bodies": [{"character": 0, "solver": "coupled", "translation": [-3, 2, 0],
             "drives": [{"bone": "low", "rotation": [0, 0, "2*t"], "locks": "all"}, {"bone": "high", "locks": "none"}]},
            {"character": 1, "count": 2, "translation": ["3*i", "sin(12*t)", 0]}]}
JSON
expect 0 0 '' sim "$folder/two.json" --dump "$folder/two" --json
for body in 0 2; do
    bones=$((body == 0 ? 2 : 1))
    expect 0 0 '"error"' bake "$folder/two.json" --body $body -o "$folder/two.json.json" --json
    within frames 19 19 "two.json, body $body"
    same_handles "$folder/two.json.json" "$folder/two/body-000$body/handles.npy" 19 $bones 1 ||
        fail "two.json: body $body has other handles than sim's"
    expect 0 0 '"error"' bake "$folder/two.json" --body $body --fps 30 -o "$folder/two.glb" --json
    within frames 10 10 "two.json, body $body, half of the frames"
    within error 0 0.0005 "two.json, body $body"
    within rig_error $((body == 0 ? 0 : 1))e-4 $((body == 0 ? 0 : 1)) "two.json, body $body"
    within targets $((body == 0 ? 0 : 1)) $((body == 0 ? 0 : 16)) "two.json, body $body"
done

# Bad input: one line that says what, and the old file stays.
echo old >"$folder/kept.glb"
old() {
    expect "$@"
    [ "$(cat "$folder/kept.glb")" = old ] || fail "${*:4}: the old file is gone"
}
out=$folder/kept.glb
old 2 1 "-o OUT.glb is missing" bake "$model"
old 2 1 "not a .glb" bake "$model" -o "$folder/kept.fbx"
old 2 1 "not both" bake "$model" --targets 2 --joints 2 -o "$out"
old 2 1 "not both" bake "$model" --clip swim --motion hop -o "$out"
old 2 1 "not with --rig-only" bake "$model" --targets 2 --rig-only -o "$out"
old 2 1 "only the rig's motion" bake "$model" --joints 2 -o "$folder/kept.json"
old 2 1 "not a multiple of 4" bake "$model" --influences 6 -o "$out"
old 2 1 "not a valid value" bake "$model" --targets 1000 -o "$out"
old 2 1 "not a valid value" bake "$model" --fps 0 -o "$out"
old 1 1 "not in this version" bake "$model" --backend gpu -o "$out"
old 1 1 "no clip is called 'fly'" bake "$model" --clip fly -o "$out"
old 1 1 "no clip is called" bake "$model" --clip "$(printf '%2000s' x)" -o "$out"
old 1 1 "nowhere.sinew" bake "$folder/nowhere.sinew" -o "$out"
old 1 1 "octopus.glb" bake "$CHARACTERS/octopus.glb" -o "$out"
old 1 1 "more than" bake "$model" --seconds 1e6 -o "$out"
old 1 1 "cannot" bake "$model" --clip swim --seconds 0.1 --rig-only -o "$folder/no/such/folder.glb"
mkdir "$folder/a@b"
old 1 1 "a@b.*: in USD, the name of a picture must not contain '@'" bake "$model" --clip swim --seconds 0.1 --rig-only -o "$folder/a@b.usda"
[ ! -e "$folder/a@b.usda" ] || fail "a@b.usda: half of it is there"
old 2 1 "--loop: not with --coupled" bake "$model" --coupled --loop -o "$out"
old 2 1 "--targets: not with --coupled" bake "$model" --coupled --targets 4 -o "$out"
old 2 1 "--free: needs --coupled" bake "$model" --free all -o "$out"
old 1 1 "it has no such bone" bake "$folder/bar.sinew" --coupled --free nose --seconds 1 -o "$out"
old 1 1 "bar.sinew: it has no modes" bake "$folder/bar.sinew" --seconds 1 -o "$out"
old 1 1 "bar.sinew: .*use --seconds" bake "$folder/bar.sinew" --coupled -o "$out"
old 2 1 "--loop: not with a scene" bake "$folder/two.json" --loop -o "$out"
old 2 1 "--gravity: not with a scene" bake "$folder/two.json" --gravity 0,1,0 -o "$out"
old 2 1 "octopus.sinew: not with a scene" bake "$model" --scene tug -o "$out"
old 2 1 "--body needs a scene" bake "$model" --body 0 -o "$out"
old 2 1 "too few arguments" bake -o "$out"
old 1 1 "two.json: --body 3: it has bodies 0 to 2" bake "$folder/two.json" --body 3 -o "$out"
old 1 1 "two.json: --fps 50: not a whole number" bake "$folder/two.json" --fps 50 -o "$out"
old 1 1 "two.json: --joints: body 0 is coupled" bake "$folder/two.json" --joints 4 -o "$out"
old 1 1 "no scene has that name" bake --scene nowhere -o "$out"

# Meshes and materials keep their names.
expect 0 0 '' bake "$model" --clip swim --seconds 0.1 --targets 4 -o "$folder/meshes.gltf"
for name in Body Eyes; do # of a node, a mesh and a material each
    [ "$(grep -o "\"name\":\"$name\"" "$folder/meshes.gltf" | wc -l)" -eq 3 ] || fail "meshes.gltf: $name is not there"
done

# A VRM needs a licence, which only a VRM has.
old 1 1 "octopus.sinew: was not cooked from a VRM, so it has no licence" bake "$model" --clip swim --seconds 0.1 -o "$folder/o.vrm"
[ ! -e "$folder/o.vrm" ] || fail "o.vrm: it is there"
if [ -f "$SHARED_DATA/rigged/Godette_vrm_v4.vrm" ]; then
    expect 0 0 '' cook "$SHARED_DATA/rigged/Godette_vrm_v4.vrm" --vertices 2500 -o "$folder/avatar.sinew"
    expect 0 0 'avatar.vrm: .*off by .*e-0[3-9] of the diagonal' bake "$folder/avatar.sinew" --clip walk --seconds 0.5 -o "$folder/avatar.vrm"
    expect 0 0 '' bake "$folder/avatar.sinew" --clip walk --seconds 0.1 --springbones ignore --targets 4 -o "$folder/springs.vrm"
    expect 0 0 'spring bones: 16' cook "$folder/springs.vrm" --vertices 2500 --modes 4 -o "$folder/again.sinew"
fi

# Arrays: a frame a step.
npy '<f8' '(1, 2, 3, 4)' "$(printf '\\0%.0s' {1..192})" >"$folder/wrong.npy" 2>/dev/null
old 1 1 "wrong.npy" bake "$model" --motion "$folder/wrong.npy" -o "$out"

[ "$failures" -eq 0 ]
