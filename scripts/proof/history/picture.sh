#!/usr/bin/env bash
# Makes the picture of a history's page in the docs: 400 made-up commits of 8 steps.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
go run ./scripts/proof/history -page "$room/page.html"
browser=$(scripts/browser.sh)
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$room/browser" --window-size=1270,1300 \
  --force-device-scale-factor=0.8 --screenshot="$room/page.png" "file://$room/page.html" 2>"$room/browser.log" ||
  { tail -n 5 "$room/browser.log" >&2; exit 1; }
mv "$room/page.png" extensions/sweep/history/page.png
