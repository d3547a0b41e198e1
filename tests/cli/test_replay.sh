#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# play --record and --replay, sim --replay: what was done, again, to the bit; what is cut, changed or another's is one line.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
mesh=$SOURCE_DIR/tests/fuzz/corpus/msh/ascii_22.msh
device=${SN_TEST_DEVICE:-cpu}
rec=$folder/a.rec

# what needs no device
expect 2 1 "--scene: not with --replay" play --replay "$rec" --scene tug
expect 2 1 "--record: not with --replay" play --replay "$rec" --record "$rec"
expect 2 1 "--stiffness: not with --replay" play --replay "$rec" --stiffness 2
expect 2 1 "--stiffness: not with --replay" sim --replay "$rec" --stiffness 2
expect 2 1 "--dump: not with --replay" sim --replay "$rec" --dump "$folder"
expect 2 1 "--show-mesh: not with --record" play "$mesh" --headless --frames 1 --out "$folder/x" --record "$rec" --show-mesh
touch "$folder/w.vrma" "$folder/rig.json" "$folder/scene.json"
for arguments in "$mesh --motion $folder/w.vrma" "$mesh --rig $folder/rig.json --clip $folder/w.vrma" "$mesh --collider $folder/w.vrma"; do
    # shellcheck disable=SC2086
    expect 1 1 "w.vrma: is the input $folder/w.vrma" play $arguments --headless --frames 1 --out "$folder/x" --record "$folder/w.vrma"
done
expect 1 1 "is the input" play "$mesh" --rig "$folder/rig.json" --record "$folder/rig.json"
expect 1 1 "is the input" play --scene "$folder/scene.json" --record "$folder/scene.json"
expect 1 1 "absent.rec: cannot open" sim --replay "$folder/absent.rec"
expect 1 1 "byte 0: not a recording" sim --replay "$mesh"
for seed in "$SOURCE_DIR"/tests/fuzz/corpus/record/*.rec; do
    expect 0 0 "4 steps.*each as it was recorded" sim --replay "$seed" --threads 2
done

"$SINEW" play "$mesh" --headless --frames 1 --size 1x1 --out "$folder/probe" --device "$device" 2>"$folder/stderr" >/dev/null ||
    if grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
        echo "skipped: $(cat "$folder/stderr")"
        [ "$failures" -eq 0 ] && exit 77
        exit 1
    fi

# a model without a window: the pictures are those of the recording, and of its replay
expect 0 0 "" cook "$mesh" -o "$folder/model.sinew"
expect 0 0 "" cook "$mesh" --modes 3 -o "$folder/other.sinew"
out=(--headless --size 64x48 --device "$device")
expect 0 0 '"first_difference": null' play "$folder/model.sinew" "${out[@]}" --frames 12 --out "$folder/first" --record "$rec" \
    --gravity 0,-2,0 --wind 2,0,0 --motion hop --validate --json
no_temporary() { # WHAT
    [ -z "$(find "$folder" -name '*.tmp')" ] || fail "$1 left a temporary file"
}
no_temporary "a whole recording"
# A link or a pipe beside the file disturbs no recording, and the file itself is no pipe.
mkfifo "$folder/b.rec.part" "$folder/pipe.rec"
timeout 60 "$SINEW" play "$folder/model.sinew" "${out[@]}" --frames 1 --out "$folder/few" --record "$folder/b.rec" >/dev/null ||
    fail "a pipe beside a recording: exit code $?"
expect 0 0 "1 steps" sim --replay "$folder/b.rec"
expect 1 1 "pipe.rec: cannot write: not a regular file" play "$folder/model.sinew" "${out[@]}" --frames 1 --out "$folder/few" \
    --record "$folder/pipe.rec"
expect 0 0 "hash" play --replay "$rec" "${out[@]}" --out "$folder/again" --threads 3
[ "$(cat "$folder/first"/* | cksum)" = "$(cat "$folder/again"/* | cksum)" ] || fail "the replay draws other pictures"
[ "$(find "$folder/again" -mindepth 1 | wc -l)" -eq 12 ] || fail "12 steps are not 12 pictures"
cmp -s "$folder/first/frame-0000.png" "$folder/first/frame-0011.png" && fail "nothing moves"

# end_by_signal WHAT FILE arguments...: a run that a signal ends, sent once FILE, a pattern, exists, keeps its recording
end_by_signal() {
    local what=$1 file=$2
    rm -f "$folder/ended.rec"
    "$SINEW" play "$folder/model.sinew" "${@:3}" --frames 1000000 --record "$folder/ended.rec" --motion hop \
        >"$folder/stdout" 2>"$folder/stderr" &
    local run=$!
    started() {
        [ -n "$(find "$folder" -path "$folder/$file" -size +0)" ]
    }
    await "$run" started
    sleep .1 # some frames more
    kill -TERM "$run"
    wait "$run" || fail "SIGTERM, $what: exit code $?: $(cat "$folder/stderr")"
    [ "$(grep -c "^note: ended by a signal after [0-9]* of 1000000 frames$" "$folder/stderr")" -eq 1 ] || fail "SIGTERM, $what: not told once: $(cat "$folder/stderr")"
    cp "$folder/stderr" "$folder/told"
    no_temporary "SIGTERM, $what"
}
expect 0 0 "" play --replay "$rec" "$folder/model.sinew" "${out[@]}" --frames 3 --out "$folder/few"
expect 1 1 "has only 12 steps; use at most --frames 12" play --replay "$rec" "${out[@]}" --frames 13 --out "$folder/few"
expect 1 1 "another model than $folder/other.sinew" sim --replay "$rec" "$folder/other.sinew"
expect 0 0 '"frames": 12' sim --replay "$rec" "$folder/model.sinew" --json
expect 1 1 "was recorded on threads and cannot be replayed on " sim --replay "$rec" --backend gpu --device "$device"
expect 1 1 "is the input" play "$folder/model.sinew" "${out[@]}" --frames 1 --out "$folder/few" --record "$folder/model.sinew"
printf '{"characters": [{"path": "model.sinew"}], "bodies": [{}]}' >"$folder/scene.json"
expect 1 1 "is the input" play --scene "$folder/scene.json" "${out[@]}" --frames 1 --out "$folder/few" --record "$folder/model.sinew"

# what is cut or changed is refused, and what was there stays until there is a whole one
head -c 3000 "$rec" >"$folder/cut.rec"
expect 1 1 "cut.rec: byte 3000: the recording has no end" sim --replay "$folder/cut.rec"
expect 1 1 "cut.rec: byte 3000: the recording has no end" play --replay "$folder/cut.rec" "${out[@]}" --out "$folder/few"
cp "$rec" "$folder/changed.rec"
printf x | dd of="$folder/changed.rec" bs=1 seek=2000 conv=notrunc 2>/dev/null
expect 1 1 "checksum mismatch" sim --replay "$folder/changed.rec"
before=$(cksum <"$rec")
expect 1 1 "nonsense" play "$folder/model.sinew" "${out[@]}" --frames 2 --out "$folder/few" --record "$rec" --motion clip:nonsense
[ "$before" = "$(cksum <"$rec")" ] || fail "a failing run replaced a recording"
no_temporary "a failing run"
expect 1 1 "no/such" play --scene tug "${out[@]}" --frames 1 --out "$folder/few" --record "$folder/no/such"

# on the device
expect 0 0 "" play "$folder/model.sinew" "${out[@]}" --frames 4 --out "$folder/gpu" --record "$folder/gpu.rec" --backend gpu --coupled \
    --free all --gravity 0,-2,0
expect 0 0 "each as it was recorded" sim --replay "$folder/gpu.rec" --backend gpu --device "$device"
# While it is simulated: the recording is whole, and its pictures, which would take long, are not drawn.
end_by_signal "pictures" "ended.rec.*.tmp" "${out[@]}" --out "$folder/ended" --backend gpu --coupled --free all
expect 0 0 "" play --replay "$folder/ended.rec" "$folder/model.sinew" "${out[@]}" --backend gpu --frames 1 --out "$folder/last"
count=$(sed -n 's/^note: ended by a signal after \([0-9]*\) of .*/\1/p' "$folder/told")
[ "${count:-0}" -gt 1 ] || fail "SIGTERM: ${count:-0} frames were recorded"
[ -e "$folder/ended/frame-0001.png" ] && fail "SIGTERM: the recording is drawn all the same"
# While it is drawn: the pictures so far are whole, and the report counts them.
expect 0 0 "" play "$folder/model.sinew" "${out[@]}" --frames 400 --out "$folder/long" --record "$folder/long.rec" --motion hop
set -m
"$SINEW" play --replay "$folder/long.rec" --headless --device "$device" --size 640x480 --out "$folder/cut" --json \
    >"$folder/stdout" 2>"$folder/stderr" &
run=$!
set +m
await "$run" test -f "$folder/cut/frame-0001.png"
kill -INT "$run"
wait "$run" || fail "SIGINT while a recording is drawn: exit code $?: $(cat "$folder/stderr")"
grep -q "^note: ended by a signal after [0-9]* of 400 frames$" "$folder/stderr" || fail "SIGINT while a recording is drawn: not told"
within frames 2 399 "SIGINT while a recording is drawn"
[ "$(find "$folder/cut" -name 'frame-*.png' | wc -l)" -eq "$(number frames)" ] || fail "SIGINT: not as many pictures as reported"
[ "$(find "$folder/cut" -type f ! -name 'frame-????.png' | wc -l)" -eq 0 ] || fail "SIGINT: another file is left"
for picture in "$folder/cut"/*; do # each has its last chunk
    [ "$(tail -c 8 "$picture" | head -c 4)" = IEND ] || fail "$picture is not whole"
done
expect 1 1 "was recorded on .* and cannot be replayed on threads" sim --replay "$folder/gpu.rec"

# a scene, with what happens in it; in a window, too, where it begins again
expect 0 0 "" play --scene octopus "${out[@]}" --frames 8 --out "$folder/scene" --record "$rec" --threads 2
expect 0 0 "octopus: 8 steps" sim --replay "$rec"
if command -v Xvfb >/dev/null; then
    mkfifo "$folder/display"
    Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp -noreset 3>"$folder/display" 2>/dev/null &
    server=$!
    trap 'kill "$server"; rm -rf "$folder"' EXIT
    read -r number <"$folder/display"
    export DISPLAY=:$number
    unset WAYLAND_DISPLAY
    window=(--device "$device" --size 200x120 --frames 6)
    expect 0 0 '"validation_messages": 0' play --scene fish_comp "${window[@]}" --record "$rec" --validate --json
    expect 0 0 "each as it was recorded" sim --replay "$rec"
    expect 0 0 '"validation_messages": 0' play "$folder/model.sinew" "${window[@]}" --record "$rec" --wind 1,0,0 --motion hop --validate --json
    expect 0 0 "model.sinew: 6 steps.*each as it was recorded" sim --replay "$rec"
    expect 0 0 '"first_difference": null' play --replay "$rec" "${window[@]}" --frames 20 --validate --json
    grep -q '"validation_messages": 0' "$folder/stdout" || fail "validation: $(cat "$folder/stdout")"
    expect 1 1 "the recording has no end" play --replay "$folder/cut.rec" "${window[@]}"
    end_by_signal "a window" "ended.rec.*.tmp" "${window[@]}"
    expect 0 0 "" play --replay "$folder/ended.rec" "$folder/model.sinew" "${out[@]}" --frames 1 --out "$folder/last"
else
    echo "the window is not tested: there is no Xvfb (the package xvfb)"
fi
exit "$((failures > 0))"
