#!/usr/bin/env bash
# Shows what a duet sees while a neighbour takes the processor in random bursts, half of the time:
# how often it takes a build for slower than itself (a false alarm), and how often it sees one that
# is. The emulator is a cache whose operations take a known amount of work, 100 us of a processor.
#
#   scripts/proof/duet.sh [CASE...]       all trials of these cases, or of all; goes on where it stopped
#   scripts/proof/duet.sh --once CASE     one trial; prints its figures
#   scripts/proof/duet.sh --tally         what was seen so far
#
# Cases: same, same-memcached, same-machbase (both sides are of one build, 20 s), slower-5 (5 % more
# work, 20 s), slower-3 (3 %, 60 s), tail-15 (15 % more in the slowest fiftieth, and so at the
# slowest hundredth, 60 s). All together take some four hours, on two processors that nobody else
# uses.
#
# Variables: TRIALS=2 makes two of each, QUIET_HERE=true has no neighbour, SECONDS_EACH=5 makes
# shorter ones. What was seen is in results/duet-proof.tsv; remove it to begin anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seen=results/duet-proof.tsv
base=${base:-} change='' # addresses of the servers
work=$(mktemp -d)
# shellcheck disable=SC2329 # the trap calls it
clean() {
  # shellcheck disable=SC2046 # one word for each
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT

# A case is its name, seconds and trials, and how many of these may (<=) or have to (>=) be told as
# worse. The first three share one bound.
cases='same 20 100 <=3
same-memcached 20 40 <=3
same-machbase 20 40 <=3
slower-5 20 60 >=57
slower-3 60 60 >=57
tail-15 60 40 >=36'

# neighbour takes a processor in bursts of up to 900 ms, with rests as long.
neighbour() {
  while true; do
    timeout "0.$((RANDOM % 9 + 1))" bash -c 'while true; do :; done' || true
    sleep "0.$((RANDOM % 9 + 1))"
  done
}

# emulate NAME FLAGS... starts an emulator, and sets the variable to its address.
emulate() {
  local name=$1
  shift
  "$work/duet" -rounds "$rounds" "$@" >"$work/$name" &
  until [[ -s $work/$name ]]; do sleep 0.05; done
  printf -v "$name" '%s' "$(<"$work/$name")"
}

# beside SCENARIO SETTINGS... runs a scenario for the case's time, and prints the figures.
beside() {
  local scenario=$1 settings=()
  shift
  for setting in "$@" CLIENTS=4 WARMUP=1s QUIET=0s PAUSE=0s DURATION="${SECONDS_EACH:-$seconds}s" RESULTS="$work/results"; do
    settings+=(-e "$setting")
  done
  bin/k6 run --quiet --no-color "${settings[@]}" "scenarios/$scenario.js" >"$work/log" 2>&1 || [[ $? == 99 || $? == 110 ]] ||
    { cat "$work/log" >&2; return 1; }
  "$work/duet" -read "$work/results/$scenario.json"
}

# emulated runs a duet of two emulators, with flags of the base before -- and of the change behind.
emulated() {
  local flags=()
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  emulate base -rounds "$rounds" "${flags[@]}"
  emulate change -rounds "$rounds" "$@"
  beside cache-sweep MIX=get:100 KEYS=100 MEMCACHED_URL="$change" BASE_URL="$base"
}

# machbase_duet loads both servers, and runs the roll-up query; its address is the change's.
machbase_duet() {
  bin/k6 run --quiet -e MACHBASE_URL="$MACHBASE_URL" -e TPS=200 scenarios/stock-load.js >&2
  bin/k6 run --quiet -e MACHBASE_URL="$base" -e TPS=200 scenarios/stock-load.js >&2
  beside stock-rollup MACHBASE_URL="$MACHBASE_URL" BASE_URL="$base"
}

# with_two SERVER runs this script again with two servers of the kind.
with_two() {
  env -u "$2" SERVERS_ROOM=duet-base scripts/servers.sh with "$1" -- scripts/proof/duet.sh --second "$1" "$2" "$name"
}

# second starts the other server: the first one, in a room of its own, is the base's.
second() {
  base=${!2} SERVERS_ROOM='' env -u "$2" scripts/servers.sh with "$1" -- scripts/proof/duet.sh --inner "$3"
}

# trial does one trial of the case.
trial() {
  case $name in
    same) emulated -- ;;
    slower-5) emulated -- -rounds $((rounds * 105 / 100)) ;;
    slower-3) emulated -- -rounds $((rounds * 103 / 100)) ;;
    tail-15) emulated -slow 0.02 -tail 10 -- -slow 0.02 -tail 11.5 ;;
    same-memcached) with_two memcached MEMCACHED_URL ;;
    same-machbase) with_two machbase MACHBASE_URL ;;
    *) echo "there is no case $name" >&2; return 1 ;;
  esac
}

# inner is a trial between two servers that are up: base is the address of the base's.
inner() {
  case $name in
    same-memcached) beside cache-sweep MIX=get:100 KEYS=100 MEMCACHED_URL="$MEMCACHED_URL" BASE_URL="$base" ;;
    same-machbase) machbase_duet ;;
  esac
}

# prepare sets the name and the seconds of a case, and makes what trials need.
prepare() {
  name=$1
  seconds=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$cases")
  go build -o "$work/duet" ./scripts/proof/duet
}

# tally counts the trials in which all of an interval of 95 % is worse than what is tolerated: 1 %
# of ops/s, 3 % of p99. Of tail-15 that is p99, of the others ops/s; of the same build either of
# them is an alarm.
tally() {
  [[ -s $seen ]] || { echo 'nothing was seen so far'; return; }
  awk -F'\t' -v cases="$cases" '
    BEGIN { n = split(cases, line, "\n"); for (i = 1; i <= n; i++) { split(line[i], part, " "); order[i] = part[1]; of[part[1]] = part[3]; bound[part[1]] = part[4] } }
    {
      ops = $4 < 0.99; p99 = $7 > 1.03
      trials[$1]++
      worse[$1] += $1 ~ /^same/ ? ops || p99 : $1 ~ /^tail/ ? p99 : ops
      any[$1] += $4 < 1
      ratio[$1] += $2; visible[$1] += $5; tail[$1] += $6; tailvisible[$1] += $9
    }
    END {
      for (i = 1; i <= n; i++) if (trials[name = order[i]])
        printf "%-15s told as worse: %d of %d (wanted: %s of %d); ops/s: %d with an interval below 1, mean ratio %.3f, could see %.1f %%; p99: mean ratio %.3f, could see %.1f %%\n",
          name, worse[name], trials[name], bound[name], of[name], any[name], ratio[name] / trials[name], 100 * visible[name] / trials[name],
          tail[name] / trials[name], 100 * tailvisible[name] / trials[name]
    }' "$seen"
}

# rounds_here are the rounds that take 100 us here: found once, so that all trials do the same work.
rounds_here() {
  mkdir -p results
  [[ -s results/duet-proof.rounds ]] || "$work/duet" -calibrate 100us >results/duet-proof.rounds
  cat results/duet-proof.rounds
}

case ${1:-} in
  --tally) tally; exit ;;
  --second) second "${@:2}"; exit ;;
  --inner) prepare "$2"; inner; exit ;;
  --once)
    prepare "${2:?which case}"
    rounds=$(rounds_here)
    if [[ ${QUIET_HERE:-} != true ]]; then neighbour & fi
    trial
    exit
    ;;
esac
make build >&2
mkdir -p results
touch "$seen"
while read -r name _ trials _; do
  (($# == 0)) || [[ " $* " == *" $name "* ]] || continue
  while done=$(cut -f1 "$seen" | grep -cx "$name" || true) && ((done < ${TRIALS:-$trials})); do
    said=$(scripts/proof/duet.sh --once "$name" </dev/null)
    printf '%s\t%s\n' "$name" "$said" | tee -a "$seen"
  done
done <<<"$cases"
tally
