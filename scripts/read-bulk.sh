#!/usr/bin/env bash
# Runs several ReadBulk clients at the same time against an MXAccess gateway, and compares them.
# Usage: `read-bulk.sh --help`. This script builds the known clients; scripts/read-bulk runs them.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=${scripts%/*}
sources=$scripts/read-bulk-clients
built=$root/bin/read-bulk-clients   # the built clients
known='k6 go python java rust rust-debug'

usage() {
  cat <<EOF
read-bulk.sh [OPTION VALUE]...   runs all clients at the same time as separate processes, prints their table and writes the report
  --clients NAME,...             known clients, built in release mode if necessary: ${known// /, }
                                 (default without --client: k6,go,python)
  --client NAME=COMMAND          another client; repeatable: a command for sh whose last JSON object is the common one
  --about NAME=TEXT              its versions and build, for the report
  --url URL                      gateway: host:port, or grpcs://host:port for TLS (MXGW_URL)
  --bulk N                       tags per call (SWEEP_BULK, default 6)
  --tags PATTERN                 their names, %03d for the number, or a list with commas (SWEEP_TAGS)
  --duration TIME                measured time of each client (SWEEP_DURATION, default 30s)
  --warmup TIME                  time of identical calls before it (SWEEP_WARMUP, default 2s)
  --slack TIME                   additional time before a client and its processes are killed (default 30s)
  --tls true|false               use TLS (SWEEP_TLS)
  --tls-ca FILE                  authorities to trust (SWEEP_TLS_CA, default: the system's)
  --tls-server-name NAME         server name to verify (SWEEP_TLS_SERVER_NAME)
  --artifacts FOLDER             folder of the report (default artifacts/bench in the checkout)
  --build-only                   only builds the clients of --clients

The key comes from the variable MXGW_KEY. Each client gets it, and MXGW_URL, BULK, TAGS (a list), DURATION, WARMUP, TLS, TLS_CA,
TLS_SERVER_NAME and CLIENT_TIMEOUT (duration + warm-up + slack). Times are in seconds, such as 30s, so \${DURATION%s} is the number:
  --client 'dotnet=mxgw-dotnet bench-read-bulk --duration-seconds \${DURATION%s} --bulk-size \$BULK --endpoint http://\$MXGW_URL'
K6 is the path of k6 (default bin/k6). A line "backend: NAME" in a client's stderr is copied to the report.

Exit code: 0; 1 if a client crashed, was killed, printed no valid object, or had failed calls: the table shows the reason, and the
other rows are valid; 2 for wrong options; 128 + signal after an interrupt, also with a report.
EOF
}

say() { printf 'read-bulk.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
usage_error() { say "$@"; exit 2; }
need() { type -P "$1" >/dev/null || die "$1 is not in PATH: the client $2 needs it"; }

main() {
  local names='' named='' build_only='' name
  local -a options=(--artifacts "$root/artifacts/bench") others=()
  while (($#)); do
    case $1 in
      -h | --help) usage; exit ;;
      --build-only) build_only=yes; shift; continue ;;
      --?*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    (($# > 1)) || usage_error "$1 takes a value; --help lists all options"
    case $1 in
      --clients) names=${2//,/ } named=yes ;;
      --client | --about) others+=("$1" "$2") ;;
      *) options+=("$1" "$2") ;;
    esac
    shift 2
  done
  [[ -n $named || ${#others[@]} -gt 0 ]] || names='k6 go python'
  for name in $names; do
    [[ " $known " == *" $name "* ]] || usage_error "there is no client '$name'; known: $known"
  done

  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  make_or_show driver go build -C "$scripts/read-bulk" -trimpath -o "$root/bin/read-bulk" .
  for name in $names; do
    "build_${name//-/_}"
    options+=(--client "$name=exec $command" --about "$name=$about")
  done
  rm -f "$log"
  [[ -n $build_only ]] || exec "$root/bin/read-bulk" "${options[@]}" "${others[@]}"
}

# make_or_show NAME COMMAND... shows the output of COMMAND only if it fails.
make_or_show() {
  local name=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 15 "$log" | sed 's/^/  /' >&2
  die "cannot build $name"
}

quoted() { printf '%q ' "$@"; }

#
# --- clients: each sets `command`, for sh, and `about`, its versions and build

build_k6() {
  local k6=${K6:-$root/bin/k6} setting
  [[ -n ${K6:-} ]] || make_or_show k6 make -s -C "$root" bin/k6
  [[ -x $k6 ]] || die "there is no k6 at $k6 (K6)"
  export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true
  command=$(quoted "$k6" run --quiet -e CLIENTS=1 -e REPEATS=1 -e ITERATIONS= -e QUIET=0s) # the other clients keep the gateway busy
  for setting in BULK TAGS DURATION WARMUP TLS TLS_CA TLS_SERVER_NAME; do command+="-e $setting=\"\$$setting\" "; done
  command+=$(quoted "$root/scenarios/read-bulk.js")
  about="$("$k6" version | sed -n '1s/^[^ ]* //p'), release build"
}

build_go() {
  command=$(quoted "$root/bin/read-bulk" go)
  about="$(go version -m "$root/bin/read-bulk" | awk 'NR == 1 { go = $2 } $2 == "google.golang.org/grpc" { grpc = $3 } END { print go ", grpc-go " grpc }'), release build"
}

# A virtual environment, made again after a change of versions or the proto file.
build_python() {
  local folder=$built/python proto=$root/scenarios/lib/mxaccess_gateway.proto sum
  need python3 python
  sum=$({ python3 -V; cat "$sources/python/requirements.txt" "$proto"; } | cksum)
  if [[ ! -x $folder/bin/python || ! -r $folder/sum || $(<"$folder/sum") != "$sum" ]]; then
    say "creating the Python client's environment, once"
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 -m venv "$folder" >"$log" 2>&1 || die "python3 -m venv failed: on Debian and Ubuntu, apt-get install python3-venv"
    make_or_show python "$folder/bin/python" -m pip install --disable-pip-version-check --no-deps --only-binary :all: -r "$sources/python/requirements.txt"
    make_or_show python "$folder/bin/python" -m grpc_tools.protoc -I "${proto%/*}" --python_out="$folder" --grpc_python_out="$folder" "$proto"
    printf '%s\n' "$sum" >"$folder/sum"
  fi
  command=$(quoted env PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1 "$folder/bin/python" "$sources/python/read_bulk.py")
  about="$("$folder/bin/python" -V), grpcio $(sed -n 's/^grpcio==//p' "$sources/python/requirements.txt")"
}

build_java() {
  local jar=$built/java/read-bulk.jar
  need java java
  need mvn java
  if [[ ! -e $jar || -n $(find "$sources/java" "$root/scenarios/lib/mxaccess_gateway.proto" -type f -newer "$jar") ]]; then
    say "building the Java client, once"
    make_or_show java mvn -q -B -f "$sources/java/pom.xml" -Dbuild.folder="$built/java" package
  fi
  command=$(quoted java -jar "$jar")
  about="$(java -version 2>&1 | head -n 1 | tr -d '"'), grpc-java $(sed -n 's/.*<grpc.version>\(.*\)<.*/\1/p' "$sources/java/pom.xml")"
}

build_rust() { cargo_build release --release; }
build_rust_debug() { cargo_build debug; }

# cargo_build PROFILE [OPTION]
cargo_build() {
  local profile=$1
  shift
  need cargo rust
  [[ -x $built/rust/$profile/read-bulk ]] || say "building the Rust client ($profile), once; it takes some minutes"
  make_or_show "rust ($profile)" cargo build "$@" --quiet --locked --manifest-path "$sources/rust/Cargo.toml" --target-dir "$built/rust"
  command=$(quoted "$built/rust/$profile/read-bulk")
  about="$(rustc --version | cut -d ' ' -f 1-2), tonic $(sed -n '/^name = "tonic"$/{n;s/.*"\(.*\)"/\1/p;}' "$sources/rust/Cargo.lock"), $profile build"
}

main "$@"
