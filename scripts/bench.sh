#!/usr/bin/env bash
# Prints k6's speed beside a native Go program's over the same client library, measured in turns: `make bench`.
# Leave the machine alone meanwhile (about ten minutes). Options go to scripts/bench/ratios, such as -rounds 3.
set -euo pipefail
cd "$(dirname "$0")/.."

go build -C scripts/bench/native -trimpath -o "$PWD/bin/native" .
go build -C scripts/bench/ratios -trimpath -o "$PWD/bin/ratios" .
bin/k6 run --quiet scenarios/stock-load.js
bin/ratios "$@"
