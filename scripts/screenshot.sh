#!/usr/bin/env bash
# Makes a picture of a page in a window of this size, or of the element with this id.
#
#   scripts/screenshot.sh PAGE.html PICTURE.png WIDTH,HEIGHT [ID]
#
# SCALE is the number of pixels of the picture for each pixel of the page.
set -euo pipefail

(($# == 3 || $# == 4)) || { echo 'screenshot.sh: it takes a page, a picture, WIDTH,HEIGHT, and the id of a part' >&2; exit 2; }
page=$(realpath "$1") picture=$2 size=$3 id=${4:-}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# Hides everything except the element.
[[ -z $id ]] || {
  cat "$page"
  echo "<style>body *:not(:has(#$id)):not(#$id):not(#$id *) { display: none !important } h1, h2, h3 { margin-top: 0 !important } body { padding-top: 1rem }</style>"
} >"$room/page.html"
[[ -n $id ]] || cp "$page" "$room/page.html"
"$("$(dirname "${BASH_SOURCE[0]}")/browser.sh")" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$room/browser" \
  --window-size="$size" --force-device-scale-factor="${SCALE:-1}" --screenshot="$room/picture.png" "file://$room/page.html" 2>"$room/browser.log" ||
  { tail -n 5 "$room/browser.log" >&2; exit 1; }
mv "$room/picture.png" "$picture"
