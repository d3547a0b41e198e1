#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No identifier of the product contains a word of retired_words.txt, in its own spelling or as a part of a longer name.
# Comments and strings are not checked.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
words=$root/tests/house/retired_words.txt

# check FILE...: prints `file:line: identifier: word; write ...` for each retired word; fails if there is one.
check() {
    awk '
    FILENAME == ARGV[1] {
        if ($0 !~ /^#/ && NF > 1) { word = $1; sub(/^[^\t]*\t/, ""); instead[word] = $0 }
        next
    }
    FNR == 1 { is_comment = 0 }
    {
        line = $0
        gsub(/\\"/, "", line)
        gsub(/"[^"]*"/, " ", line)
        code = ""
        while (line != "") {
            if (is_comment) {
                end = index(line, "*/")
                if (!end) break
                line = substr(line, end + 2)
                is_comment = 0
            }
            begin = index(line, "/*")
            slashes = index(line, "//")
            if (slashes && (!begin || slashes < begin)) { code = code " " substr(line, 1, slashes - 1); break }
            if (!begin) { code = code " " line; break }
            code = code " " substr(line, 1, begin - 1)
            line = substr(line, begin + 2)
            is_comment = 1
        }
        if (code ~ /^[ \t]*#[ \t]*(include|error)/) next
        count = split(code, names, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= count; ++i) {
            part_count = split(tolower(names[i]), parts, /[_0-9]+/)
            for (j = 1; j <= part_count; ++j)
                if (parts[j] in instead) {
                    print FILENAME ":" FNR ": " names[i] ": \"" parts[j] "\" is retired; write " instead[parts[j]]
                    found = 1
                }
        }
    }
    END { exit found }' "$words" "$@"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
mapfile -t files < <(find include host compute shaders author scenes runtime tools examples bindings -type f \
    \( -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' -o -name '*.glsl' -o -name '*.comp' -o -name '*.vert' \
    -o -name '*.frag' \) | LC_ALL=C sort)
if [ ${#files[@]} -lt 100 ]; then
    echo "FAIL: only ${#files[@]} sources were found" >&2
    exit 1
fi
status=0
check "${files[@]}" || { echo "FAIL: retired words are used again" >&2; status=1; }

# The check itself: code is found, comments and strings are not.
printf 'int ways; /* stuff\n things */ int b; // owe\nconst char *text = "lend";\n' >"$work/a.c"
if output=$(check "$work/a.c") || [ "$(wc -l <<<"$output")" -ne 1 ] || ! grep -q 'a.c:1: ways: ' <<<"$output"; then
    echo "FAIL: the check itself says: $output" >&2
    status=1
fi
echo "checked ${#files[@]} files"
exit $status
