#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A character moved by a sender on the loopback and by a recorded face: pictures, the report, the session as a motion;
# and what is refused before anything else is done.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

model=$CHARACTERS/mascot.sinew
picture="--headless --size 48x36"

# ---- somebody who walks ----

# shellcheck disable=SC2086
"$SINEW" puppet "$model" --listen 127.0.0.1:0 $picture --frames 30 --out "$folder/walk" \
    --capture "$folder/walk.vrma" --json >"$folder/report" 2>"$folder/says" &
puppet=$!
port=
for ((i = 0; i < 400; ++i)); do
    port=$(sed -n 's/^note: VMC: listens on 127.0.0.1:\([0-9]*\)$/\1/p' "$folder/says")
    [ -n "$port" ] && break
    sleep .05
done
[ -n "$port" ] || fail "puppet does not say where it listens: $(cat "$folder/says")"
"$BINARY_DIR/tests/vmc_walk" "$port" 60 &
sender=$!
expect 1 1 "127.0.0.1:$port: cannot listen: the port is taken by another program" puppet absent.sinew --listen "$port"
wait "$puppet" || fail "puppet failed: $(cat "$folder/says")"
kill "$sender"
wait "$sender" 2>/dev/null
cp "$folder/report" "$folder/stdout"
[ -f "$folder/walk/frame-0029.png" ] || fail "there are no pictures"
within frames 30 30 "puppet --json"
within captured_frames 30 30 "puppet --json"
within tracked_frames 1 30 "puppet --json"
within packets 9 1e6 "puppet --json"
for cause in malformed nested address arguments bone number; do
    within $cause 0 0 "puppet --json"
done
for bone in hips spine leftLowerArm rightUpperLeg; do
    grep -q "\"$bone\"" "$folder/stdout" || fail "puppet --json: $bone is not among the bones that were tracked"
done
expect 0 0 "a humanoid" info "$folder/walk.vrma"
expect 0 0 "expression blinkLeft" info "$folder/walk.vrma"
expect 0 1 "no namesake in .*: blinkLeft" sim "$model" --motion "$folder/walk.vrma" --frames 3

# shellcheck disable=SC2086
expect 0 2 "vmc: nothing came: does a sender send to 127.0.0.1:" puppet "$model" --listen 0 $picture --frames 1 \
    --out "$folder/none"

# ---- a recorded face ----

{
    echo "Timecode,BlendShapeCount,EyeBlinkLeft,JawOpen,HeadYaw"
    for ((i = 0; i < 30; ++i)); do
        echo "10:00:00:$((30 + i)).5,53,0.$((i % 10)),0.$((9 - i % 10)),0.$i"
    done
} >"$folder/face.csv"
for run in first second; do
    # shellcheck disable=SC2086
    expect 0 0 "frames of 48 x 36" puppet "$model" --face "$folder/face.csv" --motion hop $picture --frames 8 \
        --out "$folder/$run"
done
for ((i = 0; i < 8; ++i)); do
    cmp -s "$folder/first/frame-$(printf %04d $i).png" "$folder/second/frame-$(printf %04d $i).png" ||
        fail "frame $i of a recorded face is another one in the second run"
done
cmp -s "$folder/first/frame-0000.png" "$folder/first/frame-0007.png" && fail "nothing moves"

# ---- what is refused ----

sed '5s/0\.[0-9]*$/x/' "$folder/face.csv" >"$folder/bad.csv"
expect 1 1 "bad.csv: line 5: column 5: 'x' is no number" puppet absent.sinew --face "$folder/bad.csv"
expect 1 1 "absent.csv" puppet absent.sinew --face "$folder/absent.csv"
expect 2 1 "far:1: no address to listen on" puppet absent.sinew --listen far:1
expect 2 1 "--capture walk.bvh: not a .vrma" puppet absent.sinew --capture walk.bvh
expect 2 1 "puppet: too few arguments: a model or a file" puppet
expect 2 1 "puppet: --out needs --headless" puppet "$model" --out "$folder/none"
expect 2 1 "unknown option" puppet "$model" --scene flag

[ "$failures" -eq 0 ]
