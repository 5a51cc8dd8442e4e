# shellcheck shell=bash disable=SC2034,SC2154
# Machbase Neo, headless: one TCP port with the native protocol; with MACHBASE_HTTP=true its HTTP
# API as well, which opens ports of MQTT, gRPC and SSH too. What these names mean:
# scripts/servers/README.md.

server_address=MACHBASE_URL

server_build() { build_go_tool machbase-neo github.com/machbase/neo-server/v8 main/machbase-neo 3000; }

# An empty database takes 65 MB; loading the tables of the scenarios takes more.
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
  # Of the other ports nobody asks: any will do. The sockets would lie in /tmp.
  command+=(--http-port "$(<"$home/http-port")" --mqtt-port 0 --grpc-port 0 --shell-port 0
    --http-listen-sock "$home/http.sock" --mqtt-listen-sock "$home/mqtt.sock" --grpc-listen-sock "$home/grpc.sock")
}

server_logs() { printf '%s\n' "$home/log" "$home/stdout"; }

# The log first: another machbase could answer on a port that ours has just lost to it. Then the
# hello of the native protocol.
server_ready() {
  grep -q "MACH Listen tcp://127.0.0.1:$port" "$home/log" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf CMI_INET0 >&3
    read -r -t 1 -n 9 -u 3 answer
    [[ $answer == CMI_READY ]]
  ) 2>/dev/null || return 1
  [[ ! -e $home/http-port ]] || grep -q "HTTP Listen tcp://127.0.0.1:$(<"$home/http-port")" "$home/log"
}

# What it says, and then ends, when it cannot bind.
server_lost_port() { grep -qE '3046 - Communication module error|bind: address already in use' "$home/stdout"; }

server_env() {
  printf 'MACHBASE_URL=machbase://sys:manager@127.0.0.1:%s\n' "$port"
  [[ ! -e $home/http-port ]] || printf 'MACHBASE_HTTP_URL=http://127.0.0.1:%s\n' "$(<"$home/http-port")"
}

# The engine puts a socket into /tmp whatever TMPDIR says, and leaves it there. One on a port that
# answers belongs to another server.
server_clean() { port_in_use "$port" || rm -f "/tmp/machbase-unix-$port.sock"; }
