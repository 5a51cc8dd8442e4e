# shellcheck shell=bash disable=SC2034,SC2154
# Machbase Neo, headless: one TCP port with the native protocol. What these names mean: scripts/servers/README.md.

server_address=MACHBASE_URL

server_build() { build_go_tool machbase-neo github.com/machbase/neo-server/v8 main/machbase-neo 3000; }

# An empty database takes 65 MB; loading the tables of the scenarios takes more.
server_space=200

server_command() {
  mkdir "$home/data" "$home/pref" "$home/files" "$home/backup"
  command=("$binary" serve-headless --host 127.0.0.1 --mach-port "$port" --data "$home/data" --pref "$home/pref"
    --file "$home/files" --backup-dir "$home/backup" --pid "$home/pid" --log-filename "$home/log")
}

server_logs() { printf '%s\n' "$home/log" "$home/stdout"; }

# The log first: another machbase could answer on a port that ours has just lost to it. Then the hello of the native protocol.
server_ready() {
  grep -q "MACH Listen tcp://127.0.0.1:$port" "$home/log" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf CMI_INET0 >&3
    read -r -t 1 -n 9 -u 3 answer
    [[ $answer == CMI_READY ]]
  ) 2>/dev/null
}

# What it says, and then ends, when it cannot bind.
server_lost_port() { grep -q '3046 - Communication module error' "$home/stdout"; }

server_env() { printf 'MACHBASE_URL=machbase://sys:manager@127.0.0.1:%s\n' "$port"; }

# The engine puts a socket into /tmp whatever TMPDIR says, and leaves it there. One on a port that answers belongs to another server.
server_clean() { port_in_use "$port" || rm -f "/tmp/machbase-unix-$port.sock"; }
