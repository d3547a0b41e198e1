#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew puppet --web: what is refused before anything else is opened.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

expect 2 1 "nowhere: no address to listen on" puppet absent.sinew --web --listen nowhere
expect 2 1 "by IPv4 alone" puppet absent.sinew --web --listen "[::1]:0"
expect 2 1 "example.org: an origin is" puppet absent.sinew --web --listen 0 --origin example.org
expect 2 1 "for one of --vmc and --web" puppet absent.sinew --web --vmc --listen 0
expect 1 1 "$folder: there is no index.html" puppet absent.sinew --web --listen 0 --page "$folder"

# A page is served until the model turns out not to be there; a free port is told.
echo "<!doctype html>" >"$folder/index.html"
expect 1 2 "open http://localhost:[1-9][0-9]*/ in a browser" puppet absent.sinew --page "$folder" --listen 0 \
    --headless --frames 1 --out "$folder/out"
grep -q "absent.sinew" "$folder/stderr" || fail "no word of the model"

[ "$failures" -eq 0 ]
