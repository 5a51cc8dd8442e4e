#!/usr/bin/env bash
# Uses a processor in bursts of 50 to 900 ms, with pauses of the same length, until it is stopped:
# the neighbour of all proofs.
set -euo pipefail

trap 'kill "${burst:-}" 2>/dev/null; exit 0' TERM INT
milliseconds() { printf '0.%03d' $((RANDOM % 851 + 50)); }
while true; do
  timeout "$(milliseconds)" bash -c 'while true; do :; done' &
  burst=$!
  wait "$burst" || true
  sleep "$(milliseconds)" &
  burst=$!
  wait "$burst" || true
done
