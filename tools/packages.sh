# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the scripts of this folder: installs missing Debian packages.

# Used by the scripts that source this one.
# shellcheck disable=SC2034
sn_build_packages=(gcc g++ cmake ninja-build pkg-config libjansson-dev libsuitesparse-dev libopenblas-dev libcmocka-dev
    libpng-dev libjpeg62-turbo-dev libwebp-dev libmeshoptimizer-dev libdraco-dev libyaml-dev libassimp-dev libcglm-dev
    libvulkan-dev glslc mesa-vulkan-drivers libglfw3-dev libimgui-dev libwebsockets-dev
    libopenxr-dev libode-dev)
# shellcheck disable=SC2034
sn_check_packages=(clang clang-format libclang-rt-14-dev libxml2-utils openssl vulkan-validationlayers xvfb)
# shellcheck disable=SC2034
sn_release_packages=(clang lld gcc-mingw-w64-x86-64-posix gcc-aarch64-linux-gnu libc6-dev-arm64-cross wasi-libc
    libclang-rt-14-dev-wasm32 dpkg-dev python3-pycparser)

package_reason() {
    case $1 in
    gcc | g++) echo "the compiler" ;;
    cmake | ninja-build | pkg-config) echo "the build" ;;
    libjansson-dev) echo "reads and writes JSON" ;;
    libsuitesparse-dev) echo "CHOLMOD, ordering for the sparse solver of cooking" ;;
    libopenblas-dev) echo "BLAS and LAPACK, the dense algebra of cooking" ;;
    libcmocka-dev) echo "the unit tests" ;;
    libpng-dev) echo "reads and writes PNG" ;;
    libjpeg62-turbo-dev) echo "reads JPEG textures" ;;
    libwebp-dev) echo "reads WebP textures" ;;
    libmeshoptimizer-dev) echo "reads the compressed meshes of glTF files" ;;
    libdraco-dev) echo "reads Draco meshes of glTF files" ;;
    libyaml-dev) echo "reads the skeletons of drawings" ;;
    libassimp-dev) echo "parses FBX files in a separate process" ;;
    libcglm-dev) echo "vectors and matrices of the renderer" ;;
    libvulkan-dev) echo "the graphics interface" ;;
    glslc) echo "compiles the shaders" ;;
    mesa-vulkan-drivers) echo "a Vulkan device where there is no GPU" ;;
    libglfw3-dev) echo "the window" ;;
    libimgui-dev) echo "the settings panel of the window" ;;
    libwebsockets-dev) echo "the web server of the tracking page" ;;
    libopenxr-dev) echo "the headset: headers of OpenXR, and its loader, for the tests" ;;
    openssl) echo "creates the certificate of a test and is its HTTPS client" ;;
    libode-dev) echo "moves the rigid bodies of scenes" ;;
    libxml2-utils) echo "parses the plots in a test" ;;
    xvfb) echo "a virtual display for the window tests" ;;
    vulkan-validationlayers) echo "checks every Vulkan call in the tests" ;;
    clang) echo "the second compiler of the tests" ;;
    clang-format) echo "checks the format of the sources" ;;
    gcc-aarch64-linux-gnu | libc6-dev-arm64-cross) echo "compiles the runtime for 64-bit ARM" ;;
    qemu-user-static) echo "runs that test" ;;
    gcc-mingw-w64-x86-64-posix | lld) echo "compiles the runtime for Windows" ;;
    wine | wine64) echo "runs that test" ;;
    wasi-libc | libclang-rt-14-dev-wasm32) echo "compiles the runtime for WebAssembly" ;;
    nodejs | npm) echo "runs the validator of glTF files, and builds the npm package" ;;
    python3-cffi | python3-venv) echo "runs the Python package, for a test" ;;
    debootstrap) echo "installs Godot and Blender, of a newer Debian, in a system of their own, for tests" ;;
    dpkg-dev) echo "finds the packages on which the .deb depends" ;;
    mono-mcs | mono-runtime | libmono-system-core4.0-cil) echo "compiles and runs the C# binding, for a test" ;;
    python3-pycparser) echo "reads the headers for the C# binding" ;;
    chromium) echo "runs the npm package in a browser, for a test" ;;
    python3-numpy | python3-pil) echo "joins pictures to contact sheets" ;;
    doxygen) echo "makes the API reference" ;;
    libclang-rt-*) echo "sanitizers and libFuzzer for clang" ;;
    *) echo "needed here" ;;
    esac
}

# need PACKAGE...: installs the packages; exits if that fails.
need() {
    if ! command -v dpkg-query >/dev/null; then
        echo "not a Debian system: install the contents of these packages yourself: $*" >&2
        return 0
    fi
    local package missing=() sudo=()
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return 0
    fi
    echo "installing missing packages:"
    for package in "${missing[@]}"; do
        echo "  $package ($(package_reason "$package"))"
    done
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "error: not root and no sudo; install them yourself: apt-get install ${missing[*]}" >&2
            exit 1
        fi
        sudo=(sudo)
    fi
    # A failed update is only a warning; the installation below shows whether it matters.
    if [ -z "${sn_apt_updated:-}" ]; then
        "${sudo[@]}" apt-get update -q || echo "warning: apt-get update failed; trying with the lists at hand" >&2
        sn_apt_updated=1
    fi
    if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; then
        echo "error: apt-get could not install: ${missing[*]}" >&2
        exit 1
    fi
}
