#!/usr/bin/env bash
# Puts a run of the main job onto the front page: its table into README.md and
# scripts/bench/README.md, and the upper part of its page into .github/page.png. `make front`
# measures first.
#
#   scripts/bench/front.sh results/stock-rollup.json "make stock-rollup"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

(($# == 2)) || { echo 'front.sh: it takes a report and the command that made it: results/stock-rollup.json "make stock-rollup"' >&2; exit 2; }
report=$1 command=$2
page=$(realpath "${report%.json}.html")

go build -C scripts/bench/ratios -trimpath -o "$PWD/bin/ratios" .
bin/ratios -report "$report" -command "$command"

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
browser=$(scripts/browser.sh)
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$room/browser" --window-size=1200,840 \
  --screenshot="$room/page.png" "file://$page" 2>"$room/browser.log" || { tail -n 5 "$room/browser.log" >&2; exit 1; }
mv "$room/page.png" .github/page.png
