#!/usr/bin/env bash
# Makes the picture of a history's page in the docs: 400 made-up commits of 8 steps.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
go run ./scripts/proof/history -page "$room/page.html"
SCALE=0.7 scripts/screenshot.sh "$room/page.html" extensions/sweep/history/page.png 1270,1300
