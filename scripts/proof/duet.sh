#!/usr/bin/env bash
# Measures what a duet detects while a neighbour uses the processor in random bursts, half of the
# time: how often it reports an equal build as slower (a false alarm), how often it detects a slower
# one, and how often its intervals contain the true ratio. The emulator is a cache whose operations
# take a known amount of work, 1 ms of a processor. With less, the overhead of k6 and the emulator
# would be so large that 5 % more work would not mean 5 % less speed.
#
#   scripts/proof/duet.sh [CASE...]     all trials of these or all cases; continues where it stopped
#   scripts/proof/duet.sh --once CASE   one trial; prints its line
#   scripts/proof/duet.sh --tally       prints the results so far, as Markdown
#   scripts/proof/duet.sh --write       writes them into README.md in this folder
#
# Cases: same, same-memcached, same-machbase (both sides have one build, 20 s), slower-5 (5 % more
# work, 20 s), slower-3 (3 %, 60 s). The next trial is always from the case with the smallest
# fraction done. All together take some three hours, on two otherwise idle processors.
#
# Variables: UNTIL=23:30 starts no trial after that time, QUIET_HERE=true has no neighbour,
# SECONDS_EACH=5 makes trials shorter. trials/duet.tsv in this folder has the results, with day and
# commit, so that another machine can continue; remove it to begin again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=page.sh
source scripts/proof/page.sh

seen=scripts/proof/trials/duet.tsv
work=$(mktemp -d)
# shellcheck disable=SC2329 # the trap calls it
clean() {
  # shellcheck disable=SC2046 # one word for each
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# Cases: name, seconds, trials, and how many of them may (<=) or must (>=) be reported as worse by
# the gate on ops/s.
plan='slower-5 20 60 >=57
same 20 100 <=3
slower-3 60 60 >=57
same-memcached 20 40 <=3
same-machbase 20 40 <=3'

# emulate NAME ROUNDS starts an emulator, and sets the variable NAME to its address.
emulate() {
  "$work/proof" duet -rounds "$2" >"$work/$1" &
  until [[ -s $work/$1 ]]; do sleep 0.05; done
  export "$1=$(<"$work/$1")"
}

# emulated runs a trial with two emulators; the work of the change is in percent of the base's.
emulated() {
  emulate base "$rounds"
  emulate change $((rounds * $1 / 100))
  measure
}

# with_two SERVER runs this script again with two servers: the base's, with a separate SERVERS_ROOM,
# and the change's.
with_two() {
  env -u "$2" SERVERS_ROOM=duet-base scripts/servers.sh with "$1" -- scripts/proof/duet.sh --second "$1" "$2" "$case"
}
second() {
  base=${!2} SERVERS_ROOM='' env -u "$2" scripts/servers.sh with "$1" -- scripts/proof/duet.sh --inner "$2" "$3"
}

# inner runs a trial with two running servers.
inner() {
  export base=${base:?an address} change=${!1}
  if [[ $case == same-machbase ]]; then
    scenario=stock-rollup
    for MACHBASE_URL in "$base" "$change"; do
      bin/k6 run --quiet -e MACHBASE_URL="$MACHBASE_URL" -e TPS=200 -e AHEAD=10 scenarios/stock-load.js >&2
    done
  fi
  disturbed
  measure
}

# disturbed starts the neighbour.
disturbed() { if [[ ${QUIET_HERE:-} != true ]]; then scripts/proof/neighbour.sh & fi; }

# measure runs the duet with the servers at base and change, judges it, and prints the line.
measure() {
  local address=MEMCACHED_URL settings=(-e MIX=get:100 -e KEYS=100) run
  if [[ $scenario == stock-rollup ]]; then address=MACHBASE_URL settings=(); fi
  bin/k6 run --quiet --no-color "${settings[@]}" -e CLIENTS=4 -e DURATION="${SECONDS_EACH}s" -e WARMUP=1s -e QUIET=0s -e PAUSE=0s \
    -e RESULTS="$work/results" -e "$address=$change" -e BASE_URL="$base" "scenarios/$scenario.js" >"$work/log" 2>&1 || judged
  run=$(echo "$work"/results/*.json)
  # 0.2 % is the effect of swapping sides, and far below the changes to detect.
  printf '{"scenario": "%s", "relative": {"opsPerSecond": "-0.2%%", "alpha": 0.01}}\n' "$scenario" >"$work/gates.json"
  bin/k6 x sweep gate --json "$run" "$work/gates.json" >"$work/verdicts.json" 2>"$work/log" || judged
  printf '%s\t' "$SECONDS_EACH"
  "$work/proof" duet -verdicts "$work/verdicts.json" -read "$run"
}

# judged accepts the exit codes for crossed and undecided.
judged() { [[ $? == 99 || $? == 110 ]] || { cat "$work/log" >&2; return 1; }; }

trial() {
  case $case in
    same-memcached) with_two memcached MEMCACHED_URL; return ;;
    same-machbase) with_two machbase MACHBASE_URL; return ;;
  esac
  disturbed
  case $case in
    same) emulated 100 ;;
    slower-5) emulated 105 ;;
    slower-3) emulated 103 ;;
  esac
}

# prepare checks the name of a case, and builds the programs.
prepare() {
  case=$1 scenario=cache-sweep
  local seconds
  seconds=$(awk -v name="$case" '$1 == name { print $2 }' <<<"$plan")
  [[ -n $seconds ]] || { echo "there is no case $case: there are $(cut -d' ' -f1 <<<"$plan" | paste -sd' ')" >&2; return 1; }
  export SECONDS_EACH=${SECONDS_EACH:-$seconds}
  go build -C scripts -o "$work/" ./proof
}

# rounds_here prints the rounds for 1 ms on this machine: measured once, so that all trials do equal
# work.
rounds_here() {
  mkdir -p results
  [[ -s results/duet-proof.rounds ]] || "$work/proof" duet -calibrate 1ms >results/duet-proof.rounds
  cat results/duet-proof.rounds
}

# next prints the next case: the one with the smallest fraction of its trials done.
next() {
  awk -F'\t' -v plan="$plan" -v only=" $* " '
    { done[$1]++ }
    END {
      n = split(plan, lines, "\n"); least = 1
      for (i = 1; i <= n; i++) {
        split(lines[i], part, " ")
        if (only != "  " && !index(only, " " part[1] " ")) continue
        if (done[part[1]] / part[3] < least) { least = done[part[1]] / part[3]; found = part[1] }
      }
      print found
    }' "$seen"
}

# tally prints for each case how often the gate on ops/s was crossed, how often the 95 % interval of
# a ratio excludes 1, and how much trials differ: the deviation of the ratios divided by their
# claimed error. Failed trials are counted separately.
tally() {
  [[ -s $seen ]] || { echo 'nothing was seen so far'; return; }
  awk -F'\t' -v plan="$plan" '
    {
      name = $1; seconds[name] = seconds[name] ? (seconds[name] == $2 ? $2 : "some") : $2
      trials[name]++; if ($3 == "failed") { failed[name]++; next }
      worse[name] += $3 == "crossed"
      for (f = 0; f < 2; f++) {
        ratio = $(4 + 3 * f); low = $(5 + 3 * f); high = $(6 + 3 * f)
        if (ratio <= 0) continue
        k = name SUBSEP f; l = log(ratio); e = (log(high) - log(low)) / 2 / 1.96
        n[k]++; sum[k] += l; squares[k] += l * l; claimed[k] += e * e; without[k] += low > 1 || high < 1
      }
    }
    function figure(k,    mean) {
      if (n[k] < 2) return " | | |"
      mean = sum[k] / n[k]

      return sprintf(" %.3f | %d of %d | %.2f |", exp(mean), without[k], n[k], sqrt((squares[k] - n[k] * mean * mean) / (n[k] - 1) / (claimed[k] / n[k])))
    }
    END {
      print "| case | reported as worse | wanted | failed | ops/s: mean ratio | intervals without 1 | spread by claimed error | p99: mean ratio | intervals without 1 | spread by claimed error |"
      print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
      lines = split(plan, line, "\n")
      for (i = 1; i <= lines; i++) {
        split(line[i], part, " "); name = part[1]
        if (trials[name])
          printf "| %s, %s s | %d of %d | %s of %s | %d |%s%s\n", name, seconds[name], worse[name], trials[name] - failed[name],
            part[4], part[3], failed[name], figure(name SUBSEP 0), figure(name SUBSEP 1)
      }
    }' "$seen"
}

case ${1:-} in
  --tally) tally; exit ;;
  --write) { tally; caption "$seen"; } | put duet; exit ;;
  --second) second "${@:2}"; exit ;;
  --inner) prepare "$3"; inner "$2"; exit ;;
  --once)
    prepare "${2:?which case}"
    rounds=$(rounds_here)
    trial
    exit
    ;;
esac
make build >&2
for named in same "$@"; do (prepare "$named"); done
(prepare same && rounds_here >&2) # without the neighbour
mkdir -p "${seen%/*}"
touch "$seen"
stamp=$(stamp)
while named=$(next "$@") && [[ -n $named && $(date +%H:%M) < ${UNTIL:-99} ]]; do
  said=$(scripts/proof/duet.sh --once "$named" </dev/null | tail -n 1) ||
    said=${SECONDS_EACH:-all}$'\t'failed$'\t\t\t\t\t\t'
  printf '%s\t%s\t%s\n' "$named" "$said" "$stamp" | tee -a "$seen"
done
tally
