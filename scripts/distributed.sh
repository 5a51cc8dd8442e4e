#!/usr/bin/env bash
# Runs a scenario in several k6 processes on this machine, each with an execution segment, as
# k6-operator does on several machines, and merges their reports. Usage: `distributed.sh help`.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=servers/lib/process.sh
. "$scripts/servers/lib/process.sh"

k6=${K6:-${scripts%/*}/bin/k6}
count=4
results=${SWEEP_RESULTS:-results}
given=${SWEEP_GATES:-}   # the gates, as the setting names their file
gates=''      # the resolved path of the file
portable=${SWEEP_PORTABLE:-true}
window=${SWEEP_DURATION:-${SWEEP_MAX_DURATION:-}}
script=''
settings=()   # -e NAME=VALUE of the script
run_args=()   # more arguments of k6 run
reported=''   # name of the report of -o sweep, if any
pids=()
births=()     # start times of the processes: process ids can be reused
ports=()
signals=0
patience=5    # seconds for a part to answer; it is asked again while it runs

export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

usage() {
  cat <<EOF
distributed.sh [--parts N] -- SCRIPT [-e NAME=VALUE ...] [options of k6 run]

Runs SCRIPT in N processes (default 4, at most the number of clients of the largest step), each with its share of the
clients. All start together. Their reports in RESULTS/parts/1 and so on are merged into RESULTS/<scenario>.json and the
other formats, and the table is printed. Earlier reports of the same scenarios are removed before the parts start.

Each step has a time window, so that all parts run it at the same time (PORTABLE=true is set): -e DURATION=30s, or
-e ITERATIONS=1000 with -e MAX_DURATION=1m, the length of the window. With -e PORTABLE=false each part starts its next
step as soon as it can, so the parts of a step may not overlap.

With -o sweep, SCRIPT can be any script: its report has the script's name, and it needs no windows. -o 'sweep=?skip=10s'
sets options of the output; the folder is RESULTS, and the gates are GATES.

GATES, a gate file relative to the script, judges the merged report, because a single part cannot be judged.

Exit codes: that of the first part that failed other than by thresholds; else 105 if the run was interrupted; else 104
if the reports cannot be merged; else 99 if a gate or a part's threshold is crossed; else 110 if a gate is undecided;
else 0. 2: wrong command line.

Variables: K6 (the binary; default bin/k6), and those of the script, such as SWEEP_RESULTS for -e RESULTS.
EOF
}

say() { printf 'distributed.sh: %s\n' "$*" >&2; }
usage_error() { say "$@"; exit 2; }

main() {
  local code=0 merged
  read_options "$@"
  check_options
  prepare
  trap 'signals=$((signals + 1)); signal_parts INT' INT
  trap 'signals=$((signals + 1)); signal_parts TERM' TERM HUP
  trap 'signal_parts KILL' EXIT
  start_parts
  say "$count parts; their output is in $results/parts/*/k6.log"
  { await_parts && resume_parts; } || signal_parts INT   # one ended before its start
  wait_for_parts || code=$?
  trap - EXIT INT TERM HUP
  case $code in
    0) merge_all || code=$? ;;
    99) merge_all || { merged=$?; ((merged == 110)) || code=$merged; } ;;
    105) merge_all || true ;;   # reports what was measured before the interrupt
  esac
  exit "$code"
}

#
# --- command line

read_options() {
  while (($#)) && [[ $1 != -- ]]; do
    case $1 in
      help | -h | --help) usage; exit 0 ;;
      --parts)
        [[ ${2:-} =~ ^[1-9][0-9]{0,2}$ && $2 != 1 ]] || usage_error "--parts takes an integer from 2 to 999, but is '${2:-}'"
        count=$2
        shift 2
        ;;
      *) usage_error "there is no option '$1': it is distributed.sh [--parts N] -- SCRIPT [-e NAME=VALUE ...]" ;;
    esac
  done
  (($# > 1)) || usage_error 'a script is missing: it is distributed.sh [--parts N] -- SCRIPT [-e NAME=VALUE ...]'
  shift
  while (($#)); do
    case $1 in
      -e | --env)
        setting "${2:-}"
        shift
        ;;
      --env=*) setting "${1#--env=}" ;;
      -o | --out)
        output "${2:-}"
        shift
        ;;
      --out=*) output "${1#--out=}" ;;
      -o*) output "${1#-o}" ;;
      --execution-segment* | --address* | -a | --paused | --linger) usage_error "$1 is set by distributed.sh itself" ;;
      *.js | *.ts | *.tar) script=$1 ;;
      *) run_args+=("$1") ;;
    esac
    shift
  done
  if [[ $reported == . ]]; then reported=$(basename "${script%.*}"); fi
}

# output OUTPUT handles -o of k6 run. The folder and gates of the merged report are not for parts.
output() {
  local query=${1#sweep}
  run_args+=(-o "$1")
  [[ $1 == sweep || $1 == sweep=* ]] || return 0
  [[ -z $query || $query == '=?'* ]] || usage_error "-o $1: a folder is given as -e RESULTS=DIR"
  query="&${query#=?}&"
  [[ $query != *'&gates='* ]] || usage_error "-o $1: gates are given as -e GATES=FILE: they judge the merged report"
  reported=.
  [[ $query != *'&name='* ]] || { reported=${query#*&name=}; reported=${reported%%&*}; }
}

# setting NAME=VALUE passes a setting to the script, except those of the merged report.
setting() {
  case $1 in
    RESULTS=*) results=${1#*=} ;;
    GATES=*) given=${1#*=} ;;
    PORTABLE=*) portable=${1#*=} ;;
    DURATION=* | MAX_DURATION=*)
      window=${1#*=}
      settings+=(-e "$1")
      ;;
    *=*) settings+=(-e "$1") ;;
    *) usage_error "-e takes NAME=VALUE, but has '$1'" ;;
  esac
}

check_options() {
  [[ -f $script ]] || usage_error "there is no script '$script'"
  [[ -x $k6 ]] || usage_error "there is no $k6: run \`make build\`, or set K6"
  [[ $portable == true || $portable == false ]] || usage_error "PORTABLE must be true or false, but is '$portable'"
  if [[ -n $given ]]; then   # relative to the script; checked before the long run
    gates=$given
    [[ $gates == /* ]] || gates=$(dirname "$script")/$gates
    [[ -f $gates ]] || usage_error "there is no file of gates '$gates' (GATES, from the script's folder)"
  fi
  if [[ -z $reported && $portable == true && -z $window ]]; then
    usage_error 'the steps need windows of time: set -e DURATION=30s, or -e ITERATIONS=N and -e MAX_DURATION=1m'
  fi
}

#
# --- parts

# prepare makes an empty folder for each part. Merged reports of an earlier run move to the folder
# previous, so that a failed run leaves no merged report.
prepare() {
  local i name file suffix
  rm -rf -- "${results:?}"/parts/[0-9]*
  for name in $(scenario_names); do
    for file in "$results"/*.json; do
      if ! [[ -f $file ]] || ! grep -q "^  \"scenario\": \"$name\"" "$file"; then continue; fi
      mkdir -p "$results/previous"
      "$k6" x sweep report --list | while read -r _ suffix; do
        [[ ! -f ${file%.json}$suffix ]] || mv -f -- "${file%.json}$suffix" "$results/previous/"
      done
    done
  done
  for ((i = 1; i <= count; i++)); do mkdir -p "$results/parts/$i"; done
}

# scenario_names prints the names of the script's sweeps, which are also names of reports. If k6
# cannot read the script, it prints the name of the script.
scenario_names() {
  local name=${script##*/}
  {
    env -u SWEEP_GATES "$k6" inspect --include-system-env-vars ${settings[@]+"${settings[@]}"} -e PORTABLE=false "$script" </dev/null 2>/dev/null |
      sed -n '/^  "scenarios": {$/,/^  }/s/^    "\([0-9A-Za-z_-]*\)": {$/\1/p'
  } || printf '%s\n' "${name%.*}"
  [[ -z $reported ]] || printf '%s\n' "$reported"
}

start_parts() {
  local i
  for ((i = 0; i < count; i++)); do start_part "$i"; done
}

# start_part I starts a part in a separate process group, so that Ctrl-C reaches it only from us.
start_part() {
  local i sequence=0 part=$(($1 + 1))
  local folder=$results/parts/$part
  for ((i = 1; i < count; i++)); do sequence="$sequence,$i/$count"; done
  free_port
  while [[ " ${ports[*]:-} " == *" $port "* ]]; do free_port; done
  set -m
  # ${settings[@]+...}: in the bash of macOS, an empty array is an unset variable.
  env -u SWEEP_GATES "$k6" run --quiet --no-color ${run_args[@]+"${run_args[@]}"} ${settings[@]+"${settings[@]}"} \
    -e PORTABLE="$portable" -e RESULTS="$folder" \
    --execution-segment "$1/$count:$part/$count" --execution-segment-sequence "$sequence,1" \
    --address "127.0.0.1:$port" --paused "$script" </dev/null >"$folder/k6.log" 2>&1 &
  set +m
  pids[$1]=$!
  births[$1]=$(birth "$!")
  ports[$1]=$port
}

# status PORT [BODY] prints the status of a run from k6's REST API, after sending BODY. It fails
# without an answer in time.
status() {
  local method=GET body=${2:-} answer='' code=0
  [[ -z $body ]] || method=PATCH
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit
    printf '%s /v1/status HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$method" "${#body}" "$body" >&3
    read -r -d '' -t "$patience" answer <&3 || code=$?
    printf '%s' "$answer"
    [[ $code == 1 && -n $answer ]]   # the end of the answer; greater than 1: timeout
  ) 2>/dev/null
}

# await_parts waits until every part has its VUs and pauses before its first step. It fails if a
# part has ended.
await_parts() {
  local i paused=4   # ExecutionStatusPausedBeforeRun in k6's lib/execution.go
  for ((i = 0; i < count; i++)); do
    until [[ $(status "${ports[i]}") == *"\"status\":$paused,"* ]]; do
      is_alive "$i" || start_again "$i" || return 1
      sleep 0.05
    done
  done
}

resume_parts() {
  local i
  for ((i = 0; i < count; i++)); do
    until status "${ports[i]}" '{"data":{"type":"status","id":"default","attributes":{"paused":false}}}' >/dev/null; do
      is_alive "$i" || return 1
      sleep 0.05
    done
  done
}

is_alive() { is_same "${pids[$1]}" "${births[$1]}"; }

# start_again I restarts a part on another port if another process took its port first.
start_again() {
  grep -q ":${ports[$1]}: bind: address already in use" "$results/parts/$(($1 + 1))/k6.log" || return
  say "port ${ports[$1]} is in use: restarting part $(($1 + 1)) on another"
  wait "${pids[$1]}" || true
  start_part "$1"
  ((signals == 0))   # otherwise it started too late to receive the signals
}

# signal_parts SIGNAL: on INT and TERM k6 stops and reports its results; on a second signal it exits
# immediately.
signal_parts() {
  local i
  for ((i = 0; i < ${#births[@]}; i++)); do signal_process "$1" "${pids[i]}" "${births[i]}"; done
}

# rank CODE prints how informative an exit code of k6 is. A part is interrupted if another part
# failed before the start.
rank() {
  case $1 in
    0) echo 0 ;;
    99) echo 1 ;;
    105) echo 2 ;;
    *) echo 3 ;;
  esac
}

# wait_for_parts returns the code with the highest rank, of the first part that has it. bash handles
# a signal just before a wait only after it, so this waits only for ended processes.
wait_for_parts() {
  local i code worst=0
  for ((i = 0; i < count; i++)); do
    while is_alive "$i"; do sleep 0.1; done
    code=0
    wait "${pids[i]}" || code=$?
    ((code)) || continue
    say "part $((i + 1)) ended with exit code $code; $results/parts/$((i + 1))/k6.log ends with:"
    tail -n 15 "$results/parts/$((i + 1))/k6.log" | sed 's/^/  /' >&2
    if (($(rank "$code") > $(rank "$worst"))); then worst=$code; fi
  done
  return "$worst"
}

#
# --- reports

# merge_all merges the reports of every scenario. It returns 104 if reports do not fit together, 99
# if a gate is crossed, 110 if one is undecided.
merge_all() {
  local file code worst=0
  local -a parts
  for file in "$results"/parts/*/*.json; do
    [[ -f $file ]] || { say "no part has written a report to $results/parts"; return 104; }
    parts=("$results"/parts/*/"${file##*/}")
    [[ $file == "${parts[0]}" ]] || continue   # already merged
    code=0
    merge "${parts[@]}" || code=$?
    if ((code != 0 && worst != 104 && !(code == 110 && worst == 99))); then worst=$code; fi
  done
  return "$worst"
}

# merge PART... writes all formats, and prints the table and the verdicts of gates.
merge() {
  local name=${1##*/} into
  into=$results/${name%.json}
  "$k6" x sweep merge "$@" -o "$into.json" >&2 || return
  "$k6" x sweep report "$into.json" --all || return
  if [[ $portable != true && -z $reported ]]; then
    say "PORTABLE=$portable: parts started their steps independently; the ops/s of steps that did not overlap do not add up"
  fi
  [[ -z $gates ]] || "$k6" x sweep gate "$into.json" "$gates"
}

main "$@"
