#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The floor under a small character: who gets one, and that its flesh stays above.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# cook: ball.obj to model.sinew
cook() {
    "$SINEW" cook "$folder/ball.obj" --modes 6 --vertices 2000 -o "$folder/model.sinew" >"$folder/stdout" 2>"$folder/stderr" ||
        fail "it does not cook: $(cat "$folder/stderr")"
}

# A soft ball that hops in heavy weather.
# hop ARGUMENT...
hop() {
    "$SINEW" sim "$folder/model.sinew" --frames 90 --motion hop --stiffness .5 --gravity 0,-9.81,0 --gravity-rest --json "$@" \
        >"$folder/stdout" 2>"$folder/stderr" || fail "sim $*: $(cat "$folder/stderr")"
    within recoveries 0 0 "sim $*"
    within displacement_max 0.01 0.15 "sim $*"
}

write_ball 0 "$folder/ball.obj"

cook
hop
within ground_penetration_max 1e-9 0.001 "a floor of its own"
landed=$(number displacement_max)
hop --floor auto
within ground_penetration_max 1e-9 0.001 "--floor auto"
[ "$(number displacement_max)" = "$landed" ] || fail "--floor auto is not what it does by itself"
hop --floor none
within ground_penetration_max 0 0 "--floor none"
[ "$(number displacement_max)" != "$landed" ] || fail "--floor none has one"
floating=$(number displacement_max)
hop --floor -100
within ground_penetration_max 0 0 "a floor far below"
[ "$(number displacement_max)" = "$floating" ] || fail "a floor far below is felt"
hop --floor -1 # the lowest point, in the input's units
within ground_penetration_max 1e-9 0.001 "--floor -1"

echo '{"floor": false}' >"$folder/ball.sinew.json"
cook
hop
within ground_penetration_max 0 0 "a sidecar without a floor"
[ "$(number displacement_max)" = "$floating" ] || fail "\"floor\": false has one"
echo '{"floor": 3}' >"$folder/ball.sinew.json"
"$SINEW" cook "$folder/ball.obj" -o "$folder/model.sinew" >"$folder/stdout" 2>"$folder/stderr"
[ $? -eq 1 ] || fail "\"floor\": 3 is taken"
[ "$(wc -l <"$folder/stderr")" -eq 1 ] && grep -q "floor: must be true or false" "$folder/stderr" ||
    fail "\"floor\": 3: $(cat "$folder/stderr")"

# Our own two, whose flesh is thin in places: they lie on the ground, and in it, without being torn.
# stand NAME MOST_STRETCH ARGUMENT...
stand() {
    "$SINEW" sim "$CHARACTERS/$1.sinew" --frames 120 --json "${@:3}" >"$folder/stdout" 2>"$folder/stderr" ||
        fail "sim $*: $(cat "$folder/stderr")"
    within recoveries 0 0 "$*"
    within edge_stretch_max 1 "$2" "$*"
    within ground_penetration_max 0 0.006 "$*"
    within displacement_max 0 0.15 "$*"
}
stand octopus 2 --gravity 0,-9.8,0 --gravity-rest
stand mascot 2 --floor 0
stand mascot 2 --floor 0 --motion clip:walk
stand mascot 2 --floor 0 --motion clip:jump
stand mascot 4 --floor 0.05

# Feet in the ground, at 30 steps a second: once they have come out nothing shivers.
"$SINEW" sim "$CHARACTERS/mascot.sinew" --floor 0.02 --dt 0.0333 --gravity 0,-9.8,0 --gravity-rest --damping 2 --frames 90 \
    --dump "$folder/still" >"$folder/stdout" 2>"$folder/stderr" || fail "feet in the ground: $(cat "$folder/stderr")"
bytes=$(stat -c %s "$folder/still/positions.npy")
frame=$((bytes / 90 / 24 * 24))
tail -c $((2 * frame)) "$folder/still/positions.npy" | od -A n -v -t f8 -w8 | awk -v count=$((frame / 8)) '
    NR <= count { before[NR] = $1 }
    NR > count { moved = $1 - before[NR - count]; most = moved > most ? moved : -moved > most ? -moved : most }
    END { exit !(NR == 2 * count && most < 1e-4) }' || fail "feet in the ground shiver"

[ "$failures" -eq 0 ]
