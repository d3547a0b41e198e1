# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Programs that only a newer Debian has: that Debian, sid, in a folder of its own, in which they run by chroot. tools/check
# installs them, and the tests do where that was not done: in some minutes and 1 to 3 GB, once. Needs root and
# debootstrap.

# shellcheck disable=SC2034
sid_godot_packages=(godot libgl1-mesa-dri mesa-vulkan-drivers xauth xvfb)
# shellcheck disable=SC2034
sid_blender_packages=(blender python3-numpy)
host=${XDG_CACHE_HOME:-$HOME/.cache}/sinew/sid

install_in_sid() {
    local new package missing=()
    mkdir -p "$(dirname "$host")"
    exec 9>"$host.lock" # tests run at the same time
    flock 9
    if [ ! -d "$host" ]; then
        new=$(mktemp -d "$host.XXXXXX")
        debootstrap --variant=minbase sid "$new" || { rm -rf "$new"; return 1; }
        # The release file of sid may count as expired.
        echo 'Acquire::Check-Valid-Until "false";' >"$new/etc/apt/apt.conf.d/99-valid-until"
        chmod 755 "$new"
        mv -T "$new" "$host"
    fi
    for package in "$@"; do
        if [ "$(chroot "$host" dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -gt 0 ]; then
        chroot "$host" apt-get update &&
            chroot "$host" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" &&
            chroot "$host" apt-get clean || return 1
    fi
    exec 9>&-
}

# need_in_sid PACKAGE...: skips the test, with a line that says why, where they cannot be installed. $work is a folder for
# the log.
need_in_sid() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "SKIPPED: not root, which is needed to run $1 in a system of its own"
        exit 77
    fi
    if ! install_in_sid "$@" >"$work/log" 2>&1; then
        tail -n 3 "$work/log"
        echo "SKIPPED: $1 cannot be installed"
        exit 77
    fi
}

# in_sid FOLDER COMMAND...: runs a command there, in a folder of $host.
in_sid() {
    chroot "$host" sh -c 'cd "$1" && shift && exec "$@"' sh "${1#"$host"}" "${@:2}"
}
