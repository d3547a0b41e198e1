#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every source and script says its licence; every C and C++ file is as clang-format leaves it (skipped without it).
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root"

# Tracked files, and new ones that are not ignored; the whole tree where there is no repository.
list_files() {
    if git ls-files --cached --others --exclude-standard 2>/dev/null; then
        return
    fi
    find . \( -path ./build -o -path ./out -o -path ./.git \) -prune -o -type f -print | sed 's|^\./||'
}

status=0
formatted=()
source_count=0
while IFS= read -r file; do
    [ -f "$file" ] || continue
    case $file in
    tests/fuzz/corpus/* | tests/golden/*) continue ;;
    *.c | *.h | *.cpp | *.inc) formatted+=("$file") ;;
    *.sh | *.cmake | *CMakeLists.txt | *.comp | *.vert | *.frag | *.glsl | .ci/run | tools/*) ;;
    *) continue ;;
    esac
    source_count=$((source_count + 1))
    if ! head -n 5 -- "$file" | grep -q 'SPDX-License-Identifier: '; then
        echo "$file:1: no SPDX-License-Identifier line" >&2
        status=1
    fi
done < <(list_files | LC_ALL=C sort -u)

if [ "$source_count" -eq 0 ]; then
    echo "FAIL: no source was found" >&2
    exit 1
fi
if ! command -v clang-format >/dev/null; then
    echo "clang-format is not installed: format not checked"
    [ $status -ne 0 ] || status=77
    exit $status
fi
if ! printf '%s\0' "${formatted[@]}" | xargs -0 clang-format --dry-run -Werror --style=file; then
    echo "FAIL: run clang-format -i on the files above" >&2
    status=1
fi
echo "checked $source_count sources, the format of ${#formatted[@]}"
exit $status
