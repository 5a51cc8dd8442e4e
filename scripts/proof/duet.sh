#!/usr/bin/env bash
# Shows what a duet sees while a neighbour takes the processor in random bursts, half of the time:
# how often it takes a build for slower than itself (a false alarm), and how often it sees one that
# is. Three other ways to compare two builds do the same beside it, in the same time. The emulator
# is a cache whose operations take a known amount of work, 1 ms of a processor: of less, what k6 and
# the emulator need for themselves is so large a part that 5 % more work are not 5 % less speed.
#
#   scripts/proof/duet.sh [WAY/CASE...]     all trials of these, or of all; goes on where it stopped
#   scripts/proof/duet.sh --once WAY/CASE   one trial; prints the outcomes of both gates, and more
#   scripts/proof/duet.sh --tally           what was seen so far, as Markdown
#   scripts/proof/duet.sh --write           writes that into README.md beside this file
#
# Ways: duet, recorded, memtier, pairs (see ways/). Cases: same, same-memcached, same-machbase (both
# sides are of one build, 20 s), slower-5 (5 % more work, 20 s), slower-3 (3 %, 60 s), tail-15 (15 %
# more in the slowest two of a hundred, of which p99 is the median, 60 s). The trials come in turns:
# the next one is always of what has the smallest part of its trials. All together take some four
# hours, on two processors that nobody else uses.
#
# A trial is judged by gates, as a run is: of ops/s and p99, with Holm's correction at 0.01.
#
# Variables: UNTIL=23:30 begins no trial after that time, QUIET_HERE=true has no neighbour,
# SECONDS_EACH=5 makes shorter ones, MEMTIER names memtier_benchmark. What was seen is in
# trials/duet.tsv beside this file, with day and commit, so that it goes on on another machine as
# well; remove it to begin anew.
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

# What is measured: way/case, seconds, trials, and how many of these may (<=) or have to (>=) be
# told as worse. The first three share one bound. Nothing is wanted of the other ways.
plan='duet/slower-5 20 60 >=57
duet/same 20 100 <=3
duet/tail-15 60 40 >=36
duet/slower-3 60 60 >=57
duet/same-memcached 20 40 <=3
duet/same-machbase 20 40 <=3
recorded/slower-5 20 8 -
recorded/same 20 8 -
memtier/slower-5 20 8 -
memtier/same 20 8 -
pairs/slower-5 20 8 -
pairs/same 20 8 -'

# emulate NAME FLAGS... starts an emulator, and sets the variable to its address.
emulate() {
  "$work/duet" -rounds "$rounds" "${@:2}" >"$work/$1" &
  until [[ -s $work/$1 ]]; do sleep 0.05; done
  export "$1=$(<"$work/$1")"
}

# beside prints what the way says of the servers at base and change.
beside() { scripts/proof/ways/"$way".sh "$work"; }

# emulated is a trial of two emulators, the change's with these flags and both with those in both.
emulated() {
  emulate base "${both[@]}"
  emulate change "${both[@]}" "$@"
  beside
}

# with_two SERVER runs this script again between two servers of the kind: first the base's, in a
# room of its own, then the change's.
with_two() {
  env -u "$2" SERVERS_ROOM=duet-base scripts/servers.sh with "$1" -- scripts/proof/duet.sh --second "$1" "$2" "$named"
}
second() {
  base=${!2} SERVERS_ROOM='' env -u "$2" scripts/servers.sh with "$1" -- scripts/proof/duet.sh --inner "$2" "$3"
}

# inner is a trial between two servers that are up.
inner() {
  export base change=${!1}
  if [[ $case == same-machbase ]]; then
    export SCENARIO=stock-rollup
    for MACHBASE_URL in "$base" "$change"; do
      bin/k6 run --quiet -e MACHBASE_URL="$MACHBASE_URL" -e TPS=200 -e AHEAD=10 scenarios/stock-load.js >&2
    done
  fi
  disturbed
  beside
}

# disturbed starts the neighbour.
disturbed() { if [[ ${QUIET_HERE:-} != true ]]; then scripts/proof/neighbour.sh & fi; }

trial() {
  case $case in
    same-memcached) with_two memcached MEMCACHED_URL; return ;;
    same-machbase) with_two machbase MACHBASE_URL; return ;;
  esac
  disturbed
  both=()
  case $case in
    same) emulated ;;
    slower-5) emulated -rounds $((rounds * 105 / 100)) ;;
    slower-3) emulated -rounds $((rounds * 103 / 100)) ;;
    tail-15)
      rounds=$((rounds * 3 / 10)) both=(-slow 0.02 -tail 30) # of 300 us, and 9 ms
      CLIENTS=2 emulated -tail 34.5
      ;;
    *) echo "there is no case $case" >&2; return 1 ;;
  esac
}

# prepare takes apart the name of what is measured, and makes what a trial needs.
prepare() {
  named=$1 way=${1%/*} case=${1#*/}
  SECONDS_EACH=${SECONDS_EACH:-$(awk -v name="$named" '$1 == name { print $2 }' <<<"$plan")}
  export SECONDS_EACH CLIENTS=${CLIENTS:-4} SCENARIO=cache-sweep
  go build -C scripts -o "$work/" ./proof/duet
  go build -o "$work/" golang.org/x/perf/cmd/benchstat
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

# tally counts the trials in which a gate was crossed: that of p99 in tail-15, of ops/s in slower-,
# and either of them in same. A trial that failed tells nothing, and is counted apart.
tally() {
  [[ -s $seen ]] || { echo 'nothing was seen so far'; return; }
  awk -F'\t' -v plan="$plan" '
    {
      trials[$1]++; ops = $2 == "crossed"; p99 = $3 == "crossed"; failed[$1] += $2 == "failed"
      worse[$1] += $1 ~ /same/ ? ops || p99 : $1 ~ /tail/ ? p99 : ops
      ratio[$1] += $4; visible[$1] += $5; tail[$1] += $6; tailvisible[$1] += $7
    }
    function mean(sum, name, form) { return sum[name] > 0 ? sprintf(form, sum[name] / (trials[name] - failed[name])) : "" }
    END {
      print "| way | case | told as worse | wanted | failed | ops/s: mean ratio | could see | p99: mean ratio | could see |"
      print "|---|---|---:|---:|---:|---:|---:|---:|---:|"
      n = split(plan, lines, "\n")
      for (i = 1; i <= n; i++) {
        split(lines[i], part, " "); split(part[1], name, "/")
        if (trials[part[1]])
          printf "| %s | %s, %d s | %d of %d | %s | %d | %s | %s | %s | %s |\n", name[1], name[2], part[2], worse[part[1]], trials[part[1]] - failed[part[1]],
            part[4] == "-" ? "" : part[4] " of " part[3], failed[part[1]], mean(ratio, part[1], "%.3f"), mean(visible, part[1], "%.3f"), mean(tail, part[1], "%.3f"), mean(tailvisible, part[1], "%.3f")
      }
    }' "$seen"
}

case ${1:-} in
  --tally) tally; exit ;;
  --write) { tally; caption "$seen"; } | put duet; exit ;;
  --second) second "${@:2}"; exit ;;
  --inner) prepare "$3"; inner "$2"; exit ;;
  --once)
    prepare "${2:?which way/case}"
    rounds=$(rounds_here)
    trial
    exit
    ;;
esac
make build >&2
(prepare duet/same && rounds_here >&2) # before there is a neighbour
touch "$seen"
stamp=$(stamp)
while named=$(next "$@") && [[ -n $named && $(date +%H:%M) < ${UNTIL:-99} ]]; do
  said=$(scripts/proof/duet.sh --once "$named" </dev/null | tail -n 1) || said=failed$'\t'failed$'\t\t\t\t'
  printf '%s\t%s\t%s\n' "$named" "$said" "$stamp" | tee -a "$seen"
done
tally
