#!/usr/bin/env bash
# Measures what k6 costs, beside other programs, and writes it to scripts/bench/README.md: `make
# bench`. Rounds are kept in results/bench, and those that are there count: a bench that was stopped
# goes on. Leave the machine alone meanwhile. Options go to scripts/bench/ratios, such as
# -only core,nats -rounds 3 -for 50m.
set -euo pipefail
cd "$(dirname "$0")/.."

go build -C scripts/bench/programs -trimpath -o "$PWD/bin/" ./caches ./empty ./floor ./nats ./native
if command -v cc >/dev/null; then
  cc -O2 -pthread -o bin/floor-epoll scripts/bench/programs/floor/c/epoll.c
fi
go build -C scripts/bench/ratios -trimpath -o "$PWD/bin/ratios" .
exec bin/ratios "$@"
