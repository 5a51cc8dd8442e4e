# shellcheck shell=bash disable=SC2154  # scripts is servers.sh's
#
# Builds a server from a tool module under scripts/tools, once, into a cache that all checkouts of
# this user share.

build_job=''     # the running go command, the leader of a separate process group
build_files=''   # folder of its output and of the unfinished binary

# build_go_tool NAME FOLDER MODULE PACKAGE MB sets `binary` to the program PACKAGE of MODULE, built
# as scripts/FOLDER pins it. MB is the disk space for a build with empty Go caches. The file's
# name has the version and a hash of all inputs, so it is never out of date.
build_go_tool() {
  local folder=$scripts/$2 module=$3 package=$3/$4 space=$5 version cache key

  have go || die "go is not in PATH: $1 is built from source, which takes Go 1.26 or later (https://go.dev/dl)"
  cache=$(cache_folder) || die "neither XK6_SWEEP_CACHE nor HOME says where to keep the built $1"
  version=$(sed -n "s|^[[:space:]]*\(require \)*$module \(v[^ ]*\).*|\2|p" "$folder/go.mod")
  key=$(go -C "$folder" env GOVERSION GOOS GOARCH) || die "go does not work in $folder"
  key=$({ printf '%s\n' "$key"; cat "$folder/go.mod" "$folder/go.sum"; } | hash_of_input)
  binary=$cache/$1-$version-$key
  is_intact "$binary" && return 0

  make_cache_folder "$cache"
  exec 8>"$binary.lock"
  take_lock 8 "another build of $1 is under way: waiting for it"
  if ! is_intact "$binary"; then
    [[ ! -e $binary ]] || say "$binary is damaged: building it again"
    if have flock; then rm -rf "$binary".building.*; fi   # of killed builds: we hold the lock, so no build is running
    build_files=$(mktemp -d "$binary.building.XXXXXX") || die "cannot write to the cache folder $cache"
    need_c_compiler
    download_and_compile "$1 $version"
    install_binary "$build_files/binary" "$binary"
    remove_build_files
  fi
  exec 8>&-
}

cache_folder() {
  local folder=${XK6_SWEEP_CACHE:-}
  if [[ -z $folder ]]; then
    folder=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    [[ -n $folder ]] || return 1
    folder=$folder/xk6-sweep
  fi
  case $folder in /*) printf '%s' "$folder" ;; *) printf '%s' "$PWD/$folder" ;; esac
}

hash_of_input() { if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -c 1-12; }

make_cache_folder() {
  { mkdir -p "$1" && [[ -w $1 ]]; } 2>/dev/null ||
    die "cannot write to the cache folder $1: set XK6_SWEEP_CACHE to a folder that you can write to"
}

# The checksum detects a truncated or overwritten file. cksum takes 50 ms for 120 MB, sha256sum ten
# times as long.
is_intact() { [[ -x $1 && -r $1.cksum && $(cksum <"$1") == "$(<"$1.cksum")" ]]; }

# Renamed into place, so that it is never incomplete; the sum first, so that it always exists.
install_binary() {
  cksum <"$1" >"$1.cksum"
  mv -f "$1.cksum" "$2.cksum"
  mv -f "$1" "$2"
}

need_c_compiler() {
  local cc
  cc=$(go env CC)
  have "${cc%% *}" || die "there is no C compiler (${cc%% *} is not in PATH): on Debian and Ubuntu, apt-get install gcc libc6-dev"
  # Unquoted: CC may have flags.
  # shellcheck disable=SC2086
  printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | $cc -x c -o "$build_files/probe" - 2>"$build_files/log" || {
    say "the C compiler ($cc) cannot compile a program of one line; on Debian and Ubuntu, apt-get install libc6-dev"
    show_end "$build_files/log"
    exit 1
  }
}

# Two phases, each with progress: listing the packages makes go download their modules. folder,
# module, package and space are variables of build_go_tool.
download_and_compile() {
  local name=$1 total begun=$SECONDS
  # Go's work folder is in ours: a killed go leaves it behind.
  local -a go_env=(env GOWORK=off CGO_ENABLED=1 GOTMPDIR="$build_files") flags=(-mod=readonly -trimpath -buildvcs=false)
  need_space_to_build
  say "building $name from source, once; it takes 2 to 7 minutes when nothing of it is in Go's caches"

  run_shown describe_download "${go_env[@]}" go -C "$folder" list "${flags[@]}" -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' "$package" ||
    build_failed "could not download the source code of $name"
  total=$(grep -c . "$build_files/out" || true)
  ((total == 0)) || total=$((total - 1))   # the last one is the program, which is mostly linked
  # Measured: 0.7 MB per package in Go's cache, and again in its work folder.
  need_space "$(go env GOCACHE)" $((total + 200)) "compiling $name"
  need_space "$build_files" $((total + 200)) "compiling $name"
  run_shown describe_compile "${go_env[@]}" go -C "$folder" build -v "${flags[@]}" -o "$build_files/binary" "$package" ||
    build_failed "could not compile $name"
  say "built $name in $((SECONDS - begun)) s"
}

# Before the download, only the presence of the module is known; afterwards also what has to be
# compiled.
need_space_to_build() {
  [[ -n $(cd "$folder" && GOWORK=off go list -mod=readonly -m -f '{{.Dir}}' "$module" 2>/dev/null) ]] ||
    need_space "$(go env GOMODCACHE)" "$space" "downloading and compiling $name"
}

describe_download() { printf 'downloading: %d modules' "$(grep -c '^go: downloading' "$build_files/log")"; }

describe_compile() {
  local begun
  begun=$(grep -c . "$build_files/log" || true)
  if ((begun < total)); then printf 'compiling: package %d of %d' "$begun" "$total"; else printf linking; fi
}

build_failed() {
  grep -v '^go: downloading' "$build_files/log" >"$build_files/go" || true
  say "$1"
  show_end "$build_files/go"
  exit 1
}

# run_shown DESCRIBE COMMAND... runs COMMAND, and shows the progress that DESCRIBE prints on stderr.
# On a terminal it rewrites one line, otherwise it prints a line every 10 s. COMMAND gets a separate
# process group (set -m), which ends with it.
run_shown() {
  local describe=$1 begun=$SECONDS shown=$SECONDS code=0
  shift
  : >"$build_files/log"
  set -m
  "$@" >"$build_files/out" 2>"$build_files/log" </dev/null 8>&- 9>&- &
  set +m
  build_job=$!
  while kill -0 "$build_job" 2>/dev/null; do
    if [[ -t 2 && ${TERM:-dumb} != dumb ]]; then
      printf '\r\033[Kservers.sh: %s, %d s' "$("$describe")" $((SECONDS - begun)) >&2
    elif ((SECONDS - shown >= 10)); then
      say "$("$describe"), $((SECONDS - begun)) s"
      shown=$SECONDS
    fi
    sleep 0.3
  done
  wait "$build_job" || code=$?
  build_job=''
  if [[ -t 2 && ${TERM:-dumb} != dumb ]]; then printf '\r\033[K' >&2; fi
  return "$code"
}

# abandon_build is for the exit trap; it does nothing without a running build.
abandon_build() {
  if [[ -n $build_job ]]; then
    kill -TERM -- "-$build_job" 2>/dev/null || true
    wait "$build_job" 2>/dev/null || true
  fi
  remove_build_files
}

remove_build_files() {
  [[ -z $build_files ]] || rm -rf "$build_files"
  build_files=''
}
