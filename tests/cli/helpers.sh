# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the tests of this folder: a scratch folder, a count of failures, and calls of the command whose output lies
# in $folder/stdout and $folder/stderr.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# one_object WHAT: stdout is one JSON object, as the command prints them: inner lines are indented.
one_object() {
    [ "$(grep -v '^ ' "$folder/stdout")" = $'{\n}' ] || fail "$1: not one JSON object on stdout: $(cat "$folder/stdout")"
}

# expect CODE LINES_ON_STDERR PATTERN arguments...
# With --json among them, what is on stdout must be one object, and there where nothing fails.
expect() {
    local code=$1 lines=$2 pattern=$3
    shift 3
    "$SINEW" "$@" >"$folder/stdout" 2>"$folder/stderr"
    local got=$?
    [ "$got" -eq "$code" ] || fail "sinew $*: exit code $got, expected $code: $(cat "$folder/stderr")"
    [ "$(wc -l <"$folder/stderr")" -eq "$lines" ] || fail "sinew $*: expected $lines lines on stderr: $(cat "$folder/stderr")"
    [ -z "$pattern" ] || cat "$folder/stdout" "$folder/stderr" | grep -q -- "$pattern" || fail "sinew $*: no '$pattern' in the output"
    if [[ " $* " == *" --json "* ]] && { [ "$got" -eq 0 ] || [ -s "$folder/stdout" ]; }; then
        one_object "sinew $*"
    fi
}

# await PROCESS COMMAND...: repeats the command until it succeeds, without a limit of time of its own, or until the process
# has ended. Nothing in a test may depend on how fast the machine is.
await() {
    local process=$1
    shift
    while kill -0 "$process" 2>/dev/null; do
        "$@" && return 0
        sleep .05
    done
    "$@"
}

# number NAME: a member of the last JSON output.
number() {
    sed -n "s/^ *\"$1\": *\([-0-9.e+]*\),*$/\1/p" "$folder/stdout" | head -n 1
}

# within NAME LEAST MOST WHERE
within() {
    awk -v value="$(number "$1")" -v least="$2" -v most="$3" 'BEGIN { exit !(value != "" && value >= least && value <= most) }' ||
        fail "$4: $1 is $(number "$1"), not within $2 and $3"
}

# write_ball HEIGHT FILE: a sphere of radius 1 around (0, HEIGHT, 0).
write_ball() {
    awk -v height="$1" 'BEGIN {
        rings = 10; sides = 14
        printf "v 0 %.6f 0\n", height + 1
        for (i = 1; i < rings; ++i) {
            for (j = 0; j < sides; ++j) {
                a = 3.14159265 * i / rings; b = 6.2831853 * j / sides
                printf "v %.6f %.6f %.6f\n", sin(a) * cos(b), height + cos(a), sin(a) * sin(b)
            }
        }
        printf "v 0 %.6f 0\n", height - 1
        last = 2 + (rings - 1) * sides
        for (j = 0; j < sides; ++j) {
            k = (j + 1) % sides
            printf "f 1 %d %d\nf %d %d %d\n", 2 + k, 2 + j, last, last - sides + j, last - sides + k
            for (i = 0; i < rings - 2; ++i) {
                o = 2 + i * sides
                printf "f %d %d %d %d\n", o + j, o + k, o + k + sides, o + j + sides
            }
        }
    }' >"$2"
}

# write_bar FILE: 12 x 2 x 2 cubes in steps of .5, each of six tets: from 0 to 6, 0 to 1, 0 to 1.
write_bar() {
    awk 'BEGIN {
        nx = 12; ny = 2; nz = 2
        print "MeshVersionFormatted 1\nDimension 3\nVertices"
        print (nx + 1) * (ny + 1) * (nz + 1)
        for (z = 0; z <= nz; z++) for (y = 0; y <= ny; y++) for (x = 0; x <= nx; x++) print x / 2, y / 2, z / 2, 0
        print "Tetrahedra"
        print 6 * nx * ny * nz
        split("1 2 3  2 3 1  3 1 2  1 3 2  3 2 1  2 1 3", o, " ")
        for (z = 0; z < nz; z++) for (y = 0; y < ny; y++) for (x = 0; x < nx; x++) for (i = 0; i < 6; i++) {
            at[1] = x; at[2] = y; at[3] = z
            c[0] = (at[3] * (ny + 1) + at[2]) * (nx + 1) + at[1] + 1
            for (k = 1; k <= 3; k++) { at[o[3 * i + k]]++; c[k] = (at[3] * (ny + 1) + at[2]) * (nx + 1) + at[1] + 1 }
            if (i < 3) print c[0], c[1], c[2], c[3], 0; else print c[0], c[2], c[1], c[3], 0
        }
        print "End"
    }' >"$1"
}

# cook_jumps: $folder/jumps.sinew, a bar between two points, and its clips: away, both go away in x, up, the second goes up.
cook_jumps() {
    write_bar "$folder/bar.mesh"
    echo '{"handles": [{"name": "a", "point": [0, 0.5, 0.5]}, {"name": "b", "point": [6, 0.5, 0.5]}]}' >"$folder/ends.json"
    for clip in "away .4 0" "up 0 4"; do
        # shellcheck disable=SC2086
        set -- $clip
        awk -v x="$2" -v y="$3" 'BEGIN {
            printf "{\"P\": ["
            for (f = 0; f <= 20; ++f) {
                printf "%s[[[1,0,0,%g],[0,1,0,0],[0,0,1,0]],", f ? "," : "", x * f / 20
                printf "[[1,0,0,%g],[0,1,0,%g],[0,0,1,0]]]", x * f / 20, y * f / 20
            }
            print "]}"
        }' >"$folder/$1.json"
    done
    expect 0 0 "" cook "$folder/bar.mesh" --rig "$folder/ends.json" --clip "$folder/away.json" --clip "$folder/up.json" \
        -o "$folder/jumps.sinew"
}

# npy TYPE SHAPE VALUES, the values as printf has them
npy() {
    local head="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
    # shellcheck disable=SC2059
    printf "\\x93NUMPY\\x01\\x00\\x$(printf %02x ${#head})\\x00%s$3" "$head"
}

# differ A.npy B.npy: their largest difference.
differ() {
    paste <(values "$1") <(values "$2") | awk '{ d = $1 - $2; d = d < 0 ? -d : d; m = d > m ? d : m } END { print m + 0 }'
}
# values A.npy: one float64 a line.
values() {
    local header
    header=$((10 + $(od -An -t u2 -j 8 -N 2 "$1")))
    od -An -v -t f8 -w8 -j "$header" "$1"
}
