# shellcheck shell=bash
# What the ways of scripts/proof have in common: the gates that judge, and how k6 is run.

# Each way is called with a folder for its files, and with both servers' addresses.
work=${1:?a folder} base=${base:?an address} change=${change:?an address}

# tolerated is by how much both figures may get worse: enough for what a change of sides moves, and
# far less than what is to be seen.
opsTolerated=0.2 p99Tolerated=1 alpha=0.01

# gates prints a file of gates; its argument is more of what relative has.
gates() {
  printf '{"scenario": "%s", "relative": {%s "opsPerSecond": "-%s%%", "p99": "+%s%%", "alpha": %s}}\n' \
    "$SCENARIO" "${1:-}" "$opsTolerated" "$p99Tolerated" "$alpha"
}

# sweep SETTINGS... runs the scenario.
sweep() {
  local settings=() setting
  for setting in MIX=get:100 KEYS=100 CLIENTS="$CLIENTS" WARMUP=1s QUIET=0s PAUSE=0s RESULTS="$work/results" "$@"; do
    if [[ $SCENARIO == cache-sweep || $setting != MIX=* && $setting != KEYS=* ]]; then settings+=(-e "$setting"); fi
  done
  bin/k6 run --quiet --no-color "${settings[@]}" "scenarios/$SCENARIO.js" >"$work/log" 2>&1 || [[ $? == 99 || $? == 110 ]] ||
    { cat "$work/log" >&2; return 1; }
}

# address is the setting of the scenario's server.
address() { if [[ $SCENARIO == stock-rollup ]]; then echo MACHBASE_URL; else echo MEMCACHED_URL; fi; }

# judge prints the line of a trial of the run that was last; its argument is that of gates.
judge() {
  local run=$work/results/$SCENARIO.json
  gates "$1" >"$work/gates.json"
  bin/k6 x sweep gate --json "$run" "$work/gates.json" >"$work/verdicts.json" 2>"$work/log" || [[ $? == 99 ]] ||
    { cat "$work/log" >&2; return 1; }
  "$work/duet" -verdicts "$work/verdicts.json" -read "$run"
}
