#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks every #include of the layered folders against tools/layers.txt, then that the checker sees violations at all.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
table=$root/tools/layers.txt

# check_tree ROOT: prints `file:line: ...` for each violation, then `checked FILES INCLUDES`; fails on a violation.
check_tree() {
    (
        cd "$1"
        folders=()
        while IFS= read -r folder; do
            if [ -d "$folder" ]; then folders+=("$folder"); fi
        done < <(awk '$1 == "unit" { print $2 }' "$table")
        files=()
        if [ ${#folders[@]} -gt 0 ]; then
            mapfile -t files < <(find "${folders[@]}" -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.inc' \) |
                LC_ALL=C sort)
        fi
        awk -f "$checker" "$table" "${files[@]}"
    )
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checker=$work/checker.awk
cat >"$checker" <<'AWK'
function report(what) {
    print FILENAME ":" FNR ": " what
    ++violations
}
# The unit of a path, or "" outside of all units.
function unit_of(path,    name) {
    for (name in is_unit)
        if (index(path, name "/") == 1) return name
    return ""
}
# The folder of a path inside its unit, or "" for a file at the top.
function folder_of(path, unit,    rest) {
    rest = substr(path, length(unit) + 2)
    return index(rest, "/") ? substr(rest, 1, index(rest, "/") - 1) : ""
}
function matches(text, pattern) {
    if (pattern ~ /\*$/) return index(text, substr(pattern, 1, length(pattern) - 1)) == 1
    return text == pattern
}
function check_home(header,    i, j, count, places, found) {
    if (header in is_libc) return
    if ((header in is_posix) && unit != "include/sinew") return
    for (i = 1; i <= home_count; ++i) {
        if (!matches(header, home_header[i])) continue
        count = split(home_places[i], places, " ")
        for (j = 1; j <= count; ++j)
            if (FILENAME == places[j] || index(FILENAME, places[j] "/") == 1) return
        found = home_places[i]
    }
    if (found != "") report("<" header "> has its home in " found)
    else report("<" header "> has no home in tools/layers.txt for " unit)
}
function check_path(path,    target, target_folder) {
    if (index(path, "sinew/") == 1) path = "include/" path
    else if (index(path, "include/") == 1) { report("\"" path "\": public headers are included as \"sinew/...\""); return }
    target = unit_of(path)
    if (path ~ /(^|\/)\.\.?\// || target == "") { report("\"" path "\" is not a path from the root into a unit"); return }
    if (target != unit) {
        if (!((unit, target) in may_include)) report(unit " may not include " target ": \"" path "\"")
        return
    }
    if (!(unit in has_order)) return
    target_folder = folder_of(path, unit)
    if (!((unit, target_folder) in rank)) { report("\"" path "\": " unit "/" target_folder " is not in tools/layers.txt"); return }
    if ((unit, folder) in rank && rank[unit, target_folder] > rank[unit, folder])
        report(unit "/" folder " stands above " unit "/" target_folder ": \"" path "\"")
}
FILENAME == ARGV[1] {
    sub(/#.*/, "")
    if ($1 == "unit") {
        is_unit[$2] = 1
        for (i = 4; i <= NF; ++i) may_include[$2, $i] = 1
    } else if ($1 == "order") {
        has_order[$2] = 1
        for (i = 4; i <= NF; ++i) rank[$2, $i] = i
    } else if ($1 == "libc") {
        for (i = 2; i <= NF; ++i) is_libc[$i] = 1
    } else if ($1 == "posix") {
        for (i = 2; i <= NF; ++i) is_posix[$i] = 1
    } else if ($1 == "home") {
        home_header[++home_count] = $2
        for (i = 4; i <= NF; ++i) home_places[home_count] = home_places[home_count] (i > 4 ? " " : "") $i
    } else if (NF > 0) {
        report("not understood: " $0)
    }
    next
}
FNR == 1 {
    ++file_count
    unit = unit_of(FILENAME)
    folder = folder_of(FILENAME, unit)
    if ((unit in has_order) && !((unit, folder) in rank)) report(unit "/" folder " is not in tools/layers.txt")
}
/^[ \t]*#[ \t]*include/ {
    ++include_count
    name = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
    if (name ~ /^"[^"]+"/) {
        sub(/^"/, "", name)
        sub(/".*/, "", name)
        check_path(name)
    } else if (name ~ /^<[^>]+>/) {
        sub(/^</, "", name)
        sub(/>.*/, "", name)
        if (index(name, "sinew/") == 1) check_path(name)
        else check_home(name)
    } else {
        report("an include that cannot be checked: " name)
    }
}
END {
    print "checked " file_count + 0 " files, " include_count + 0 " includes"
    if (file_count == 0) print "no file was checked"
    exit (violations > 0 || file_count == 0) ? 1 : 0
}
AWK

status=0
if ! check_tree "$root"; then
    echo "FAIL: the tree breaks tools/layers.txt" >&2
    status=1
fi

# expect_violation FILE INCLUDE: a tree of that file alone must fail, naming its line.
expect_violation() {
    local tree=$work/bad output
    rm -rf "$tree"
    mkdir -p "$tree/$(dirname "$1")"
    printf '/* a comment */\n#include %s\n' "$2" >"$tree/$1"
    if output=$(check_tree "$tree") || ! grep -q "^$1:2: " <<<"$output"; then
        echo "FAIL: '#include $2' in $1 went unnoticed" >&2
        status=1
    fi
}
expect_violation host/base/a.c '"author/io/npy.h"'
expect_violation host/base/a.c '"host/mesh/tet_mesh.h"'
expect_violation host/mesh/a.c '"tet_mesh.h"'
expect_violation host/mesh/a.c '"../base/base.h"'
expect_violation host/mesh/a.c '"host/unheard_of/a.h"'
expect_violation host/mesh/a.c '<jansson.h>'
expect_violation host/mesh/a.c '<never_heard_of.h>'
expect_violation host/mesh/a.c 'SOME_MACRO'
expect_violation author/io/a.c '"author/cook/cook.h"'
expect_violation author/modes/a.c '  <cholmod.h>'
expect_violation author/cook/a.c '"tools/tool.h"'
expect_violation include/sinew/a.h '"host/base/base.h"'
expect_violation include/sinew/a.h '<unistd.h>'
expect_violation include/sinew/a.h '<vulkan/vulkan_core.h>'
expect_violation host/world/a.c '<vulkan/vulkan_core.h>'
expect_violation tools/sim/a.c '<cblas.h>'
expect_violation tools/sim/a.c '"tools/play/frames.h"'

# A tree that keeps the rules must pass, and an empty one must not.
good=$work/good
mkdir -p "$good/host/mesh" "$good/author/io" "$work/empty/host"
printf '#include "host/base/base.h"\n#include "sinew/types.h"\n#include <math.h>\n' >"$good/host/mesh/a.c"
printf '#include "host/mesh/tet_mesh.h"\n#include <jansson.h>\n#include <unistd.h>\n' >"$good/author/io/a.c"
if ! output=$(check_tree "$good"); then
    echo "FAIL: a tree that keeps the rules was refused: $output" >&2
    status=1
fi
if check_tree "$work/empty" >"$work/log"; then
    echo "FAIL: an empty tree passed" >&2
    status=1
fi
exit $status
