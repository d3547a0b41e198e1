#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every figure comes out of the quick run: a section, pictures that parse and have data; one alone leaves the others.
set -u

if ! command -v xmllint >/dev/null; then
    echo "skipped: xmllint is not installed"
    exit 77
fi
. "$(dirname "${BASH_SOURCE[0]}")/helpers.sh"

page=$folder/fast-complementary-dynamics.md
pages=$folder/pages.text
figures=$(dirname "$SINEW")/sinew-figures

mapfile -t names < <("$figures" --help | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p')
[ ${#names[@]} -ge 5 ] || fail "only ${#names[@]} figures are listed"
"$figures" --quick --out "$folder" >"$folder/stdout" 2>"$folder/stderr" || {
    fail "exit code $?: $(cat "$folder/stderr")"
}
# Without the rigid-body engine one is left out, and what the page has of it stays.
if grep -q "^sinew-figures: warning: bowling: left out:.*SN_ODE=OFF" "$folder/stderr"; then
    mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -vx bowling)
    grep -v "bowling: left out" "$folder/stderr" >"$folder/others"
    mv "$folder/others" "$folder/stderr"
    cp "$page" "$pages"
    printf '\n## Pins [bowling]\n\nas they were\n' >>"$page"
    "$figures" --quick --out "$folder" bowling rotation >"$folder/stdout" 2>&1 || fail "bowling alone: exit code $?"
    grep -q "^as they were$" "$page" || fail "what is left out lost its section"
    cp "$pages" "$page"
fi
[ ! -s "$folder/stderr" ] || fail "on stderr: $(cat "$folder/stderr")"
cat "$folder"/*.md >"$pages"
for name in "${names[@]}"; do
    [ "$(grep -c "^## .* \[$name\]\$" "$pages")" -eq 1 ] || fail "$name: not one section"
done
! grep -qiE '[^a-z](nan|inf)[^a-z]' "$pages" || fail "numbers that are not finite: $(grep -iE '[^a-z](nan|inf)[^a-z]' "$pages")"

# Pictures that sections show, and no others; each with paths of several points that are finite, or with pixels.
mapfile -t shown < <(sed -n 's/^!\[.*\](\(.*\.svg\))$/\1/p' "$pages" | sort)
[ "${#shown[@]}" -ge "${#names[@]}" ] || fail "${#shown[@]} pictures for ${#names[@]} figures"
[ "$(cd "$folder" && ls ./*.svg | sed 's|^\./||' | sort)" = "$(printf '%s\n' "${shown[@]}")" ] || fail "pictures that no section shows"
for picture in "${shown[@]}"; do
    xmllint --noout "$folder/$picture" || fail "$picture does not parse"
    [ "$(grep -cE '<path d="M[-0-9.]+ [-0-9.]+L|href="data:image/png;base64,iVBORw0KGgo' "$folder/$picture")" -ge 1 ] || fail "$picture holds no data"
    ! grep -v base64 "$folder/$picture" | grep -qiE '[ML" ](-?nan|-?inf)' || fail "$picture: numbers that are not finite"
done

# One section anew: the others stay as they are.
sed -i 's/^## \(.*\) \[table1\]$/&\nkept/' "$page"
"$figures" --quick --out "$folder" rotation >/dev/null || fail "rotation alone: exit code $?"
grep -q '^kept$' "$page" || fail "another section was lost"
"$figures" --quick --out "$folder" unheard-of >"$folder/stdout" 2>"$folder/stderr"
[ $? -eq 2 ] || fail "an unknown figure was taken"
"$figures" --quick --out "$folder/nowhere" rotation >"$folder/stdout" 2>"$folder/stderr"
[ $? -eq 1 ] && [ "$(wc -l <"$folder/stderr")" -eq 1 ] || fail "a folder that is not there: $(cat "$folder/stderr")"

[ "$failures" -eq 0 ]
