#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Surfaces of files as solids: flesh stays out of them, in the coordinates of its own file; what is no solid is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

# A slab that the ball stands on, x and z from -3 to 3, y from -2 to $1; the bottom is missing where $2 is "open".
write_slab() {
    printf 'v %s %s %s\n' -3 -2 -3 3 -2 -3 3 -2 3 -3 -2 3 -3 "$1" -3 3 "$1" -3 3 "$1" 3 -3 "$1" 3
    [ "$2" = open ] || echo 'f 1 2 3 4'
    printf 'f %s %s %s %s\n' 5 8 7 6 1 5 6 2 2 6 7 3 3 7 8 4 4 8 5 1
}

hop() {
    "$SINEW" sim "$folder/model.sinew" --frames 90 --motion hop --stiffness .2 --gravity 0,-9.81,0 --gravity-rest --floor none --json "$@" \
        >"$folder/stdout" 2>"$folder/stderr" || fail "sim $*: $(cat "$folder/stderr")"
    within recoveries 0 0 "sim $*"
}

write_ball 0 "$folder/ball.obj"
"$SINEW" cook "$folder/ball.obj" --modes 6 -o "$folder/model.sinew" >"$folder/stdout" 2>"$folder/stderr" ||
    fail "it does not cook: $(cat "$folder/stderr")"
hop
within collider_penetration_max 0 0 "nothing there"
floating=$(number displacement_max)

# as a plane at the same height
hop --floor -1
plane=$(number displacement_max)
write_slab -1 closed >"$folder/slab.obj"
hop --collider "$folder/slab.obj"
within collider_penetration_max 1e-9 0.002 "a slab"
within displacement_max "$(awk -v a="$plane" 'BEGIN { print .97 * a }')" "$(awk -v a="$plane" 'BEGIN { print 1.03 * a }')" "a slab"
[ "$(number displacement_max)" != "$floating" ] || fail "a slab is not felt"
once=$(cat "$folder/stdout" | grep -v ms_median)
hop --collider "$folder/slab.obj"
[ "$(cat "$folder/stdout" | grep -v ms_median)" = "$once" ] || fail "the same again is not the same"

# two solids, and fine grids
write_ball -2 "$folder/other.obj"
hop --collider "$folder/slab.obj" --collider "$folder/other.obj" --collider-cells 48
within collider_penetration_max 1e-9 0.004 "two solids"

# an open one: a warning, and it is closed by winding numbers
write_slab -1 open >"$folder/open.obj"
hop --collider "$folder/open.obj"
[ "$(grep -c "^warning: $folder/open.obj: 4 edges are open" "$folder/stderr")" -eq 1 ] || fail "open: $(cat "$folder/stderr")"
within collider_penetration_max 1e-9 0.002 "an open slab"

model=$folder/model.sinew
expect 1 1 "absent.obj: cannot open" sim "$model" --frames 2 --collider "$folder/absent.obj"
expect 1 1 "model.sinew: cannot read" sim "$model" --frames 2 --collider "$model"
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n' >"$folder/sheet.obj"
"$SINEW" sim "$model" --frames 2 --collider "$folder/sheet.obj" >"$folder/stdout" 2>"$folder/stderr"
[ $? -eq 1 ] && [ "$(grep -vc ^warning: "$folder/stderr")" -eq 1 ] && grep -q "sheet.obj: encloses no volume" "$folder/stderr" ||
    fail "a sheet: $(cat "$folder/stderr")"
printf 'v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n' >"$folder/broken.obj"
expect 1 1 "broken.obj: line 2" sim "$model" --frames 2 --collider "$folder/broken.obj"
expect 2 1 "collider-cells 1" sim "$model" --frames 2 --collider "$folder/slab.obj" --collider-cells 1
many=()
for _ in 1 2 3 4 5 6 7 8 9; do many+=(--collider "$folder/slab.obj"); done
expect 2 1 "more than 8" sim "$model" --frames 2 "${many[@]}"
expect 2 1 "--collider: not with --full-space" sim "$model" --frames 2 --full-space --collider "$folder/slab.obj"

[ "$failures" -eq 0 ]
