#!/usr/bin/env bash
# Makes a picture of a page: of what a window of that size shows, or of the part of the page that
# has the id.
#
#   scripts/screenshot.sh PAGE.html PICTURE.png WIDTH,HEIGHT [ID]
#
# SCALE is how many pixels of the picture a pixel of the page has.
set -euo pipefail

(($# == 3 || $# == 4)) || { echo 'screenshot.sh: it takes a page, a picture, WIDTH,HEIGHT, and the id of a part' >&2; exit 2; }
page=$(realpath "$1") picture=$2 size=$3 id=${4:-}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# What stands beside the part, and above it, is left out.
[[ -z $id ]] || {
  cat "$page"
  echo "<style>body *:not(:has(#$id)):not(#$id):not(#$id *) { display: none !important } h1, h2, h3 { margin-top: 0 !important } body { padding-top: 1rem }</style>"
} >"$room/page.html"
[[ -n $id ]] || cp "$page" "$room/page.html"
"$("$(dirname "${BASH_SOURCE[0]}")/browser.sh")" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$room/browser" \
  --window-size="$size" --force-device-scale-factor="${SCALE:-1}" --screenshot="$room/picture.png" "file://$room/page.html" 2>"$room/browser.log" ||
  { tail -n 5 "$room/browser.log" >&2; exit 1; }
mv "$room/picture.png" "$picture"
