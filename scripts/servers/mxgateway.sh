# shellcheck shell=bash disable=SC2034,SC2154
#
# The emulator of an MXAccess gateway (scripts/mxgateway), built from this checkout.
# scripts/servers/README.md describes these names and the settings.

server_address=MXGW_URL

# The file's name has a hash of the sources and all other inputs, so it is never out of date.
server_build() {
  local folder=$scripts/mxgateway module=google.golang.org/grpc package=. space=300 cache key

  have go || die "go is not in PATH: mxgateway is built from source, which takes Go 1.26 or later (https://go.dev/dl)"
  cache=$(cache_folder) || die "neither XK6_SWEEP_CACHE nor HOME says where to keep the built mxgateway"
  key=$(go -C "$folder" env GOVERSION GOOS GOARCH) || die "go does not work in $folder"
  key=$({ printf '%s\n' "$key"; sum_of_tree "$folder"; cat "$scripts/go.mod" "$scripts/go.sum"; } | hash_of_input)
  binary=$cache/mxgateway-$key
  is_intact "$binary" && return 0

  make_cache_folder "$cache"
  exec 8>"$binary.lock"
  take_lock 8 "another build of mxgateway is under way: waiting for it"
  if ! is_intact "$binary"; then
    if have flock; then rm -rf "$binary".building.*; fi   # of killed builds: we hold the lock, so no build is running
    build_files=$(mktemp -d "$binary.building.XXXXXX") || die "cannot write to the cache folder $cache"
    need_c_compiler
    download_and_compile mxgateway
    install_binary "$build_files/binary" "$binary"
    remove_build_files
  fi
  exec 8>&-
}

# For its keys; a log of calls is where MXGW_FLAGS says.
server_space=10

# Test keys: one with all scopes, and one without read.
mxgateway_key=mxgw_test_emulator
mxgateway_key_without_read=mxgw_noread_emulator

server_command() {
  (umask 077; printf '%s\n' "$mxgateway_key session:open,invoke:subscribe,invoke:read,events:read" \
    "$mxgateway_key_without_read session:open,invoke:subscribe,events:read" >"$home/keys")
  (free_port; printf '%s' "$port") >"$home/control-port"
  local -a flags
  read -r -a flags <<<"${MXGW_FLAGS:-}"
  command=("$binary" -keys "$home/keys" -listen "127.0.0.1:$port" -control "127.0.0.1:$(<"$home/control-port")" "${flags[@]}")
}

server_logs() { printf '%s\n' "$home/stdout"; }

# The control port returns the address of the service, which another emulator would not have.
server_ready() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$(<"$home/control-port")" || exit 1
  printf 'GET / HTTP/1.0\r\n\r\n' >&3
  while read -r -t 1 -u 3 line; do
    [[ $line != *'"address": "127.0.0.1:'"$port"'"'* ]] || exit 0
  done
  exit 1
)

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'bind: address already in use' "$home/stdout"; }

server_env() {
  printf 'MXGW_URL=127.0.0.1:%s\nMXGW_KEY=%s\nMXGW_KEY_WITHOUT_READ=%s\nMXGW_CONTROL=http://127.0.0.1:%s\n' \
    "$port" "$mxgateway_key" "$mxgateway_key_without_read" "$(<"$home/control-port")"
}

server_clean() { :; }
