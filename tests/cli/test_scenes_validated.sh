#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every built-in scene for a few frames under the Vulkan validation layer (core and synchronization), and one whose
# bodies are stepped on the device. The layer's best-practice messages are left out: they are about the enabled
# extensions of --validate itself, small allocations and pipeline barriers, which software and desktop devices accept.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
device=${SN_TEST_DEVICE:-cpu}
out=(--headless --frames 3 --size 160x90 --out "$folder/pictures" --device "$device" --validate --json)

"$SINEW" play --list >"$folder/list" || exit 1
names=$(awk '{ print $1 }' "$folder/list")
first=$(head -n 1 <<<"$names")
if ! "$SINEW" play --scene "$first" "${out[@]}" >"$folder/stdout" 2>"$folder/stderr" &&
    grep -q "no Vulkan\|no device has Vulkan\|validation layer is" "$folder/stderr"; then
    echo "skipped: $(cat "$folder/stderr")"
    exit 77
fi
for name in $names; do
    expect 0 0 '"validation_messages": 0' play --scene "$name" "${out[@]}"
done
# All of shared memory is in use where a coupled body has the most rows that fit.
expect 0 0 '"validation_messages": 0' play --scene fish_control "${out[@]}" --backend gpu
[ "$failures" -eq 0 ]
