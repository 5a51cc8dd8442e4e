# shellcheck shell=bash disable=SC2034,SC2154
#
# Machbase Neo, headless: one TCP port for the native protocol. MACHBASE_HTTP=true adds the HTTP
# API, and also opens ports for MQTT, gRPC and SSH. scripts/servers/README.md describes these names.

server_address=MACHBASE_URL

server_build() { build_go_tool machbase-neo tools/machbase-neo github.com/machbase/neo-server/v8 main/machbase-neo 3000; }

# An empty database needs 65 MB; the tables of the scenarios need more.
server_space=200

server_command() {
  case ${MACHBASE_HTTP:-false} in
    true | false) ;;
    *) die "MACHBASE_HTTP is '$MACHBASE_HTTP': it must be true or false" ;;
  esac
  mkdir "$home/data" "$home/pref" "$home/files" "$home/backup"
  command=("$binary" serve-headless --host 127.0.0.1 --mach-port "$port" --data "$home/data" --pref "$home/pref"
    --file "$home/files" --backup-dir "$home/backup" --pid "$home/pid" --log-filename "$home/log")
  [[ ${MACHBASE_HTTP:-false} == true ]] || return 0
  command[1]=serve
  (free_port; printf '%s' "$port") >"$home/http-port"
  # The other ports are not used, so any will do. The sockets would be in /tmp.
  command+=(--http-port "$(<"$home/http-port")" --mqtt-port 0 --grpc-port 0 --shell-port 0
    --http-listen-sock "$home/http.sock" --mqtt-listen-sock "$home/mqtt.sock" --grpc-listen-sock "$home/grpc.sock")
}

server_logs() { printf '%s\n' "$home/log" "$home/stdout"; }

# Checks its log first, because another machbase could answer on a port that ours just lost. Then
# performs the handshake of the native protocol.
server_ready() {
  grep -q "MACH Listen tcp://127.0.0.1:$port" "$home/log" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf CMI_INET0 >&3
    read -r -t 1 -n 9 -u 3 answer
    [[ $answer == CMI_READY ]]
  ) 2>/dev/null || return 1
  [[ ! -e $home/http-port ]] || grep -q "HTTP Listen tcp://127.0.0.1:$(<"$home/http-port")" "$home/log"
}

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -qE '3046 - Communication module error|bind: address already in use' "$home/stdout"; }

server_env() {
  printf 'MACHBASE_URL=machbase://sys:manager@127.0.0.1:%s\n' "$port"
  [[ ! -e $home/http-port ]] || printf 'MACHBASE_HTTP_URL=http://127.0.0.1:%s\n' "$(<"$home/http-port")"
}

# The engine leaves a socket in /tmp regardless of TMPDIR. A socket for a port that answers belongs
# to another server.
server_clean() { port_in_use "$port" || rm -f "/tmp/machbase-unix-$port.sock"; }
