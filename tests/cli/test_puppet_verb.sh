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
listens() {
    port=$(sed -n 's/^note: VMC: listens on 127.0.0.1:\([0-9]*\)$/\1/p' "$folder/says")
    [ -n "$port" ]
}
await "$puppet" listens || fail "puppet does not say where it listens: $(cat "$folder/says")"
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
expect 0 1 "no counterpart of the same name in .*: blinkLeft" sim "$model" --motion "$folder/walk.vrma" --frames 3

# ---- ended from outside ----

# Of a shell that does not control jobs, what runs in the background ignores SIGINT.
for signal in INT TERM; do
    set -m
    # shellcheck disable=SC2086
    "$SINEW" puppet "$model" --listen 127.0.0.1:0 $picture --frames 100000 --out "$folder/$signal" \
        --capture "$folder/$signal.vrma" --json >"$folder/stdout" 2>"$folder/stderr" &
    puppet=$!
    set +m
    await "$puppet" test -f "$folder/$signal/frame-0002.png"
    kill -"$signal" "$puppet"
    wait "$puppet" || fail "SIG$signal: exit code $?: $(cat "$folder/stderr")"
    grep -q "^note: ended by a signal after [1-9][0-9]* of 100000 frames$" "$folder/stderr" || fail "SIG$signal is not told"
    one_object "puppet --json, ended by SIG$signal"
    count=$(number frames)
    within frames 3 99999 "SIG$signal"
    within captured_frames "$count" "$count" "SIG$signal"
    [ "$(find "$folder/$signal" -name '*.png' | wc -l)" -eq "$count" ] || fail "SIG$signal: not $count pictures"
    [ -z "$(find "$folder" -name '*.tmp')" ] || fail "SIG$signal: a temporary file is left"
    expect 0 0 "a humanoid" info "$folder/$signal.vrma"
done

# shellcheck disable=SC2086
expect 0 2 "vmc: no data received: does a sender send to 127.0.0.1:" puppet "$model" --listen 0 $picture --frames 1 \
    --out "$folder/none"
# Arms hang where nobody moves them; or are as the model rests.
# shellcheck disable=SC2086
expect 0 2 "vmc: no data received" puppet "$model" --listen 0 $picture --frames 1 --out "$folder/rest" --rest-pose
cmp -s "$folder/none/frame-0000.png" "$folder/rest/frame-0000.png" && fail "arms do not hang"

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
expect 1 1 "bad.csv: line 5: column 5: 'x' is not a number" puppet absent.sinew --face "$folder/bad.csv"
expect 1 1 "absent.csv" puppet absent.sinew --face "$folder/absent.csv"
expect 2 1 "far:1: not an address to listen on" puppet absent.sinew --listen far:1
# A session is not lost: what cannot be written is said before it, and what fails within it keeps what there is.
expect 1 1 "absent/walk.vrma: cannot write" puppet absent.sinew --face "$folder/face.csv" \
    --capture "$folder/absent/walk.vrma"
mkdir -p "$folder/broken/frame-0003.png"
# shellcheck disable=SC2086
expect 1 1 "frame-0003.png" puppet "$model" --face "$folder/face.csv" $picture --frames 8 --out "$folder/broken" \
    --capture "$folder/broken.vrma"
expect 0 0 "expression jawOpen" info "$folder/broken.vrma"
cp "$folder/walk.vrma" "$folder/kept.vrma"
ln "$folder/kept.vrma" "$folder/linked.vrma"
expect 2 1 "linked.vrma: is the input .*kept.vrma" puppet "$model" --face "$folder/face.csv" \
    --motion "$folder/kept.vrma" --capture "$folder/linked.vrma"
cp "$folder/face.csv" "$folder/face.vrma"
expect 2 1 "face.vrma: is the input" puppet "$model" --face "$folder/face.vrma" --capture "$folder/face.vrma"
expect 1 1 "absent.csv" puppet absent.sinew --face "$folder/absent.csv" --capture "$folder/kept.vrma"
cmp -s "$folder/walk.vrma" "$folder/kept.vrma" || fail "a capture that did not begin replaced a file"
[ -z "$(find "$folder" -name '*.tmp')" ] || fail "a temporary file of a capture is left"
mkfifo "$folder/pipe.vrma"
expect 1 1 "pipe.vrma: cannot write: not a regular file" puppet absent.sinew --face "$folder/face.csv" \
    --capture "$folder/pipe.vrma"
# What lies at a name beside the file is left alone.
echo victim >"$folder/victim"
ln -s "$folder/victim" "$folder/beside.vrma.part"
# shellcheck disable=SC2086
expect 0 0 "frames of 48 x 36" puppet "$model" --face "$folder/face.csv" $picture --frames 2 --out "$folder/beside" \
    --capture "$folder/beside.vrma"
[ "$(cat "$folder/victim")" = victim ] || fail "a capture wrote to what a link names"
expect 2 1 "--capture walk.bvh: not a .vrma" puppet absent.sinew --capture walk.bvh
expect 2 1 "puppet: too few arguments: a model or a file" puppet
expect 2 1 "puppet: --out needs --headless" puppet "$model" --out "$folder/none"
expect 2 1 "unknown option" puppet "$model" --scene flag

[ "$failures" -eq 0 ]
