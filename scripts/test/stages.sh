#!/usr/bin/env bash
# Runs stages of `make test`, and prints what each of them took: stages.sh STAGE... [-- STAGE...]
# A stage is the target test-STAGE of the Makefile. Three run at a time. Those after -- run alone,
# once the others have ended: they judge times. What a stage prints goes to results/test/STAGE.log;
# it is shown when the stage fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

at_a_time=3
logs=$PWD/results/test
rm -rf "$logs"
mkdir -p "$logs"
export CLICOLOR=0
unset MAKEFLAGS MFLAGS MAKELEVEL
TIMEFORMAT='%0R %U %S'
all=() running=() failed=()

say() { printf '%(%H:%M:%S)T %s\n' -1 "$*"; }

# start STAGE: runs it in a process group of its own. What it took is in STAGE.took, its exit code
# in STAGE.code.
start() {
  local stage=$1
  say "$stage begins"
  all+=("$stage")
  set -m
  (
    code=0
    { time make --no-print-directory "test-$stage" >"$logs/$stage.log" 2>&1 </dev/null; } 2>"$logs/$stage.took" || code=$?
    printf '%s\n' "$code" >"$logs/$stage.code"
  ) &
  set +m
  running+=("$stage:$!")
}

# reap: waits until a stage has ended, and tells of each that has.
reap() {
  local each stage left=()
  wait -n || true
  for each in "${running[@]}"; do
    stage=${each%:*}
    if [[ ! -s $logs/$stage.code ]] && kill -0 "${each#*:}" 2>/dev/null; then
      left+=("$each")
    elif [[ $(cat "$logs/$stage.code" 2>/dev/null) == 0 ]]; then
      say "$stage has passed"
    else
      failed+=("$stage")
      say "$stage has FAILED:"
      cat "$logs/$stage.log"
    fi
  done
  running=("${left[@]}")
}

# stop: ends what runs, with the servers that it has started.
stop() {
  trap '' INT TERM HUP
  local each
  for each in "${running[@]}"; do kill -TERM -- "-${each#*:}" 2>/dev/null || true; done
  wait
  exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

alone=''
for stage in "$@"; do
  if [[ $stage == -- ]]; then
    alone=yes
    while ((${#running[@]})); do reap; done
    continue
  fi
  limit=$at_a_time
  [[ -z $alone ]] || limit=1
  while ((${#running[@]} >= limit)); do reap; done
  start "$stage"
done
while ((${#running[@]})); do reap; done

echo
{
  printf '%-14s %8s %18s\n' stage seconds 'processor seconds'
  for stage in "${all[@]}"; do
    read -r seconds user system < <(tail -n 1 "$logs/$stage.took")
    printf '%-14s %8d %18d\n' "$stage" "$seconds" "$((${user%.*} + ${system%.*}))"
  done
  printf '%-14s %8d\n' 'all of them' "$SECONDS"
} | tee "$logs/took.txt"
if ((${#failed[@]})); then
  # Who keeps only the end of a long log still sees which tests have failed, and why.
  for stage in "${failed[@]}"; do
    { grep -hE -A 8 '^ *--- FAIL|^FAIL|^panic:|^fatal error:|WARNING: DATA RACE' "$logs/$stage.log" || true; } |
      cut -c 1-300 | sed -n "1,60s/^/$stage: /p"
  done
  printf 'FAILED: %s; see %s\n' "${failed[*]}" "results/test"
  exit 1
fi
