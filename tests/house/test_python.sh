#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Python package: its tests, its examples, and its wheel in a fresh environment where pip reaches its registry.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

python=/usr/bin/python3
skip_unless "$python"
if ! "$python" -c 'import cffi, numpy' 2>/dev/null; then
    echo "SKIPPED: python3-cffi or python3-numpy is not installed"
    exit 77
fi
"${CC:-cc}" -std=c17 -O2 -I"$root/include" "$root/tests/house/platforms/largest_mode.c" "$build/libsinew.a" -lm \
    -lpthread -o "$work/here"
known=$("$work/here" "$CHARACTERS/mascot.sinew")
export PYTHONDONTWRITEBYTECODE=1
package=$root/bindings/python

(
    cd "$work"
    export PYTHONPATH=$package SINEW_LIBRARY_PATH=$build
    "$python" "$package/tests/test_sinew.py" "$CHARACTERS/mascot.sinew" "$known"
    for example in modes step detail coupling baking; do
        echo "-- $example"
        "$python" "$package/examples/$example.py"
    done
)

if ! "$python" -m venv --system-site-packages "$work/venv" >"$work/log" 2>&1 ||
    ! "$work/venv/bin/python" -m pip download --no-deps -d "$work" wheel >"$work/log" 2>&1; then
    tail -n 3 "$work/log"
    echo "the wheel is not tested: no python3-venv, or pip reaches no registry"
    exit 0
fi
PATH=$work/venv/bin:$PATH "$package/build.sh" "$work/package" "$build" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; echo "FAIL: the wheel is not built" >&2; exit 1; }
"$work/venv/bin/python" -m pip install --no-deps "$work"/package/dist/sinew-*.whl >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; exit 1; }
ls -l "$work"/package/dist/*.whl | awk '{ print $5, "bytes" }'
cd "$work"
"$work/venv/bin/python" "$package/tests/test_sinew.py" "$CHARACTERS/mascot.sinew" "$known"
