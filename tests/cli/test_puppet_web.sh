#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sinew puppet --web: what is refused before anything else is opened.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

expect 2 1 "nowhere: not an address to listen on" puppet absent.sinew --web --listen nowhere
expect 2 1 "in brackets: \[::1\]:39540" puppet absent.sinew --web --listen ::1
expect 2 1 "example.org: not an origin; write SCHEME://HOST" puppet absent.sinew --web --listen 0 --origin example.org
expect 2 1 "http://a: not a host name" puppet absent.sinew --web --listen 0 --web-host http://a
expect 2 1 "for one of --vmc and --web" puppet absent.sinew --web --vmc --listen 0
expect 1 1 "$folder: index.html is missing" puppet absent.sinew --web --listen 0 --page "$folder"

# A page is served until the model turns out not to be there; a free port is told.
echo "<!doctype html>" >"$folder/index.html"
expect 1 2 "open http://localhost:[1-9][0-9]*/ in a browser" puppet absent.sinew --page "$folder" --listen 0 \
    --headless --frames 1 --out "$folder/out"
grep -q "absent.sinew" "$folder/stderr" || fail "no word of the model"

# ---- https, with the certificate of docs/how-to/track-with-a-browser.md ----

if ! command -v openssl >/dev/null; then
    echo "https is not tested: there is no openssl (the package openssl)"
    exit "$((failures > 0))"
fi
# certify NAME: $folder/NAME-cert.pem, $folder/NAME-key.pem
certify() {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$folder/$1-key.pem" -out "$folder/$1-cert.pem" -days 30 \
        -subj /CN=sinew -addext subjectAltName=IP:127.0.0.1 2>/dev/null || fail "openssl makes no certificate"
}
certify own
certify other
openssl rsa -aes128 -passout pass:word -in "$folder/own-key.pem" -out "$folder/locked.pem" 2>/dev/null
head -n 3 "$folder/own-cert.pem" >"$folder/cut.pem"
# refuse CODE PATTERN CERTIFICATE KEY
refuse() {
    expect "$1" 1 "$2" puppet absent.sinew --web --listen 0 --web-cert "$folder/$3" --web-key "$folder/$4"
}
refuse 1 "absent.pem: cannot open: No such file" absent.pem own-key.pem
refuse 1 "absent.pem: cannot open: No such file" own-cert.pem absent.pem
mkfifo "$folder/pipe.pem"
refuse 1 "pipe.pem: cannot read: not a regular file" pipe.pem own-key.pem
refuse 1 "pipe.pem: cannot read: not a regular file" own-cert.pem pipe.pem
ln -s /dev/zero "$folder/zero.pem"
refuse 1 "zero.pem: cannot read: not a regular file" zero.pem own-key.pem
refuse 1 "own-key.pem: no certificate" own-key.pem own-key.pem
refuse 1 "own-cert.pem: no private key" own-cert.pem own-cert.pem
refuse 1 "locked.pem: the private key has a password" own-cert.pem locked.pem
refuse 1 "own-cert.pem: does not work with the private key .*other-key.pem" own-cert.pem other-key.pem
refuse 1 "cut.pem: does not work with" cut.pem own-key.pem
expect 2 1 "web-cert and --web-key go together" puppet absent.sinew --listen 0 --web-cert "$folder/own-cert.pem"

set -m
"$SINEW" puppet "$CHARACTERS/mascot.sinew" --page "$folder" --listen 0 --web-cert "$folder/own-cert.pem" \
    --web-key "$folder/own-key.pem" --headless --size 48x36 --frames 100000 --out "$folder/pictures" \
    --capture "$folder/dance.vrma" --json >"$folder/stdout" 2>"$folder/stderr" &
puppet=$!
set +m
listens() {
    port=$(sed -n 's|^note: web: open https://localhost:\([0-9]*\)/ in a browser.*|\1|p' "$folder/stderr")
    [ -n "$port" ]
}
await "$puppet" listens || fail "puppet does not listen: $(cat "$folder/stderr")"
# client PATTERN: of https, which trusts that certificate alone. It sends its stdin and hangs up once the answer, in
# $folder/answer, contains the pattern.
client() {
    { cat; await "$puppet" grep -aq -- "$1" "$folder/answer"; } | timeout 100 openssl s_client -quiet -no_ign_eof -connect "127.0.0.1:$port" -verify_return_error -verify_ip 127.0.0.1 \
        -CAfile "$folder/own-cert.pem" 2>"$folder/client" >"$folder/answer"
}
: >"$folder/answer"
printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' | client "<!doctype html>"
grep -q "<!doctype html>" "$folder/answer" || fail "no page by https: $(cat "$folder/client" "$folder/answer")"
# upgrade ORIGIN: the page's socket; the dance of a moment, and a ping, in frames whose mask is 0
dance=$SOURCE_DIR/tests/fuzz/corpus/landmarks/dance.json
upgrade() {
    printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' "$port"
    printf 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    printf 'Sec-WebSocket-Protocol: sinew-landmarks\r\nOrigin: %s\r\n\r\n' "$1"
    await "$puppet" grep -aq "^HTTP/1" "$folder/answer" # no client sends frames before it is let in
    local size
    size=$(wc -c <"$dance")
    # shellcheck disable=SC2059
    printf "\\x81\\xfe\\x$(printf %02x $((size / 256)))\\x$(printf %02x $((size % 256)))\\0\\0\\0\\0"
    cat "$dance"
    printf '\x89\x84\0\0\0\0ping'
}
: >"$folder/answer"
upgrade "http://127.0.0.1:$port" | client "HTTP/1.[01] 403"
grep -q "HTTP/1.[01] 403" "$folder/answer" || fail "a page of http is let in to wss: $(head -n 1 "$folder/answer")"
: >"$folder/answer"
upgrade "https://127.0.0.1:$port" | client ping # its answer comes when the dance has been read
grep -aq "HTTP/1.1 101" "$folder/answer" || fail "the page is not let in: $(cat "$folder/client" "$folder/answer")"
# A frame that begins after that shows the dance: the second one to be written.
count_pictures() {
    find "$folder/pictures" -name '*.png' 2>/dev/null | wc -l
}
has_pictures() {
    [ "$(count_pictures)" -ge "$1" ]
}
await "$puppet" has_pictures $(($(count_pictures) + 3)) || fail "no more pictures: $(cat "$folder/stderr")"
kill -TERM "$puppet"
wait "$puppet" || fail "exit code $?: $(cat "$folder/stderr")"
within moments 1 1 "puppet --web-cert --json"
within origin 1 1 "puppet --web-cert --json"
grep -q '"leftLowerArm"' "$folder/stdout" || fail "the dance has not arrived"

[ "$failures" -eq 0 ]
