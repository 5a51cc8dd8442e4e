#!/usr/bin/env bash
# Puts a run of the main benchmark onto the front page: its table into README.md and
# scenarios/figures.md, and the upper part of its page into .github/page.png. `make front` runs it.
#
#   scripts/bench/front.sh results/stock-rollup.json "make stock-rollup"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

(($# == 2)) || { echo 'front.sh: it takes a report and the command that made it: results/stock-rollup.json "make stock-rollup"' >&2; exit 2; }
report=$1 command=$2

make -s bin/bench
bin/bench report -command "$command" "$report"

scripts/screenshot.sh "${report%.json}.html" .github/page.png 1200,840
