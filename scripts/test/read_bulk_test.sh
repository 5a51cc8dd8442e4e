#!/usr/bin/env bash
# Tests read-bulk.sh and its clients with the gateway's emulator: scripts/servers.sh with mxgateway
# -- scripts/test/read_bulk_test.sh [CLIENT...] Default: the clients k6 and go. The others need
# tools to build, see read-bulk.sh --help and README.md: python3 and PyPI, Java and Maven, Rust. K6
# is the path of k6. Takes half a minute after the build.
set -uo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
: "${MXGW_URL:?there is no gateway: scripts/servers.sh with mxgateway -- $0}" "${MXGW_KEY:?}" "${MXGW_KEY_WITHOUT_READ:?}" "${MXGW_CONTROL:?}"
unset SWEEP_DURATION SWEEP_WARMUP SWEEP_BULK SWEEP_TAGS SWEEP_TLS SWEEP_TLS_CA SWEEP_TLS_SERVER_NAME
(($#)) || set -- k6 go
clients=("$@")
room=$(mktemp -d "${TMPDIR:-/tmp}/read-bulk-test.XXXXXX") || exit 1
trap 'rm -rf "$room"' EXIT
export SWEEP_RESULTS=$room/results
passed=0 failed=0 said='' code=0

# --- helpers

# run CLIENTS OPTION... runs read-bulk.sh for two seconds; sets `said` to its output, `code` to its
# exit code, `report` to its file.
run() {
  local names=$1
  shift
  rm -rf "$room/artifacts"
  code=0
  said=$("$scripts/read-bulk.sh" --clients "$names" --duration 2s --warmup "${warmup:-500ms}" --artifacts "$room/artifacts" "$@" 2>&1) || code=$?
  report=$(cat "$room"/artifacts/*.json 2>/dev/null)
}

# check TEXT COMMAND... is one check, passed if COMMAND succeeds.
check() {
  local text=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok    %s\n' "$text"
  else
    failed=$((failed + 1))
    printf 'FAIL  %s\n      not so: %s\n      exit code %s, printed:\n%s\n' "$text" "$*" "$code" "$said"
  fi
}

exited() { [[ $code == "$1" ]]; }
printed() { [[ $said == *"$1"* ]]; }
not() { ! "$@"; }

# row CLIENT PATTERN matches the client's row in the table.
row() { grep -Eq "^$1 +$2\$" <<<"$said"; }
figure='[0-9]+\.[0-9]{2}'
figures="$figure +([1-9][0-9]*)/[1-9][0-9]* +$figure +$figure +$figure +$figure"
row_of_cached() { row "$1" "$figures" && grep -Eq "^$1 .* ([0-9]+)/\\1 " <<<"$said"; }

# control METHOD PATH [BODY] sends a request to the emulator, and prints the answer.
control() {
  local host=${MXGW_CONTROL#http://} body=${3:-}
  exec 3<>"/dev/tcp/${host%:*}/${host##*:}" || return 1
  printf '%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" "${#body}" "$body" >&3
  cat <&3
  exec 3>&-
}
control_ok() { [[ $(control "$@") == *' 200 OK'* ]]; }

# as_many_as_served compares the number of calls of all clients with the emulator's.
as_many_as_served() {
  local served
  served=$(control GET /summary | sed -n 's/.*"totalCalls": \([0-9]*\).*/\1/p' | tail -n 1)   # the last one is the total
  [[ -n $served ]] && printed "at once: $served calls, 0 failed;"
}

#
# --- all clients together

all=$(IFS=,; printf '%s' "${clients[*]}")
"$scripts/read-bulk.sh" --clients "$all" --build-only || exit 1
run "$all"
check 'all clients at once' exited 0
for client in "${clients[@]}"; do
  check "$client has a row, all of it cached" row_of_cached "$client"
  check "$client says its versions" grep -Eq "^$client: .*[0-9]\.[0-9]" <<<"$said"
  check "$client is in the report" grep -Fq "\"name\": \"$client\"" <<<"$report"
done
check 'the table says that it is an emulator' printed 'backend: emulator of an MXAccess gateway'
check 'and so does the report' grep -Fq '"backend": "emulator of an MXAccess gateway' <<<"$report"

check 'the emulator forgets what was' control_ok DELETE /summary
warmup=0s run "$all"   # clients do not count the warm-up, but the emulator does
check 'no call is lost, and none is invented' as_many_as_served

#
# --- each client with an error

for client in "${clients[@]}"; do
  [[ $client != k6 ]] || continue   # it has its own tests
  MXGW_KEY=mxgw_test_not-the-secret run "$client"
  check "$client with a wrong key ends with one line" row "$client" '.*exit status 1: .*the key is not known here'
  check 'and code 1' exited 1
  check 'and without the key' not printed not-the-secret

  MXGW_KEY=$MXGW_KEY_WITHOUT_READ run "$client"
  check "$client with a key that may not read counts failed calls" row "$client" ".* 0/0 .* ([1-9][0-9]*) of \\1 calls failed"

  control_ok POST /faults 'kind=status,code=UNAVAILABLE,calls=3'
  warmup=0s run "$client"
  check "$client goes on after UNAVAILABLE" row "$client" "$figures +3 of [0-9]* calls failed"

  control_ok POST /faults 'kind=items,items=1'
  run "$client"
  control_ok DELETE /faults
  check "$client counts items that failed, but not as cached" row "$client" "$figures"
  check 'which not all of them are, then' not row_of_cached "$client"
done

#
# --- next to a client that fails

run "${clients[-1]}" --bulk 20 --client 'crash=echo boom >&2; exit 3' --client 'mute=true'
check 'clients that fail are named' row crash '.*exit status 3: boom'
check 'each of them' row mute '.*printed no JSON object'
check 'and the others are kept' row_of_cached "${clients[-1]}"
check 'the exit code tells' exited 1
MXGW_URL='' run "${clients[-1]}"
check 'without an address it says so' printed 'where is the gateway?'
check 'and measures nothing' exited 2
run cobol
check 'a client that it does not know' printed "there is no client 'cobol'; known: k6 go python java rust rust-debug"
check 'is a wrong option' exited 2

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
