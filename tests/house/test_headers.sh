#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone, and twice over, as C17 and as C++17, without a warning.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cc=${CC:-gcc}
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
count=0
flags=(-Wall -Wextra -Wshadow -Werror -pedantic -fsyntax-only -I "$root/include")

# compile COMPILER STANDARD EXTENSION HEADER
compile() {
    printf '#include "%s"\n#include "%s"\n' "$4" "$4" >"$work/alone.$3"
    if ! "$1" "-std=$2" "${flags[@]}" "$work/alone.$3"; then
        echo "FAIL: include/$4 does not compile alone as $2" >&2
        status=1
    fi
}

for path in "$root"/include/sinew/*.h; do
    [ -e "$path" ] || continue
    header=sinew/$(basename "$path")
    compile "$cc" c17 c "$header"
    compile "$cxx" c++17 cpp "$header"
    count=$((count + 1))
done

# The check itself must be able to fail.
printf 'int f(unheard_of x);\n' >"$work/bad.c"
if "$cc" -std=c17 "${flags[@]}" "$work/bad.c" 2>/dev/null; then
    echo "FAIL: $cc accepted a broken header" >&2
    status=1
fi
if [ "$count" -eq 0 ]; then
    echo "FAIL: no header in include/sinew" >&2
    status=1
fi
echo "checked $count headers"
exit $status
