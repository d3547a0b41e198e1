#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the wheel in build/python-package/dist. Needs what the command `sinew` needs, and python3 with pip.
#   bindings/python/build.sh [FOLDER [BUILD]]    other folders than build/python-package and build/release
set -euo pipefail
cd "$(dirname "$0")/../.."
package=${1:-build/python-package}
build=${2:-build/release}
if [ $# -lt 2 ]; then
    cmake --preset release
    cmake --build build/release --target sinew_shared sinew_author_shared -j "$(nproc)"
fi
mkdir -p "$package/sinew/lib" "$package/sinew/include"
cp -r bindings/python/{pyproject.toml,setup.py,README.md,sinew} "$package"
for name in libsinew libsinew_author; do
    strip --strip-unneeded -o "$package/sinew/lib/$name.so.0" "$build/$name.so.0"
done
cp include/sinew/{types,model,world,surface,author}.h "$package/sinew/include"
python3 -m pip wheel --no-deps --wheel-dir "$package/dist" "$package"
