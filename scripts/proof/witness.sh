#!/usr/bin/env bash
# Measures how often a step reports correctly what limited it: runs of a step of 4 s, half of them
# sabotaged in one of ten ways. A run is correct if it reports an expected word. A false accusation
# blames k6, a neighbour, the network, ports or files without a reason, or reports a steady step as
# unsteady or a long one as short.
#
#   scripts/proof/witness.sh [ROUNDS]     default: 3 rounds of 20 runs; continues where it stopped
#   scripts/proof/witness.sh --tally      prints the results so far, as a table
#   scripts/proof/witness.sh --write      writes them into README.md in this folder
#   scripts/proof/witness.sh --case NAME  one run of one case, with its evidence
#   scripts/proof/witness.sh --cost       measures and writes the effect of the witness; 20 minutes
#
# It needs two otherwise idle processors, and root for the case quota (a control group). The results
# are in results/witness-proof.tsv; remove it to begin again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=page.sh
source scripts/proof/page.sh

seen=results/witness-proof.tsv
work=$(mktemp -d)
# shellcheck disable=SC2329 # the trap calls it
clean() {
  # shellcheck disable=SC2046 # one word for each
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  [[ -z ${group:-} ]] || rmdir "$group" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# Cases: name, sabotaged or plain, and the correct words.
cases='memcached-64 plain host,k6
memcached-8 plain host,k6,clients
memcached-1 plain clients
wait-8 plain clients
wait-64 plain clients
one-thread plain server
busy-server plain server
busy-server-64 plain server
http-2 plain clients,host,k6
memcached-512 plain host,k6
neighbour sabotaged neighbour
quota sabotaged neighbour
gomaxprocs sabotaged k6
computes sabotaged k6
garbage sabotaged k6
stall sabotaged server
delay sabotaged clients
files sabotaged files
rate sabotaged rate
short sabotaged short'

# serve starts the server or the proxy with flags, and sets url to its address.
serve() {
  "$work/proof" witness "$@" >"$work/address" &
  until [[ -s $work/address ]]; do sleep 0.05; done
  url=$(<"$work/address")
}

# http runs the HTTP script, and cache runs the cache sweep. Words before -- go in front of k6.
http() { k6 "$@" -e URL="http://$url" scripts/proof/witness.js; }
cache() { k6 "$@" -e DURATION="${duration:-4s}" -e WARMUP=500ms -e QUIET=0s scenarios/cache-sweep.js; }
k6() { "${before[@]}" bin/k6 run --quiet --no-color -e RESULTS="$work/run" "$@" >"$work/log" 2>&1 || [[ $? == 99 || $? == 110 ]]; }

# join is a shell script that joins a control group, and then executes k6.
# shellcheck disable=SC2016 # that shell expands it
join='echo $$ >"$0/cgroup.procs"; exec "$@"'

# quota creates a control group with half a processor.
quota() {
  if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
    group=/sys/fs/cgroup/witness-proof-$$
    mkdir "$group"
    echo '50000 100000' >"$group/cpu.max"
  else
    group=/sys/fs/cgroup/cpu/witness-proof-$$
    mkdir "$group"
    echo 50000 >"$group/cpu.cfs_quota_us"
  fi
}

# measure runs one case in a separate process.
measure() {
  before=(env)
  case $1 in
    memcached-1) cache -e CLIENTS=1 ;;
    memcached-8) cache -e CLIENTS=8 ;;
    memcached-64) cache -e CLIENTS=64 ;;
    memcached-512) cache -e CLIENTS=512 ;;
    wait-8) serve -wait 10ms; http -e CLIENTS=8 ;;
    wait-64) serve -wait 100ms; http -e CLIENTS=64 ;;
    one-thread) serve -mode one -wait 4ms; http -e CLIENTS=8 ;;
    busy-server) serve -mode busy -wait 10ms; http -e CLIENTS=8 ;;
    busy-server-64) serve -mode busy -wait 10ms; http -e CLIENTS=64 ;;
    http-2) serve; http -e CLIENTS=2 ;;
    neighbour) for _ in 1 2 3; do scripts/proof/neighbour.sh & done; cache -e CLIENTS=64 ;;
    quota) quota; before=(bash -c "$join" "$group"); cache -e CLIENTS=64 ;;
    gomaxprocs) serve; before=(env GOMAXPROCS=1); http -e CLIENTS=16 ;;
    computes) serve; http -e WORK=compute ;;
    garbage) serve; http -e WORK=garbage ;;
    stall) serve -mode stall; http ;;
    delay) serve -wait 20ms -to "${MEMCACHED_URL#*://}"; MEMCACHED_URL=$url cache -e CLIENTS=8 -e KEYS=100 ;;
    files) serve -wait 5ms; before=(prlimit --nofile=40); http -e CLIENTS=64 -e REUSE=false ;;
    rate) serve; http -e RATE=200 ;;
    short) serve -wait 2ms; http -e DURATION=100ms ;;
    *) echo "there is no case $1" >&2; return 1 ;;
  esac
  [[ -f $(echo "$work"/run/*.csv) ]] || { cat "$work/log" >&2; return 1; }
  # The word is in the column limited_by of the first step, the reason in the JSON.
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { sub(/\r$/, "", $i); if ($i == "limited_by") c = i } }
    NR == 2 { sub(/\r$/, "", $c); printf "%s\t", $c }' "$work"/run/*.csv
  sed -n 's/^ *"why": "\(.*\)",$/\1/p' "$work"/run/*.json | head -1
  [[ -z ${evidence:-} ]] || sed -n '/"evidence": {/,/}/p' "$work"/run/*.json | sed '/}/q'
}

# tally prints the results as a Markdown table, and below it the output of each wrong run.
tally() {
  [[ -s $seen ]] || { echo 'nothing was seen so far'; return; }
  awk -F'\t' '
    { if (!($1 in all)) order[++cases] = $1
      n = split($3, words, ","); ok = 0; for (i = 1; i <= n; i++) if (words[i] == $4) ok = 1
      accused = !ok && $4 ~ /^(k6|neighbour|network|ports|files|unsteady|short)$/
      kind[$1] = $2; expected[$1] = $3; all[$1]++; good[$1] += ok; accusations[$1] += accused
      runs++; right += ok; falsely += accused; sabotaged += $2 == "sabotaged"
      if (!ok) wrong = wrong sprintf("- %s said %s: %s\n", $1, $4, $5) }
    END {
      print "| case | kind | right words | runs | right | wrong | false accusations |"
      print "|---|---|---|---:|---:|---:|---:|"
      for (i = 1; i <= cases; i++) {
        c = order[i]
        printf "| %s | %s | %s | %d | %d | %d | %d |\n", c, kind[c], expected[c], all[c], good[c], all[c] - good[c], accusations[c]
      }
      printf "| all | %d sabotaged | | %d | %d | %d | %d |\n", sabotaged, runs, right, runs - right, falsely
      if (wrong) printf "\n%s", wrong
    }' "$seen"
}

# cost decides from pairs of runs, without and with the witness, whether ops/s, p50 or p99 differ.
# k6 and the server have a processor each: on shared ones the noise needs some thousand pairs.
cost() { # CLIENTS PAIRS
  local one=(taskset -c 0 bin/k6 run --quiet -e CLIENTS="$1" -e DURATION=2s -e WARMUP=500ms -e QUIET=0s scenarios/stock-rollup.js)
  bin/k6 x sweep ab --pairs "$2" --gate opsPerSecond=-2% --gate p50=+2% --gate p99=+2% -- \
    env K6_SWEEP_WITNESS=off "${one[@]}" --- env K6_SWEEP_WITNESS=on "${one[@]}" || [[ $? == 99 || $? == 110 ]]
}

# costs prints the lines of the judged pairs.
costs() {
  taskset -c 0 bin/k6 run --quiet scenarios/stock-load.js >&2
  { cost 8 120; cost 64 90; } | tee "$work/cost" >&2
  stamp >"$work/stamp"
  {
    echo '```'
    awk '/^step/ && !seen++; /^rollup/' "$work/cost"
    printf '```\n\n*120 and 90 pairs of runs of 2 s without the witness and with it'
    awk -F'\t' '{ printf ", %s, of %s, on %s.*\n", $1, $2, $3 }' "$work/stamp"
  } | put cost
}

case ${1:-} in
  --tally) tally; exit ;;
  --write) { tally; caption "$seen"; } | put witness; exit ;;
esac
if [[ ${WITNESS_PROOF_SERVERS:-} != up ]]; then
  make build >&2
  servers=(scripts/servers.sh with memcached)
  [[ ${1:-} != --cost ]] || servers=(taskset -c 1 scripts/servers.sh with machbase)
  WITNESS_PROOF_SERVERS=up exec "${servers[@]}" -- scripts/proof/witness.sh "$@"
fi
go build -C scripts -o "$work/" ./proof
case ${1:-} in
  --case) evidence=yes; measure "${2:?which case}"; exit ;;
  --once) measure "$2"; exit ;;
  --cost) costs; exit ;;
esac
mkdir -p results
touch "$seen"
stamp=$(stamp)
for round in $(seq "${1:-3}"); do
  while read -r name kind words; do
    done=$(cut -f1 "$seen" | grep -cx "$name" || true)
    ((done >= round)) && continue
    said=$(scripts/proof/witness.sh --once "$name" </dev/null) || { echo "$name failed: a later round runs it again" >&2; continue; }
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$kind" "$words" "$said" "$stamp" >>"$seen"
    printf '%-15s %s\n' "$name" "${said/$'\t'/: }"
  done <<<"$cases"
done
tally
