#!/usr/bin/env bash
# Shows what a duet sees while a neighbour takes the processor in random bursts, half of the time:
# how often it takes a build for slower than itself (a false alarm), how often it sees one that is,
# and how often its intervals have the truth. The emulator is a cache whose operations take a known
# amount of work, 1 ms of a processor: of less, what k6 and the emulator need for themselves is so
# large a part that 5 % more work are not 5 % less speed.
#
#   scripts/proof/duet.sh [CASE...]     all trials of these, or of all; goes on where it stopped
#   scripts/proof/duet.sh --once CASE   one trial; prints its line
#   scripts/proof/duet.sh --tally       what was seen so far, as Markdown
#   scripts/proof/duet.sh --write       writes that into README.md beside this file
#
# Cases: same, same-memcached, same-machbase (both sides are of one build, 20 s), slower-5 (5 %
# more work, 20 s), slower-3 (3 %, 60 s). The trials come in turns: the next one is always of what
# has the smallest part of its trials. All together take some three hours, on two processors that
# nobody else uses.
#
# Variables: UNTIL=23:30 begins no trial after that time, QUIET_HERE=true has no neighbour,
# SECONDS_EACH=5 makes shorter ones. What was seen is in trials/duet.tsv beside this file, with day
# and commit, so that it goes on on another machine as well; remove it to begin anew.
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

# What is measured: case, seconds, trials, and how many of these may (<=) or have to (>=) be told as
# worse by the gate of ops/s.
plan='slower-5 20 60 >=57
same 20 100 <=3
slower-3 60 60 >=57
same-memcached 20 40 <=3
same-machbase 20 40 <=3'

# emulate NAME ROUNDS starts an emulator, and sets the variable to its address.
emulate() {
  "$work/duet" -rounds "$2" >"$work/$1" &
  until [[ -s $work/$1 ]]; do sleep 0.05; done
  export "$1=$(<"$work/$1")"
}

# emulated is a trial of two emulators, the change's with so many hundredths of the base's work.
emulated() {
  emulate base "$rounds"
  emulate change $((rounds * $1 / 100))
  measure
}

# with_two SERVER runs this script again between two servers of the kind: first the base's, in a
# room of its own, then the change's.
with_two() {
  env -u "$2" SERVERS_ROOM=duet-base scripts/servers.sh with "$1" -- scripts/proof/duet.sh --second "$1" "$2" "$case"
}
second() {
  base=${!2} SERVERS_ROOM='' env -u "$2" scripts/servers.sh with "$1" -- scripts/proof/duet.sh --inner "$2" "$3"
}

# inner is a trial between two servers that are up.
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

# measure runs the duet of the servers at base and change, judges it, and prints the line.
measure() {
  local address=MEMCACHED_URL settings=(-e MIX=get:100 -e KEYS=100) run
  if [[ $scenario == stock-rollup ]]; then address=MACHBASE_URL settings=(); fi
  bin/k6 run --quiet --no-color "${settings[@]}" -e CLIENTS=4 -e DURATION="${SECONDS_EACH}s" -e WARMUP=1s -e QUIET=0s -e PAUSE=0s \
    -e RESULTS="$work/results" -e "$address=$change" -e BASE_URL="$base" "scenarios/$scenario.js" >"$work/log" 2>&1 || judged
  run=$(echo "$work"/results/*.json)
  # 0.2 % is what a change of sides moves, and far less than what is to be seen.
  printf '{"scenario": "%s", "relative": {"opsPerSecond": "-0.2%%", "alpha": 0.01}}\n' "$scenario" >"$work/gates.json"
  bin/k6 x sweep gate --json "$run" "$work/gates.json" >"$work/verdicts.json" 2>"$work/log" || judged
  printf '%s\t' "$SECONDS_EACH"
  "$work/duet" -verdicts "$work/verdicts.json" -read "$run"
}

# judged takes the exit codes of what was measured and is crossed or undecided.
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

# prepare checks the name of a case, and makes what a trial needs.
prepare() {
  case=$1 scenario=cache-sweep
  local seconds
  seconds=$(awk -v name="$case" '$1 == name { print $2 }' <<<"$plan")
  [[ -n $seconds ]] || { echo "there is no case $case: there are $(cut -d' ' -f1 <<<"$plan" | paste -sd' ')" >&2; return 1; }
  export SECONDS_EACH=${SECONDS_EACH:-$seconds}
  go build -C scripts -o "$work/" ./proof/duet
}

# rounds_here are the rounds that take 1 ms here: found once, so that all trials do the same work.
rounds_here() {
  mkdir -p results
  [[ -s results/duet-proof.rounds ]] || "$work/duet" -calibrate 1ms >results/duet-proof.rounds
  cat results/duet-proof.rounds
}

# next prints which trial comes next: of what has the smallest part of its trials.
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

# tally says of each case how often the gate of ops/s was crossed, how often the interval of 95 % of
# a ratio is without 1, and by how much trials differ: the deviation of the ratios by the error that
# they claim. A trial that failed tells nothing, and is counted apart.
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
      print "| case | told as worse | wanted | failed | ops/s: mean ratio | intervals without 1 | spread by claimed error | p99: mean ratio | intervals without 1 | spread by claimed error |"
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
(prepare same && rounds_here >&2) # before there is a neighbour
mkdir -p "${seen%/*}"
touch "$seen"
stamp=$(stamp)
while named=$(next "$@") && [[ -n $named && $(date +%H:%M) < ${UNTIL:-99} ]]; do
  said=$(scripts/proof/duet.sh --once "$named" </dev/null | tail -n 1) ||
    said=${SECONDS_EACH:-all}$'\t'failed$'\t\t\t\t\t\t'
  printf '%s\t%s\t%s\n' "$named" "$said" "$stamp" | tee -a "$seen"
done
tally
