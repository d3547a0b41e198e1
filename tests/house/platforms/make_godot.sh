#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs Godot, which only Debian sid has, into a folder, as a system of its own: /usr/bin/godot runs there by chroot.
# Takes a few minutes and 1.2 GB, once. The folder appears when it is whole. Needs root and debootstrap.
#   tests/house/platforms/make_godot.sh FOLDER
set -euo pipefail
folder=$1
if [ -x "$folder/usr/bin/godot" ]; then exit 0; fi
mkdir -p "$(dirname "$folder")"
new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
debootstrap --variant=minbase sid "$new"
# The release file of sid may count as expired.
echo 'Acquire::Check-Valid-Until "false";' >"$new/etc/apt/apt.conf.d/99-valid-until"
chroot "$new" apt-get update
chroot "$new" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends godot libgl1-mesa-dri \
    mesa-vulkan-drivers xauth xvfb
chroot "$new" apt-get clean
chmod 755 "$new"
mv -T "$new" "$folder"
