#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the C# binding in build/unity-package/com.sinew.flesh, laid out as a package of Unity.
#   bindings/csharp/build.sh [FOLDER [SYSTEM...]]    another folder; other systems than linux.x86_64: windows.x86_64
# Needs python3-pycparser.
set -euo pipefail
cd "$(dirname "$0")/../.."
package=${1:-build/unity-package}/com.sinew.flesh
systems=("${@:2}")
if [ ${#systems[@]} -eq 0 ]; then systems=(linux.x86_64); fi
mkdir -p "$package/Runtime"
cp bindings/csharp/source/package.json bindings/csharp/README.md "$package"
cp LICENSE "$package/LICENSE.md"
cp bindings/csharp/source/{Sinew.cs,Sinew.asmdef} "$package/Runtime"
/usr/bin/python3 bindings/csharp/generate.py include/sinew >"$package/Runtime/Native.cs"
for system in "${systems[@]}"; do
    bindings/bridge/build.sh "$system"
    folder=build/$system
    case $system in
        linux.x86_64)
            mkdir -p "$package/Plugins/Linux/x86_64"
            strip --strip-unneeded -o "$package/Plugins/Linux/x86_64/libsinew.so" "$folder/libsinew.so.0"
            ;;
        windows.x86_64)
            mkdir -p "$package/Plugins/Windows/x86_64"
            cp "$folder/sinew.dll" "$package/Plugins/Windows/x86_64"
            ;;
        *) echo "error: $system: expected linux.x86_64 or windows.x86_64" >&2; exit 2 ;;
    esac
done
