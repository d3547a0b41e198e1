#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What changes in the midst of a scene file: parameters, bones, colliders; and edits that cannot be, which have a line
# each while the body goes on.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

bar='"characters": [{"name": "bar", "shape": {"outline": [[-1,-0.2],[1,-0.2],[1,0.2],[-1,0.2]], "angular": true,
  "edge_length": 0.1}, "young": 400, "density": 1,
  "handles": [{"name": "left", "point": [-0.8, 0]}, {"name": "right", "point": [0.8, 0]}]}]'
left='{"name": "left", "point": [-0.8, 0]}'

# write EVENTS: a bar that is held by its left end for a second and a half
write() {
    cat >"$folder/bar.json" <<JSON
{"seconds": 1.5, "gravity": [0, -1, 0], $bar,
 "bodies": [{"character": "bar", "solver": "coupled", "damping": 2, "rigid_damped": true, "locks": "none",
   "drives": [{"bone": "left", "locks": "all"},
              {"bone": "right", "locks": "none"}]}],
 "colliders": [{"shape": "box", "half_extents": [5, 0.1, 5], "translation": [0, -0.7, 0]}],
 "events": [$1]}
JSON
}

# differs NAME EVENT: from the run without events
write ''
expect 0 0 '"recoveries": 0' sim "$folder/bar.json" --json --dump "$folder/plain"
plain=$(cksum <"$folder/plain/positions.npy")
differs() {
    write "$2"
    expect 0 0 '"recoveries": 0' sim "$folder/bar.json" --json --dump "$folder/other"
    [ "$(cksum <"$folder/other/positions.npy")" != "$plain" ] || fail "$1 changes nothing"
    within edge_stretch_max 0.9 3 "$1"
}
differs mass '{"at": 0.5, "mass": 4}'
differs stiffness '{"at": 0.5, "stiffness": 4}'
differs poisson '{"at": 0.5, "poisson": 0.1}'
differs lame '{"at": 0.5, "lame": [300, 400]}'
differs compliance '{"at": 0.5, "compliance": 1e-4}'
differs "compliance of a bone" '{"at": 0.5, "bone": "right", "compliance": 1e-4}'
differs damping '{"at": 0.5, "damping": 12}'
differs gravity '{"at": 0.5, "gravity": [0, 1, 0]}'
differs wind '{"at": 0.5, "wind": [0, 3, 0]}'
differs substeps '{"at": 0.5, "substeps": 30, "sweeps": 2}'
differs locks '{"at": 0.5, "bone": "right", "locks": "xy"}'
differs release '{"at": 0.5, "bone": "left", "locks": "none"}'
differs "a handle more" '{"at": 0.5, "handles": ['"$left"', {"name": "new", "point": [0, 0]}, {"name": "right", "point": [0.8, 0]}]}'
differs "a handle less" '{"at": 0.5, "handles": ['"$left"']}'
differs "a handle elsewhere" '{"at": 0.5, "handles": ['"$left"', {"name": "right", "point": [0.4, 0]}]}'
differs "a cage" '{"at": 0.5, "handles": ['"$left"', {"name": "loop", "cage": [[-0.2,-0.24],[1.06,-0.24],[1.06,0.24],[-0.2,0.24]],
    "edges": [[0,1],[1,2],[2,3],[3,0]]}]}'
# reduced flesh has no gravity in the bind pose, unless gravity_rest is true
for gravity in false true; do
    cat >"$folder/rest.json" <<JSON
{"seconds": 0.5, "gravity": [0, -1, 0], $bar, "bodies": [{"character": "bar", "gravity_rest": $gravity}]}
JSON
    expect 0 0 '"recoveries": 0' sim "$folder/rest.json" --json
    if [ "$gravity" = true ]; then
        within displacement_max 1e-6 0.5 "gravity at rest"
    else
        within displacement_max 0 1e-9 "no gravity at rest"
    fi
done
# mass alone is stiffness the other way round
write '{"at": 0.5, "mass": 4}'
expect 0 0 "" sim "$folder/bar.json" --dump "$folder/mass"
write '{"at": 0.5, "stiffness": 0.25}'
expect 0 0 "" sim "$folder/bar.json" --dump "$folder/soft"
cmp -s "$folder/mass/positions.npy" "$folder/soft/positions.npy" || fail "four times the mass is not a fourth of the stiffness"
# without its floor, and with it again, a bar that is let go falls through
write '{"at": 0.1, "bone": "left", "locks": "none"}, {"at": 0.2, "collider": 0, "present": false}'
expect 0 0 "" sim "$folder/bar.json" --dump "$folder/fallen"
write '{"at": 0.1, "bone": "left", "locks": "none"}, {"at": 0.2, "collider": 0, "friction": 0}'
expect 0 0 "" sim "$folder/bar.json" --dump "$folder/lies"
cmp -s "$folder/fallen/positions.npy" "$folder/lies/positions.npy" && fail "a collider that has gone is there"

# edits that cannot be: one line, the body goes on as without them
# goes_on PATTERN EVENT
goes_on() {
    write "$2"
    expect 0 1 "^warning: .*bar.json: events\[0\]: $1" sim "$folder/bar.json" --json --dump "$folder/other"
    [ "$(cksum <"$folder/other/positions.npy")" = "$plain" ] || fail "$1: the body does not go on"
}
write '{"at": 0.5, "stiffness": -1}'
expect 0 1 "^warning: .*bar.json: bodies\[0\]: stiffness -1: out of range" sim "$folder/bar.json" --json
goes_on ".*'x': lies outside" '{"at": 0.5, "handles": ['"$left"', {"name": "x", "point": [0, 3]}]}'
goes_on ".*nearest vertex" '{"at": 0.5, "handles": ['"$left"', {"name": "x", "point": [-0.8, 0]}]}'
goes_on ".*a cage must not cross itself" '{"at": 0.5, "handles": ['"$left"', {"name": "bow",
    "cage": [[-0.5,-0.2],[0.5,0.2],[0.5,-0.2],[-0.5,0.2]], "edges": [[0,1],[1,2],[2,3],[3,0]]}]}'
goes_on "handles\[1\]: a number is not finite, or the radius is negative" '{"at": 0.5, "handles": ['"$left"', {"name": "x", "bone": [[0, 0], [0.3, 0]], "radius": -1}]}'
# far away, a target is not followed
cat >"$folder/far.json" <<JSON
{"seconds": 1, $bar, "bodies": [{"character": "bar", "solver": "coupled", "damping": 2, "locks": "none",
   "drives": [{"bone": "left", "locks": "all", "translation": [{"keys": [[0.49, 0], [0.5, 1e30]], "ease": "step"}, 0, 0]}]}]}
JSON
"$SINEW" sim "$folder/far.json" --json --dump "$folder/far" >"$folder/stdout" 2>"$folder/stderr" || fail "a target far away ends the run"
grep -q "body 1: the new pose" "$folder/stderr" || fail "a target far away has no line: $(cat "$folder/stderr")"
within displacement_max 0 0.5 "a target far away"

# what is wrong with the file is refused before anything moves
bad() {
    write "$2"
    expect 1 1 "bar.json: $1" sim "$folder/bar.json"
}
bad "events\[0\].at: " '{"mass": 2}'
bad "events\[0\].masss: is an unknown key" '{"at": 0, "masss": 2}'
bad "events\[0\].body: " '{"at": 0, "body": 3}'
bad "events\[0\].collider: " '{"at": 0, "collider": 1, "present": false}'
bad "events\[0\].locks: are of a bone" '{"at": 0, "locks": "x"}'
bad "events\[0\].at: must be 0 or later" '{"at": -1, "mass": 2}'
bad "events\[0\].bone: no bone is named 'rihgt'" '{"at": 0, "bone": "rihgt", "locks": "x"}'
bad "events\[0\].friction: must be 0 or more" '{"at": 0, "collider": 0, "friction": -1}'
bad "events\[0\]: a coupled body has no amount" '{"at": 0, "amount": 2}'
bad "events\[0\].lame" '{"at": 0, "lame": [1, 0]}'
bad "events\[0\].handles: must be a list" '{"at": 0, "handles": []}'
write '{"at": 0.5, "handles": ['"$left"']}'
expect 1 1 "an event gives it other bones" bake "$folder/bar.json" --body 0 -o "$folder/bar.glb"

cat >"$folder/reduced.json" <<JSON
{$bar, "bodies": [{"character": "bar"}], "events": [{"at": 0, "mass": 2}]}
JSON
expect 1 1 "events\[0\]: a reduced body has no mass" sim "$folder/reduced.json"

[ "$failures" -eq 0 ]
