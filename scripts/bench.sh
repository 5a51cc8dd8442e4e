#!/usr/bin/env bash
# Prints what k6 costs, measured side by side: `make bench`. k6 beside a native Go program over the
# same client library, in turns; that library beside machgo, Machbase's own; 512 clients; operations
# of nothing; recording one; gates that judge runs which are alike and runs that are slower; gets
# from memcached beside Go programs over the same wire code and over gomemcache, and beside programs
# that exchange the same bytes and decode nothing, in Go and, where there is a cc, in C; NATS beside
# a Go program over nats.go; ReadBulk beside ghz; sweeps that stream beside sweeps that do not.
# Leave the machine alone meanwhile (more than an hour). Options go to scripts/bench/ratios, such as
# -rounds 3 or -only core,nats.
set -euo pipefail
cd "$(dirname "$0")/.."

go build -C scripts/bench/programs -trimpath -o "$PWD/bin/" ./caches ./floor ./nats ./native
if command -v cc >/dev/null; then
  cc -O2 -pthread -o bin/floor-epoll scripts/bench/programs/floor/c/epoll.c
fi
go build -C scripts/bench/ratios -trimpath -o "$PWD/bin/ratios" .
bin/k6 run --quiet scenarios/stock-load.js
bin/ratios "$@"
