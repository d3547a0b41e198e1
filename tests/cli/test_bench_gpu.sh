#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench with --backend gpu: rows with the iterations that steps took, and shares of the device's measured peaks.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"
mesh=$SOURCE_DIR/tests/fuzz/corpus/msh/ascii_22.msh

if ! "$SINEW" bench skin "$mesh" --backend gpu >/dev/null 2>"$folder/stderr" && grep -q "no Vulkan\|no device has Vulkan" "$folder/stderr"; then
    echo "skipped: $(cat "$folder/stderr")"
    exit 77
fi
expect 0 0 '"throughput_unit": "vertices/s"' bench skin "$mesh" --backend gpu --json
for stage in vertex compute; do
    grep -q "skin 1 body, $stage shader" "$folder/stdout" || fail "bench skin: no row of the $stage shader"
done
expect 0 0 '"throughput_unit": "body-steps/s"' bench reduced "$mesh" --backend gpu --json
within iterations 30 30 "plain steps"
rows=$(grep -c '"name"' "$folder/stdout")
for share in flops_fraction bandwidth_fraction; do
    [ "$(grep -c "\"$share\"" "$folder/stdout")" -eq "$rows" ] || fail "bench reduced: rows without $share"
done
[ "$rows" -ge 6 ] || fail "bench reduced: $rows rows"

[ "$failures" -eq 0 ] && echo "the device is measured"
exit "$failures"
