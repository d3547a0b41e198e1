#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew bench believable: figures and verdicts of a small character, failures, and wrong arguments.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

"$SINEW" characters "$folder" >"$folder/none" || fail "characters"
"$SINEW" cook "$folder/mascot.glb" --vertices 800 -o "$folder/mascot.sinew" >"$folder/none" || fail "cook"

# a character that fails does not stop the others
expect 0 0 "^goals met: [0-9]* of [1-9]" bench believable "$folder/absent.glb" "$folder/mascot.sinew" --clips 0 --bones
for motion in walk idle jump dash shake turn "turn in gravity" "rest in gravity"; do
    grep -q "^  $motion  " "$folder/stdout" || fail "no row for $motion"
done
[ "$(grep -c "^  walk " "$folder/stdout")" -eq 1 ] || fail "the walk is not measured once"
grep -q " body  mass " "$folder/stdout" || fail "--bones lists no bones"
grep -q "absent.glb: cannot open" "$folder/stdout" || fail "no reason why absent.glb failed"

expect 0 0 '"failure": ".*absent.glb' bench believable "$folder/absent.glb" "$folder/mascot.sinew" --clips 0 --json
[ "$(number bone_count)" = 22 ] || fail "bone_count"
for figure in p90 skin_p90 max stretch inverted_frames after_half_second after_two_seconds sag step_ms iterations; do
    grep -q "\"$figure\": [0-9]" "$folder/stdout" || fail "no number for $figure"
done
grep -q '"full_error": [0-9]' "$folder/stdout" && fail "compared with the full space without --full-space"
within height 1.02 1.03 "the mascot's height"

expect 1 1 "absent.glb: cannot open" bench believable "$folder/absent.glb"
printf 'no mesh' >"$folder/bad.glb"
expect 1 1 "bad.glb" bench believable "$folder/bad.glb" --json

expect 2 1 "valid value" bench believable --clips -1
expect 2 1 "\-\-rig: does not apply" bench believable "$folder/mascot.sinew" --rig x.json
expect 2 1 "\-\-backend: does not apply" bench believable "$folder/mascot.sinew" --backend gpu
expect 2 1 "\-\-threads: does not apply" bench believable "$folder/mascot.sinew" --threads 4
expect 2 1 "apply to believable only" bench modes --bones
expect 2 1 "apply to believable only" bench all --full-space
expect 2 1 "too many arguments" bench reduced a.sinew b.sinew

# the test motions are motions of the other verbs, too
expect 0 0 '"recoveries": 0' sim "$folder/mascot.sinew" --frames 5 --motion jump --json
expect 1 1 "no motion" sim "$folder/mascot.sinew" --frames 5 --motion leap

[ "$failures" -eq 0 ]
