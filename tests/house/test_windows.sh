#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libsinew for 64-bit Windows, run by Wine: hashes from the static library, examples/step.c with the DLL, which
# exports only what the headers mark SN_API.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

skip_unless clang lld wine x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-objdump
export WINEPREFIX=$work/wine WINEDEBUG=-all
unset DISPLAY
build_library windows
folders=(/usr/lib/gcc/x86_64-w64-mingw32/*-posix)
compile() {
    clang --target=x86_64-w64-mingw32 -std=c17 -O2 -I"$root" -I"$root/include" -fuse-ld=lld -L"${folders[0]}" "$@"
}
compile "$root/tests/house/platforms/hashes.c" "$work/build/libsinew.a" -o "$work/there.exe"
compile "$root/examples/step.c" "$work/build/libsinew.dll.a" -o "$work/build/step.exe"
compare_hashes wine "$work/there.exe" 2>"$work/wine.log" || { cat "$work/wine.log"; exit 1; }

expected=$("$build/tests/example_step" tests/golden/bar.sinew)
output=$(wine "$work/build/step.exe" tests/golden/bar.sinew 2>"$work/wine.log" | tr -d '\r')
if [ "$output" != "$expected" ]; then
    printf 'FAIL: examples/step.c printed "%s", not "%s"\n' "$output" "$expected" >&2
    exit 1
fi
echo "$output"

# Paths are UTF-8, whatever the code page is.
cat >"$work/path.c" <<'SOURCE'
#include "sinew/sinew.h"
int main(void)
{
    sn_model *model;
    return sn_model_open("K\xc3\xbcrbis-\xe3\x81\x8b.sinew", &model) != SN_OK || sn_model_open("missing", &model) == SN_OK;
}
SOURCE
compile "$work/path.c" "$work/build/libsinew.dll.a" -o "$work/build/path.exe"
cp tests/golden/bar.sinew "$work/$(printf 'K\xc3\xbcrbis-\xe3\x81\x8b').sinew"
if ! (cd "$work" && LC_ALL=C.UTF-8 wine "$work/build/path.exe" 2>"$work/wine.log"); then
    echo "FAIL: a path in UTF-8 does not open" >&2
    exit 1
fi

x86_64-w64-mingw32-objdump -p "$work/build/sinew.dll" | sed -n 's/^.*\] \(sn_[a-z0-9_]*\)$/\1/p' | sort -u >"$work/dll.text"
sed -n 's/^.*SN_API.*\b\(sn_[a-z0-9_]*\)(.*$/\1/p' "$root"/host/*/*.h "$root"/include/sinew/*.h |
    sort -u >"$work/marked.text"
[ -s "$work/dll.text" ]
comm -23 "$work/dll.text" "$work/marked.text" >"$work/unmarked.text"
if [ -s "$work/unmarked.text" ]; then
    echo "FAIL: the DLL exports what is not marked SN_API:" >&2
    cat "$work/unmarked.text" >&2
    exit 1
fi
