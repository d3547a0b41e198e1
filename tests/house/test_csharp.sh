#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The C# binding, compiled and run by mono: steps give the same numbers as here, and structs have the layout of C's.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

skip_unless mcs mono
if ! /usr/bin/python3 -c 'import pycparser' 2>/dev/null; then
    echo "SKIPPED: python3-pycparser is not installed"
    exit 77
fi
"$root/bindings/csharp/build.sh" "$work" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }
package=$work/com.sinew.flesh
mcs -unsafe -warnaserror+ -out:"$work/test.exe" "$package"/Runtime/*.cs "$root/bindings/csharp/tests/Test.cs"
"${CC:-cc}" -std=c17 -O2 -I"$root/include" "$root/tests/house/platforms/largest_mode.c" "$build/libsinew.a" -lm \
    -lpthread -o "$work/here"
there=$(LD_LIBRARY_PATH=$package/Plugins/Linux/x86_64 mono "$work/test.exe" "$CHARACTERS/mascot.sinew")
here=$("$work/here" "$CHARACTERS/mascot.sinew")
echo "$there $here"
same='import struct, sys; sys.exit(len({struct.pack("f", float(x)) for x in sys.argv[1:]}) != 1)'
python3 -c "$same" "$there" "$here" ||
    { echo "FAIL: C# gives $there, C $here" >&2; exit 1; }
