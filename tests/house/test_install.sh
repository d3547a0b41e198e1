#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the build to a folder of its own, moves that, and uses it from outside: by pkg-config and by CMake, shared
# and static, from C and C++, and to read an FBX file. Checks what the libraries show and need, and that the
# tutorial's program is examples/step.c.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BINARY_DIR:-$root/build/release}
cc=${CC:-gcc}
cxx=${CXX:-g++}
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_LIBDIR SINEW_READ_FBX
export OPENBLAS_NUM_THREADS=1

if grep -qE '^SN_SANITIZE:[^=]*=.|^SN_FUZZ:BOOL=(ON|1)' "$build/CMakeCache.txt"; then
    echo "not for use outside: built with sanitizers"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() {
    echo "FAIL: $*" >&2
    status=1
}

# The first block of C of the tutorial.
tutorial=docs/tutorials/step-it-in-your-engine.md
tutorial_program() {
    awk 'is_code && /^```$/ { exit }
        is_code
        /^```c$/ { is_code = 1 }' "$root/$tutorial"
}
if ! diff -u "$root/examples/step.c" <(tutorial_program); then
    fail "$tutorial: the first program is not examples/step.c"
fi

# Nothing may know where it was installed: it is moved before use.
cmake --install "$build" --prefix "$work/staging" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
prefix=$work/prefix
mv "$work/staging" "$prefix"
lib=$(dirname "$(dirname "$(find "$prefix" -name sinew.pc)")")
has_shared=false
if [ -e "$lib/libsinew.so" ]; then has_shared=true; fi

if ! diff <(cd "$root/include/sinew" && ls ./*.h) <(cd "$prefix/include/sinew" && ls ./*); then
    fail "headers are missing, or too many"
fi
for file in LICENSE LICENCES.md GPL-2.txt GPL-3.txt; do
    [ -s "$prefix/share/doc/sinew/$file" ] || fail "$file is not installed"
done
version=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --modversion sinew)
if [ "$("$prefix/bin/sinew" --version)" != "sinew $version" ]; then
    fail "sinew.pc has version $version, the command $("$prefix/bin/sinew" --version)"
fi

# api HEADER...: the functions that they declare
api() { sed -n 's/^SN_API .*[ *]\(sn_[a-z0-9_]*\)(.*/\1/p' "$@" | LC_ALL=C sort; }
# shown FILE: what it lets others link to, with its type
shown() { nm -D --defined-only --format=posix "$1" | awk '{ print $1, $2 }' | LC_ALL=C sort; }
# needed FILE: the libraries it asks for
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
# check_exports LIBRARY FUNCTION...: it shows these functions, and nothing else
check_exports() {
    local library=$lib/$1
    shift
    if ! diff <(printf '%s T\n' "$@") <(shown "$library"); then
        fail "${library##*/}: < is declared as SN_API, > is what the library shows"
    fi
}

# What libsinew shows beside the public API, the others take: all have the same hooks and the same worlds.
author_headers=("$root/include/sinew/author.h")
gpu_headers=("$root/include/sinew/vulkan.h")
host_headers=("$root/host/base/base.h" "$root/host/world/backend.h")
for header in "$root"/include/sinew/*.h; do
    if [ "$header" != "${author_headers[0]}" ] && [ "$header" != "${gpu_headers[0]}" ]; then host_headers+=("$header"); fi
done
mapfile -t author_api < <(api "${author_headers[@]}")
mapfile -t gpu_api < <(api "${gpu_headers[@]}")
mapfile -t host_api < <(api "${host_headers[@]}")
declared=$(cat "${author_headers[@]}" "${gpu_headers[@]}" "${host_headers[@]}" | grep -c '^SN_API ')
if [ $((${#author_api[@]} + ${#gpu_api[@]} + ${#host_api[@]})) -ne "$declared" ]; then
    fail "an SN_API declaration does not have its name on the same line"
fi

if $has_shared; then
    check_exports libsinew.so "${host_api[@]}"
    check_exports libsinew_author.so "${author_api[@]}"
    check_exports libsinew_gpu.so "${gpu_api[@]}"
    for library in sinew sinew_author sinew_gpu; do
        readelf -d "$lib/lib$library.so" | grep "SONAME.*\[lib$library\.so\.${version%%.*}\]" >/dev/null ||
            fail "lib$library.so: soname"
        [ -e "$lib/lib$library.so.$version" ] || fail "no lib$library.so.$version"
    done
    if needed "$lib/libsinew.so" | grep -vE '^(libc|libm|libpthread|ld-linux.*)\.so\.[0-9]+$'; then
        fail "libsinew.so needs more than the C library"
    fi
    needed "$lib/libsinew_author.so" | grep '^libcholmod\.so' >/dev/null || fail "readelf shows nothing of CHOLMOD"
fi
# Inline functions of C++ headers are weak, and every library may have them.
for library in sinew sinew_author sinew_gpu; do
    if nm -g --defined-only "$lib/lib$library.a" 2>/dev/null |
        awk 'NF == 3 && $3 !~ /^sn_/ && !($2 ~ /^[WVu]$/ && $3 ~ /^(_Z|DW\.ref\.__gxx_|__clang_call_terminate$)/)' | grep .; then
        fail "lib$library.a: symbols without our prefix"
    fi
done

model=$root/tests/golden/bar.sinew
surface=$root/tests/fuzz/corpus/obj/concave.obj
expected=
# run_step PROGRAM, run_cook PROGRAM: every build of the example prints the same
run_step() {
    local output
    output=$("$1" "$model") || fail "$1 failed"
    grep -qE '^4 modes, largest entry 0\.[0-9]*[1-9][0-9]*$' <<<"$output" || fail "$1 printed: $output"
    [ "$output" = "${expected:=$output}" ] || fail "$1 printed: $output, not: $expected"
}
drawn=
# run_draw PROGRAM: likewise; every vertex that a triangle has is there
run_draw() {
    local output
    output=$("$1" "$model") || fail "$1 failed"
    awk '/^v /{ if (NF != 4 || /nan|inf/) bad = 1; ++v } /^f /{ ++f; for (i = 2; i <= 4; ++i) if ($i < 1 || $i > v) bad = 1 }
        END { exit bad || v < 8 || f < 12 }' <<<"$output" || fail "$1 printed no surface"
    [ "$output" = "${drawn:=$output}" ] || fail "$1 printed another surface"
}
run_cook() { "$1" "$surface" | grep -E '^[1-9][0-9]* modes cooked$' >/dev/null || fail "$1 failed"; }
vulkan_expected=
# run_vulkan_step PROGRAM: likewise, where there is a Vulkan driver
run_vulkan_step() {
    local output code=0
    output=$("$1" "$model" 2>&1) || code=$?
    if [ $code -eq 77 ]; then
        echo "no Vulkan: ${1##*/} was built, and not run"
        return
    fi
    [ $code -eq 0 ] || fail "$1 failed: $output"
    grep -qE '^30 bodies, 4 modes, largest entry 0\.[0-9]*[1-9][0-9]*$' <<<"$output" || fail "$1 printed: $output"
    [ "$output" = "${vulkan_expected:=$output}" ] || fail "$1 printed: $output, not: $vulkan_expected"
}

# use_pkg_config LIBDIR FLAG...
use_pkg_config() {
    local folder=$1/pkgconfig out=$1/programs flags
    shift
    mkdir "$out"
    read -ra flags < <(PKG_CONFIG_PATH=$folder pkg-config "$@" --cflags --libs sinew)
    "$cc" -Wall -Wextra -Werror "$root/examples/step.c" -o "$out/step" "${flags[@]}" ||
        { fail "pkg-config $*: sinew"; return; }
    "$cc" -Wall -Wextra -Werror "$root/examples/draw.c" -o "$out/draw" "${flags[@]}" ||
        { fail "pkg-config $*: sinew"; return; }
    read -ra flags < <(PKG_CONFIG_PATH=$folder pkg-config "$@" --cflags --libs sinew-author)
    "$cxx" -Wall -Wextra -Werror "$root/tests/house/install/cook.cpp" -o "$out/cook" "${flags[@]}" ||
        { fail "pkg-config $*: sinew-author"; return; }
    read -ra flags < <(PKG_CONFIG_PATH=$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} pkg-config "$@" --cflags --libs sinew-gpu)
    "$cc" -Wall -Wextra -Werror "$root/examples/vulkan_step.c" -o "$out/vulkan_step" "${flags[@]}" ||
        { fail "pkg-config $*: sinew-gpu"; return; }
    export LD_LIBRARY_PATH=${folder%/*}
    run_step "$out/step"
    run_draw "$out/draw"
    run_cook "$out/cook"
    run_vulkan_step "$out/vulkan_step"
    unset LD_LIBRARY_PATH
}

use_cmake() {
    cmake -S "$root/tests/house/install" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        -DEXAMPLE="$root/examples/step.c" -DDRAW_EXAMPLE="$root/examples/draw.c" -DVULKAN_EXAMPLE="$root/examples/vulkan_step.c" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" &&
        cmake --build "$work/cmake"
}
if ! use_cmake >"$work/cmake.log" 2>&1; then
    cat "$work/cmake.log"
    fail "find_package(sinew)"
    exit 1
fi
for suffix in "" _static; do
    run_step "$work/cmake/step$suffix"
    run_draw "$work/cmake/draw$suffix"
    run_cook "$work/cmake/cook$suffix"
    run_vulkan_step "$work/cmake/vulkan_step$suffix"
done

# FBX files, by the program that the installed command and the installed library find from where they are, and others
# from the environment.
reader=$prefix/libexec/sinew/sinew-read-fbx
if grep -qE '^SN_FBX:BOOL=(ON|1)' "$build/CMakeCache.txt"; then
    surface=$root/tests/io/fbx/bar.fbx
    "$prefix/bin/sinew" info "$surface" >/dev/null 2>&1 || fail "the installed command reads no FBX file"
    if $has_shared; then run_cook "$work/cmake/cook" 2>/dev/null; fi
    (SINEW_READ_FBX=$reader run_cook "$work/cmake/cook_static" 2>/dev/null; exit $status) || status=1
    if "$work/cmake/cook_static" "$surface" >/dev/null 2>&1; then fail "a static program found $reader by itself"; fi
    surface=$root/tests/fuzz/corpus/obj/concave.obj
fi

# The page of `puppet --web`: as it was installed, without MediaPipe; and as its script puts it together for the user, by
# an npm that has it.
page_of() {
    { HOME=$work/home XDG_DATA_HOME='' "$prefix/bin/sinew" puppet absent.sinew --web --listen 0 --headless --frames 1 \
        --out "$work/pictures" 2>&1 || true; } | sed -n 's/^note: web: open .* in a browser: the page of //p'
}
page=$prefix/share/sinew/puppet-page
for file in "$root"/tools/puppet-page/*; do
    cmp -s "$file" "$page/${file##*/}" || fail "puppet-page/${file##*/} is not installed"
done
found=$(page_of)
[ "$(realpath "${found%, without MediaPipe}")" = "$(realpath "$page")" ] && [ "$found" != "${found%, without MediaPipe}" ] ||
    fail "the installed page is not found: $found"
mkdir "$work/npm"
cat >"$work/npm/npm" <<'SCRIPT'
#!/usr/bin/env bash
[ "$1 $2" = "install --prefix" ] || exit 1
package=$3/node_modules/@mediapipe/tasks-vision
mkdir -p "$package/wasm"
sed -n 's/.*tasks-vision": \("[0-9.]*"\).*/{"version": \1}/p' "$3/package.json" >"$package/package.json"
touch "$package/vision_bundle.mjs" "$package/wasm/vision.wasm"
SCRIPT
chmod +x "$work/npm/npm"
PATH=$work/npm:$PATH HOME=$work/home XDG_DATA_HOME='' XDG_CACHE_HOME='' "$page/build" >"$work/build.log" 2>&1 ||
    fail "the installed page's build: $(cat "$work/build.log")"
found=$(page_of)
[ "$found" = "$work/home/.local/share/sinew/puppet-page" ] || fail "the user's page is not found: $found"
[ -f "$found/vision/wasm/vision.wasm" ] && cmp -s "$page/index.html" "$found/index.html" || fail "the user's page is not whole"

if $has_shared; then
    use_pkg_config "$lib"
    needed "$lib/programs/step" | grep '^libsinew\.so' >/dev/null || fail "the example was not linked with libsinew.so"
    needed "$work/cmake/cook" | grep '^libsinew_author\.so' >/dev/null || fail "CMake did not link libsinew_author.so"
    needed "$work/cmake/vulkan_step" | grep '^libsinew_gpu\.so' >/dev/null || fail "CMake did not link libsinew_gpu.so"
    # Where both are, the linker takes the shared ones.
    cp -r "$prefix" "$work/static"
    lib=$work/static/${lib#"$prefix/"}
    rm -r "$lib"/*.so* "$lib/programs"
    use_pkg_config "$lib" --static
else
    use_pkg_config "$lib"
fi
for program in "$lib"/programs/{step,draw,cook,vulkan_step} "$work"/cmake/{step,draw,cook,vulkan_step}_static; do
    if needed "$program" | grep sinew; then fail "$program is not static"; fi
done

echo "installed $version, shared: $has_shared; $expected"
exit $status
