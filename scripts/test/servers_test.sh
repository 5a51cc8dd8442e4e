#!/usr/bin/env bash
# Tests servers.sh with real servers and, for states that those cannot have, with fakes. It uses
# copies of scripts/ in a temporary folder, so running servers of this checkout are not affected.
# Takes less than a minute if the servers are in the cache; the first build takes minutes.
# shellcheck disable=SC2016   # what is in single quotes is for the shell that servers.sh starts
set -uo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
unset SERVERS_ROOM MACHBASE_URL MACHBASE_PID MACHBASE_PORT MACHBASE_START_TIMEOUT MACHBASE_HTTP MACHBASE_HTTP_URL REDIS_URL REDIS_PID REDIS_PORT REDIS_START_TIMEOUT REDIS_MEMORY REDIS_CONNECTIONS REDIS_CLUSTER REDIS_PIDS
unset MEMCACHED_URL MEMCACHED_PID MEMCACHED_PORT MEMCACHED_START_TIMEOUT MEMCACHED_MEMORY MEMCACHED_ITEM MEMCACHED_CONNECTIONS MEMCACHED_THREADS
unset POSTGRES_URL POSTGRES_PID POSTGRES_PORT POSTGRES_START_TIMEOUT POSTGRES_CONNECTIONS
unset NATS_URL NATS_PID NATS_PIDS NATS_PORT NATS_START_TIMEOUT NATS_CLUSTER NATS_CONNECTIONS
unset INFLUXDB_URL INFLUXDB_PID INFLUXDB_PORT INFLUXDB_START_TIMEOUT
unset PROMETHEUS_URL PROMETHEUS_PID PROMETHEUS_PORT PROMETHEUS_START_TIMEOUT
unset MXGW_URL MXGW_KEY MXGW_KEY_WITHOUT_READ MXGW_CONTROL MXGW_FLAGS MXGATEWAY_PID MXGATEWAY_PORT MXGATEWAY_START_TIMEOUT
real=$("$scripts/servers.sh" build machbase) || exit 1
"$scripts/servers.sh" build redis >/dev/null || exit 1
"$scripts/servers.sh" build postgres >/dev/null || exit 1
"$scripts/servers.sh" build memcached >/dev/null || exit 1
"$scripts/servers.sh" build nats >/dev/null || exit 1
"$scripts/servers.sh" build mxgateway >/dev/null || exit 1
"$scripts/servers.sh" build prometheus >/dev/null || exit 1
"$scripts/servers.sh" build influxdb >/dev/null || exit 1

room=$(mktemp -d "${TMPDIR:-/tmp}/servers-test.XXXXXX") && room=$(cd "$room" && pwd -P) || exit 1
export TMPDIR=$room/tmp
mkdir "$TMPDIR" "$room/one" "$room/two"
cp -R "$scripts" "$room/one/scripts"
cp -R "$scripts" "$room/two/scripts"
passed=0 failed=0 ports='' said='' code=0

# --- helpers

one() { "$room/one/scripts/servers.sh" "$@"; }
two() { "$room/two/scripts/servers.sh" "$@"; }

# run COMMAND... sets `said` to its output, stdout and stderr, and `code` to its exit code.
run() { code=0; said=$("$@" 2>&1) || code=$?; }

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

# exited CODE PATTERN... requires that the last `run` ended with CODE and printed each PATTERN.
exited() {
  [[ $code == "$1" ]] || return 1
  shift
  local pattern
  for pattern in "$@"; do [[ $said == *$pattern* ]] || return 1; done
}
exited_with_one_line() { exited "$@" && [[ $said != *$'\n'* ]]; }

field() { sed -n "s/^$2=//p" "$room/$1/.servers/${3:-machbase}/state"; }
is_alive() { [[ -n $1 ]] && kill -0 "$1" 2>/dev/null && [[ $(state_of "$1") != Z ]]; }
state_of() { if [[ -r /proc/$1/stat ]]; then sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; else ps -o state= -p "$1" | cut -c 1; fi; }
eventually() { local i; for ((i = 0; i < 100; i++)); do "$@" && return 0; sleep 0.1; done; return 1; }
not() { ! "$@"; }

answers() {
  local answer=''
  { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf CMI_INET0 >&3 && read -r -t 2 -n 9 -u 3 answer; exec 3>&-; } 2>/dev/null
  [[ $answer == CMI_READY ]]
}

redis_answers() {
  local answer=''
  { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'PING\r\n' >&3 && read -r -t 2 -n 5 -u 3 answer; exec 3>&-; } 2>/dev/null
  [[ $answer == +PONG ]]
}

# memcached_says PORT COMMAND PATTERN reports whether a line of the answer matches.
memcached_says() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf '%s\r\n' "$2" >&3
  while read -r -t 2 -u 3 line; do
    # shellcheck disable=SC2053   # it is a pattern
    [[ ${line%$'\r'} != $3 ]] || exit 0
    [[ $line != END* ]] || exit 1
  done
  exit 1
)

# N is PostgreSQL's answer to a TLS request.
postgres_answers() {
  local answer=''
  { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf '\0\0\0\10\4\322\26\57' >&3 && read -r -t 2 -n 1 -u 3 answer; exec 3>&-; } 2>/dev/null
  [[ $answer == N ]]
}

# jetstream_says PORT REQUEST BODY PATTERN reports whether the answer of JetStream's API matches.
jetstream_says() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf 'CONNECT {"verbose":false,"pedantic":false}\r\nSUB answer 1\r\nPUB $JS.API.%s answer %d\r\n%s\r\n' "$2" "${#3}" "$3" >&3
  while read -r -t 5 -u 3 line; do
    # shellcheck disable=SC2053   # it is a pattern
    [[ $line != $4 ]] || exit 0
    [[ $line != '{'* ]] || exit 1
  done
  exit 1
)

# gateway_says URL METHOD PATH BODY PATTERN reports whether a line of the control port's answer
# matches.
gateway_says() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/${1##*:}" || exit 1
  printf '%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$2" "$3" "${#4}" "$4" >&3
  while read -r -t 2 -u 3 line; do
    # shellcheck disable=SC2053   # it is a pattern
    [[ $line != $5 ]] || exit 0
  done
  exit 1
)

# http_answers URL reports whether an HTTP server answers.
http_answers() {
  local answer=''
  { exec 3<>"/dev/tcp/127.0.0.1/${1##*:}" && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && read -r -t 2 -n 5 -u 3 answer; exec 3>&-; } 2>/dev/null
  [[ $answer == HTTP/ ]]
}

# nothing_left requires that no process, folder, socket or state of this test's servers exists.
nothing_left() {
  local left port
  left=$(ls -A "$TMPDIR"; ls -d "$room"/*/.servers 2>/dev/null; our_processes)
  for port in $ports; do left+=$(ls "/tmp/machbase-unix-$port.sock" 2>/dev/null); done
  [[ -z $left ]] || { said="$said"$'\n'"left: $left"; return 1; }
}
no_process() { [[ -z $(our_processes) ]]; }
our_processes() {
  local file args
  if [[ -d /proc/self ]]; then
    for file in /proc/[0-9]*/cmdline; do
      args=$({ tr '\0' ' ' <"$file"; } 2>/dev/null)
      [[ $args != *"$TMPDIR/xk6-sweep-"* ]] || printf '%s\n' "$args"
    done
  else
    # shellcheck disable=SC2009   # pgrep prints no command lines on macOS
    ps -axww -o args= | grep -F "$TMPDIR/xk6-sweep-" | grep -v grep
  fi
}

# fake_server NAME makes the cache $room/NAME with the script on stdin as the server.
fake_server() {
  local file=$room/$1/${real##*/}
  mkdir -p "$room/$1"
  cat >"$file"
  chmod +x "$file"
  cksum <"$file" >"$file.cksum"
}
with_cache() { local cache=$room/$1; shift; XK6_SWEEP_CACHE=$cache "$@"; }

# path_without NAME... prints a folder for PATH with all programs of servers.sh except NAME.
path_without() {
  local folder tool
  folder=$(mktemp -d "$room/path.XXXXXX")
  for tool in bash sh env go gcc cc sed grep tr cut cat tail cksum sha256sum shasum df mkdir mktemp mv rm rmdir sleep dirname flock setsid \
    find sort ln cp chmod ldd readlink realpath; do
    [[ " $* " == *" $tool "* ]] || ! type -P "$tool" >/dev/null || ln -s "$(type -P "$tool")" "$folder/$tool"
  done
  printf '%s' "$folder"
}

clean_up() {
  one down >/dev/null 2>&1
  two down >/dev/null 2>&1
  rm -rf "$room"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# --- words

run one help
check 'help says how to use it' exited 0 'servers.sh up NAME' 'Known: influxdb machbase ' ' redis'
run one up nosuch
check 'an unknown name: one line that says what is known' exited_with_one_line 2 "'nosuch'; known: influxdb machbase " ' redis'
run one up machbase nosuch
check 'an unknown name among others: nothing is started' exited_with_one_line 2 'known: influxdb machbase'
check 'and nothing is left' nothing_left
run one frobnicate
check 'an unknown command: one line that says what there is' exited_with_one_line 2 'up, down, status'
run one up
check 'up without a name: one line' exited_with_one_line 2 'machbase'
run one status
check 'status when nothing is up' exited 0 'not up'
check 'env when nothing is up prints no line' test -z "$(one env 2>/dev/null)"

# --- up, env, status, down

run one up machbase   # returns only if the server does not keep our pipe open
first=$(field one pid) port=$(field one port) ports="$ports $port"
check 'up starts a server' exited_with_one_line 0 'machbase is up' "127.0.0.1:$port"
check 'it answers as soon as up returns' answers "$port"
check 'up prints nothing on stdout' test -z "$(one up machbase 2>/dev/null)"
check 'env gives its address' test "$(eval "$(one env)" && printf %s "$MACHBASE_URL")" = "machbase://sys:manager@127.0.0.1:$port"
check 'env gives its process' test "$(eval "$(one env)" && printf %s "$MACHBASE_PID")" = "$first"
run one status
check 'status says that it is up' exited 0 "up (pid $first"
run one up machbase
check 'up again says so' exited_with_one_line 0 'up already'
check 'and starts no other' test "$(field one pid)" = "$first"

run two up machbase
check 'a second checkout has a server of its own' exited 0 'machbase is up'
second=$(field two pid) ports="$ports $(field two port)"
run env MACHBASE_PORT="$port" "$room/two/scripts/servers.sh" up machbase
check 'MACHBASE_PORT does not matter to one that is up' exited 0 'up already'
run two down
check 'down stops it' not is_alive "$second"
check 'and not that of the first checkout' answers "$port"
run env MACHBASE_PORT="$port" "$room/two/scripts/servers.sh" up machbase
check 'a port in use: one line' exited_with_one_line 1 "port $port (MACHBASE_PORT) is in use"
run env MACHBASE_PORT=many "$room/two/scripts/servers.sh" up machbase
check 'a port that is none: one line' exited_with_one_line 1 "MACHBASE_PORT is 'many'"
run env MACHBASE_START_TIMEOUT=0 "$room/two/scripts/servers.sh" up machbase
check 'a timeout that is none: one line' exited_with_one_line 1 "MACHBASE_START_TIMEOUT is '0'"
run one down
check 'down says so' exited_with_one_line 0 'machbase is down'
check 'and leaves nothing' nothing_left
run one down machbase
check 'down again says that there is nothing' exited_with_one_line 0 'not up'
run env MACHBASE_PORT="$port" "$room/one/scripts/servers.sh" up machbase
check 'MACHBASE_PORT is the port' answers "$port"

run one down
one up machbase >"$room/up1" 2>&1 &
one up machbase >"$room/up2" 2>&1
wait "$!"
ports="$ports $(field one port)"
check 'two ups at once start one server' test "$(cat "$room/up1" "$room/up2" | grep -c "pid $(field one pid)")" = 2

#
# --- a server that died, hangs, or belongs to others

kill -KILL "$(field one pid)"
eventually not is_alive "$(field one pid)"
run one status
check 'a killed server: status says so' exited 0 'died'
check 'env does not name it' test -z "$(one env 2>/dev/null)"
run one up machbase
ports="$ports $(field one port)"
check 'up starts a new one' exited 0 'has died: starting a new one' 'machbase is up'
kill -KILL "$(field one pid)"
run one down
check 'down cleans up after a killed one' nothing_left

run one up machbase
ports="$ports $(field one port)"
kill -STOP "$(field one pid)"
run one status
check 'a stopped server: status says that it does not answer' exited 0 'does not answer'
run one up machbase
check 'up says so too, and fails' exited_with_one_line 1 'does not answer'
run one down
check 'down ends a stopped server' exited 0 'machbase is down'
check 'and leaves nothing of it' nothing_left

run one up machbase
ports="$ports $(field one port)"
sleep 60 &
stranger=$! server=$(field one pid)
sed -i.bak "s/^pid=.*/pid=$stranger/" "$room/one/.servers/machbase/state"
run one down
check 'down does not touch a process that merely has the number' is_alive "$stranger"
kill "$stranger" "$server"
eventually not is_alive "$server"
rm -f /tmp/machbase-unix-"${ports##* }".sock

# The process id is reused while stop_process waits for the end of the process.
# shellcheck disable=SC2317   # process.sh calls these functions
(
  # shellcheck source=/dev/null
  . "$scripts/servers/lib/process.sh"
  say() { echo "$@"; }
  die() { echo "$@"; exit 1; }
  sleep 60 &
  stranger=$!
  is_running() { return 0; }
  signal_process KILL "$stranger" 1
  kill -0 "$stranger" || echo 'killed by a birth that is not its own'
  # First the old process, then the new one.
  birth() { if [[ -e $room/asked ]]; then echo 2; else : >"$room/asked"; echo 1; fi; }
  stop_process "$stranger" /any
  kill -0 "$stranger" || echo 'killed after its number had been used again'
  kill "$stranger"
) >"$room/out" 2>&1
said=$(<"$room/out")
check 'a process that has got the number of a server that ended is not killed' test -z "$said"

# A process with only a thread left has no command line, but still has its port, as a killed process
# has for a moment.
mkdir "$room/ending"
cat >"$room/ending/main.go" <<'END'
package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

func init() { runtime.LockOSThread() }

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		time.Sleep(2 * time.Second)
		os.Exit(0)
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}
END
if [[ -d /proc/self ]]; then
  go build -o "$room/ending/server" "$room/ending/main.go"
  "$room/ending/server" >"$room/ending/port" &
  server=$!
  eventually test -s "$room/ending/port"
  has_no_command_line() { [[ -z $(tr -d '\0' <"/proc/$1/cmdline") ]]; }
  eventually has_no_command_line "$server"
  # shellcheck source=/dev/null
  (. "$scripts/servers/lib/process.sh"; stop_process "$server" "$room/ending"; port_in_use "$(<"$room/ending/port")")
  check 'of a server that is ending, its port is free when it has been stopped' test $? != 0
fi

# servers.sh is killed after it has started the server, and before it has written the process id.
run one up machbase
ports="$ports $(field one port)" server=$(field one pid)
sed -i.bak "s/^pid=.*/pid=/" "$room/one/.servers/machbase/state"
run one up machbase
check 'a server whose starter was killed: up starts a new one' exited 0 'machbase is up'
check 'and ends that one' not is_alive "$server"
ports="$ports $(field one port)" server=$(field one pid)
sed -i.bak "s/^pid=.*/pid=/" "$room/one/.servers/machbase/state"
run one down
check 'a server whose starter was killed: down ends it' not is_alive "$server"
check 'and leaves nothing of it' nothing_left
fake_server lingers <<END
#!/bin/sh
[ -e "$room/one/.servers/machbase/state" ] && echo there >"$room/lingers-state"
while :; do sleep 0.2; done
END
XK6_SWEEP_CACHE=$room/lingers "$room/one/scripts/servers.sh" up machbase >"$room/out" 2>&1 &
starter=$!
eventually test -e "$room/lingers-state"
kill -KILL "$starter"
wait "$starter" 2>/dev/null
check 'the state is there before the server is' test "$(cat "$room/lingers-state")" = there
run one down
check 'and down ends what a killed servers.sh has started' nothing_left

# --- servers that do not start

fake_server dies <<'END'
#!/bin/sh
echo 'cannot read the tea leaves'
exit 1
END
run with_cache dies one up machbase
check 'a server that dies at its start: why, and its last words' exited 1 'cannot start machbase: it ended' '    cannot read the tea leaves'
check 'nothing is left of it' nothing_left

fake_server hangs <<'END'
#!/bin/sh
trap '' TERM
echo 'still waiting'
while :; do sleep 0.2; done
END
MACHBASE_START_TIMEOUT=1 run with_cache hangs one up machbase
check 'a server that is not ready in time, and ignores TERM, is killed' exited 1 'not ready after 1 s' '    still waiting' 'killing it'
check 'nothing is left of that either' nothing_left

fake_server unlucky <<END
#!/bin/sh
if mkdir "$room/was-unlucky" 2>/dev/null; then echo '3046 - Communication module error'; exit 2; fi
exec "$real" "\$@"
END
run with_cache unlucky one up machbase
ports="$ports $(field one port)"
check 'a server that loses its port to another gets a new one' exited_with_one_line 0 'machbase is up'
run one down
rmdir "$room/was-unlucky"
run with_cache unlucky env MACHBASE_PORT="$port" "$room/one/scripts/servers.sh" up machbase
check 'but not if the port was asked for' exited 1 "port $port (MACHBASE_PORT) is in use"

#
# --- builds, with a fake go that needs no time

tools=$room/tools
mkdir "$tools"
cat >"$tools/go" <<END
#!/bin/sh
case " \$* " in
  *' list '*) echo 'go: downloading example.com/module v1' >&2; echo one; echo two ;;
  *' build '*)
    echo built >>"$room/builds"
    sleep 1
    if [ -e "$room/no-build" ]; then echo 'undefined: everything' >&2; exit 1; fi
    while [ "\$1" != -o ]; do shift; done
    cp "$room/dies/${real##*/}" "\$2" ;;
  *) exec "$(type -P go)" "\$@" ;;
esac
END
chmod +x "$tools/go"
build=(env PATH="$tools:$PATH" XK6_SWEEP_CACHE="$room/built" "$room/one/scripts/servers.sh" build machbase)
builds() { grep -c . "$room/builds"; }

"${build[@]}" >"$room/build1" 2>&1 &
PATH=$tools:$PATH XK6_SWEEP_CACHE=$room/built two build machbase >"$room/build2" 2>&1
wait "$!"
check 'two checkouts that build at once build once' test "$(builds)" = 1
check 'and both get the file' test "$(tail -n 1 "$room/build1")" = "$(tail -n 1 "$room/build2")"
file=$(tail -n 1 "$room/build1")
[[ $file == "$room"/* ]] || file=$room/not-built   # written to below
run "${build[@]}"
check 'what is built stays built' test "$code $(builds) $said" = "0 1 $file"
echo damage >"$file"
run "${build[@]}"
check 'a damaged file is built again' exited 0 'is damaged: building it again' 'built machbase-neo'
check 'and is whole then' cmp -s "$file" "$room/dies/${real##*/}"
echo damage >"$file"
touch "$room/no-build"
run "${build[@]}"
check 'a build that fails shows what go said' exited 1 'could not compile machbase-neo' '    undefined: everything'
"${build[@]}" >/dev/null 2>&1 &
eventually compgen -G "$file.building.*" >/dev/null
kill -TERM "$!"
wait "$!"
check 'a build that fails or is ended leaves no files' test -z "$(compgen -G "$file.building.*")"

run env PATH="$(path_without gcc cc)" CC= XK6_SWEEP_CACHE="$room/empty" "$room/one/scripts/servers.sh" up machbase
check 'no C compiler: one line that says what to install' exited_with_one_line 1 'no C compiler' 'apt-get install gcc'
run env PATH="$(path_without go)" XK6_SWEEP_CACHE="$room/empty" "$room/one/scripts/servers.sh" up machbase
check 'no go: one line' exited_with_one_line 1 'go is not in PATH'
run env XK6_SWEEP_CACHE="$real/cache" "$room/one/scripts/servers.sh" up machbase
check 'a cache folder that cannot be: one line' exited_with_one_line 1 "cannot write to the cache folder $real/cache"
full=$room/full
mkdir "$full"
printf '#!/bin/sh\necho Filesystem 1024-blocks Used Available Capacity Mounted on\necho disk 99999 94879 5120 95%% /\n' >"$full/df"
chmod +x "$full/df"
run env PATH="$full:$PATH" "$room/one/scripts/servers.sh" up machbase
check 'a full disk: one line with folder, need and available' exited_with_one_line 1 "disk space in $TMPDIR" '200 MB' '5 MB are available'
run env TMPDIR="$room/nowhere" "$room/one/scripts/servers.sh" up machbase
check 'a TMPDIR that is not there: one line' exited_with_one_line 1 "$room/nowhere"
check 'none of these left anything' nothing_left

# --- redis

run one up redis
redis=$(field one pid redis) redis_port=$(field one port redis)
check 'up starts a Redis' exited_with_one_line 0 'redis is up' "REDIS_URL=redis://127.0.0.1:$redis_port"
check 'it answers PING as soon as up returns' redis_answers "$redis_port"
check 'env gives its address and its process' \
  test "$(eval "$(one env)" && printf %s "$REDIS_URL $REDIS_PID")" = "redis://127.0.0.1:$redis_port $redis"
run one up redis
check 'one that has written over its command line is still known' exited_with_one_line 0 'up already' "pid $redis"
run env REDIS_PORT="$redis_port" "$room/two/scripts/servers.sh" up redis
check 'a port in use: one line' exited_with_one_line 1 "port $redis_port (REDIS_PORT) is in use"
exec 3<>"/dev/tcp/127.0.0.1/$redis_port"
printf 'SET key value\r\nSAVE\r\nSHUTDOWN\r\n' >&3
eventually not is_alive "$redis"
exec 3>&-
run one up redis
check 'a Redis that was shut down: up starts a new one' exited 0 'has died: starting a new one' 'redis is up'
run one up machbase redis
ports="$ports $(field one port)"
check 'up starts several' exited 0 'machbase is up' 'redis is up already'
run one down
check 'down stops all' exited 0 'machbase is down' 'redis is down'
check 'and leaves nothing of a Redis' nothing_left
run one with redis -- sh -c 'echo "$REDIS_URL"; exit 7'
check 'with gives the address of a Redis' exited 7 $'\nredis://127.0.0.1:'
check 'and stops it' nothing_left

# redis_has PORT NAME VALUE reports whether a Redis setting has this value.
redis_has() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf 'CONFIG GET %s\r\n' "$2" >&3
  for _ in 1 2 3 4 5; do read -r -t 2 -u 3 line || exit 1; done
  [[ ${line%$'\r'} == "$3" ]]
)
run env REDIS_MEMORY=64 REDIS_CONNECTIONS=99 "$room/one/scripts/servers.sh" up redis
redis_port=$(field one port redis)
check 'a setting reaches it: memory' redis_has "$redis_port" maxmemory 67108864
check 'with a limit it evicts' redis_has "$redis_port" maxmemory-policy allkeys-lru
check 'a setting reaches it: connections' redis_has "$redis_port" maxclients 99
run one down redis
run env REDIS_MEMORY=1g "$room/one/scripts/servers.sh" up redis
check 'a setting that is no number: one line' exited_with_one_line 1 "REDIS_MEMORY is '1g': it takes an integer of at least 1"
run env REDIS_CLUSTER=2 "$room/one/scripts/servers.sh" up redis
check 'REDIS_CLUSTER that is no size of a cluster: one line' exited_with_one_line 1 "REDIS_CLUSTER is '2': it must be 1, 3 or 6"
run env REDIS_CLUSTER=3 REDIS_MEMORY=64 "$room/one/scripts/servers.sh" up redis
check 'up starts a cluster' exited 0 'redis is up' 'REDIS_URL=redis://' ',redis://' 'REDIS_PIDS='
redis=$(eval "$(one env)" && printf %s "$REDIS_PIDS")
check 'env gives its three processes' test "$(tr , '\n' <<<"$redis" | sort -u | grep -c .)" = 3
check 'settings reach all of them' redis_has "$(eval "$(one env)" && printf %s "${REDIS_URL##*:}")" maxmemory 67108864
kill -KILL "${redis##*,}"
eventually not is_alive "$(field one pid redis)"
check 'one of its servers is killed: all end' test -z "$(our_processes)"
run one down
check 'and nothing of a cluster is left' nothing_left
run env REDIS_CLUSTER=6 "$room/one/scripts/servers.sh" up redis
redis=$(eval "$(one env)" && printf %s "$REDIS_PIDS")
kill -KILL "${redis%%,*}"
eventually not is_alive "${redis%%,*}"
check 'one of a cluster with replicas is killed: the others go on' is_alive "${redis##*,}"
run one down
check 'and nothing of that is left' nothing_left

# fake_redis NAME makes the folder $room/NAME for PATH, with the script on stdin as redis-server.
fake_redis() {
  mkdir -p "$room/$1"
  cat >"$room/$1/redis-server"
  chmod +x "$room/$1/redis-server"
}
fake_redis taken <<'END'
#!/bin/sh
echo 'Warning: Could not create server TCP listening socket 127.0.0.1:1: bind: Address already in use'
exit 1
END
run env PATH="$room/taken:$PATH" "$room/one/scripts/servers.sh" up redis
check 'a redis-server in PATH is used; one that never gets a port: its last words' exited 1 'cannot start redis' '    Warning: Could not create'
check 'nothing is left of it' nothing_left

# --- memcached

run one up memcached
memcached=$(field one pid memcached) memcached_port=$(field one port memcached)
check 'up starts a memcached' exited_with_one_line 0 'memcached is up' "MEMCACHED_URL=127.0.0.1:$memcached_port"
check 'it answers as soon as up returns' memcached_says "$memcached_port" version 'VERSION *'
check 'env gives its address and its process' \
  test "$(eval "$(one env)" && printf %s "$MEMCACHED_URL $MEMCACHED_PID")" = "127.0.0.1:$memcached_port $memcached"
check 'it has 64 MB without a setting' memcached_says "$memcached_port" 'stats settings' 'STAT maxbytes 67108864'
run one up memcached
check 'one that is up stays as it is' exited_with_one_line 0 'up already' "pid $memcached"
run env MEMCACHED_PORT="$memcached_port" "$room/two/scripts/servers.sh" up memcached
check 'a port in use: one line' exited_with_one_line 1 "port $memcached_port (MEMCACHED_PORT) is in use"
run one down memcached
check 'down leaves nothing of a memcached' nothing_left
run env MEMCACHED_MEMORY=128 MEMCACHED_ITEM=2 MEMCACHED_CONNECTIONS=99 MEMCACHED_THREADS=2 "$room/one/scripts/servers.sh" up memcached
memcached_port=$(field one port memcached)
for setting in 'maxbytes 134217728' 'item_size_max 2097152' 'maxconns 99' 'num_threads 2'; do
  check "a setting reaches it: $setting" memcached_says "$memcached_port" 'stats settings' "STAT $setting"
done
kill -KILL "$(field one pid memcached)"
eventually not memcached_says "$memcached_port" version 'VERSION *'
run one up memcached
check 'a memcached that was killed: up starts a new one' exited 0 'has died: starting a new one' 'memcached is up'
run one down
run env MEMCACHED_MEMORY=1g "$room/one/scripts/servers.sh" up memcached
check 'a setting that is no number: one line' exited_with_one_line 1 "MEMCACHED_MEMORY is '1g': it takes an integer of at least 1"
run env MEMCACHED_ITEM=100 "$room/one/scripts/servers.sh" up memcached
check 'settings that memcached refuses: its last words' exited 1 'cannot start memcached' '    Cannot set item size limit higher than 1/2 of memory max.'
run one with memcached -- sh -c 'echo "$MEMCACHED_URL"; exit 7'
check 'with gives the address of a memcached' exited 7 $'\n127.0.0.1:'
check 'and stops it' nothing_left

# --- postgres

run one up postgres
postgres=$(field one pid postgres) postgres_port=$(field one port postgres)
check 'up starts a PostgreSQL, for root too' exited_with_one_line 0 'postgres is up' "POSTGRES_URL=postgres://postgres:" "@127.0.0.1:$postgres_port/"
check 'it answers as soon as up returns' postgres_answers "$postgres_port"
run one up postgres
check 'one that is up stays as it is' exited_with_one_line 0 'up already' "pid $postgres"
run env POSTGRES_PORT="$postgres_port" "$room/two/scripts/servers.sh" up postgres
check 'a port in use: one line' exited_with_one_line 1 "port $postgres_port (POSTGRES_PORT) is in use"
exec 4<>"/dev/tcp/127.0.0.1/$postgres_port"   # a client that stays connected
run one down postgres
exec 4>&-
check 'down does not wait for its clients' exited_with_one_line 0 'postgres is down'
check 'and leaves nothing of a PostgreSQL' nothing_left
run one up postgres
kill -KILL "$(field one pid postgres)"
eventually not postgres_answers "$(field one port postgres)"
run one down
check 'what started it is killed: it ends, and down cleans up' exited 0 'postgres is down'
check 'after which nothing is left' eventually nothing_left
run one with postgres -- sh -c 'echo "$POSTGRES_URL"; exit 7'
check 'with gives the address of a PostgreSQL' exited 7 $'\npostgres://postgres:'
check 'and stops it' nothing_left

# --- nats

run one up nats
nats=$(field one pid nats) nats_port=$(field one port nats)
check 'up starts a NATS' exited_with_one_line 0 'nats is up' "NATS_URL=nats://127.0.0.1:$nats_port"
check 'its JetStream answers as soon as up returns' jetstream_says "$nats_port" INFO '' '*"memory":0,*'
check 'its streams lie in its folder' test -d "$(field one home nats)/store-$nats_port/jetstream"
run one up nats
check 'one that is up stays as it is' exited_with_one_line 0 'up already' "pid $nats"
run env NATS_PORT="$nats_port" "$room/two/scripts/servers.sh" up nats
check 'a port in use: one line' exited_with_one_line 1 "port $nats_port (NATS_PORT) is in use"
run one down nats
check 'down leaves nothing of a NATS' nothing_left
run env NATS_CLUSTER=2 "$room/one/scripts/servers.sh" up nats
check 'NATS_CLUSTER that is neither 1 nor 3: one line' exited_with_one_line 1 "NATS_CLUSTER is '2': it must be 1 or 3"
run env NATS_CLUSTER=3 "$room/one/scripts/servers.sh" up nats
check 'up starts a cluster' exited 0 'nats is up' 'NATS_URL=nats://' ',nats://' 'NATS_PIDS='
nats=$(eval "$(one env)" && printf %s "$NATS_PIDS")
check 'env gives its three processes' test "$(tr , '\n' <<<"$nats" | sort -u | grep -c .)" = 3
check 'all of which run' is_alive "${nats##*,}"
nats_port=$(eval "$(one env)" && printf %s "${NATS_URL##*:}")
check 'a stream of three copies can be made as soon as up returns' jetstream_says "$nats_port" STREAM.CREATE.test \
  '{"name":"test","subjects":["test"],"num_replicas":3}' '*"did_create":true*'
kill -KILL "${nats##*,}"
eventually not is_alive "$(field one pid nats)"
check 'one of its servers is killed: all end' test -z "$(our_processes)"
run one up nats
check 'after which up starts a new one' exited 0 'has died: starting a new one' 'nats is up'
run one down
run env NATS_CLUSTER=3 "$room/one/scripts/servers.sh" up nats
kill -KILL "$(field one pid nats)"
check 'what started a cluster is killed: its servers end' eventually no_process
run one down
check 'and nothing of a cluster is left' nothing_left
run env NATS_CLUSTER=3 "$room/one/scripts/servers.sh" with nats -- sh -c 'echo "$NATS_URL"; exit 7'
check 'with gives the addresses of a cluster' exited 7 $'\nnats://127.0.0.1:' ',nats://127.0.0.1:'
check 'and stops it' nothing_left

# --- mxgateway

run one up mxgateway
gateway=$(field one pid mxgateway) gateway_port=$(field one port mxgateway)
check 'up starts a gateway' exited 0 'mxgateway is up' "MXGW_URL=127.0.0.1:$gateway_port" 'MXGW_KEY=mxgw_' 'MXGW_CONTROL=http://127.0.0.1:'
gateway_control=$(eval "$(one env)" && printf %s "$MXGW_CONTROL")
check 'it answers as soon as up returns' gateway_says "$gateway_control" GET / '' "*\"127.0.0.1:$gateway_port\"*"
check 'and says that it is an emulator' gateway_says "$gateway_control" GET / '' '*"emulator of an MXAccess gateway (xk6-sweep, shape published)"*'
check 'a fault can be set' gateway_says "$gateway_control" POST /faults kind=status,code=UNAVAILABLE,for=5s '*"kind=status,code=UNAVAILABLE,for=5s"*'
run one up mxgateway
check 'one that is up stays as it is' exited 0 'up already' "pid $gateway"
run env MXGATEWAY_PORT="$gateway_port" "$room/two/scripts/servers.sh" up mxgateway
check 'a port in use: one line' exited_with_one_line 1 "port $gateway_port (MXGATEWAY_PORT) is in use"
run one down mxgateway
check 'down leaves nothing of a gateway' nothing_left
run env MXGW_FLAGS="-shape none -log $room/calls.csv" "$room/one/scripts/servers.sh" with mxgateway -- sh -c 'echo "$MXGW_URL"; exit 7'
check 'with gives the address of a gateway' exited 7 $'\n127.0.0.1:'
check 'flags reach it' test "$(<"$room/calls.csv")" = start_us,duration_us,session,code,cached,total
check 'and with stops it' nothing_left
run env MXGW_FLAGS='-shape odd' "$room/one/scripts/servers.sh" up mxgateway
check 'flags that it refuses: its last words' exited 1 'cannot start mxgateway: it ended' '    mxgateway: -shape is "odd": it must be published or none'
check 'nothing is left of that' nothing_left
rm -f "$room/no-build"
source=(env PATH="$tools:$PATH" XK6_SWEEP_CACHE="$room/built" "$room/two/scripts/servers.sh" build mxgateway)
run "${source[@]}"
file=$(tail -n 1 <<<"$said")
check 'it is built from the checkout' exited 0 'built mxgateway'
run "${source[@]}"
check 'once' test "$code $said" = "0 $file"
echo >>"$room/two/scripts/mxgateway/main.go"
run "${source[@]}"
check 'and again when its sources change' exited 0 'built mxgateway'
check 'as another file' test "$(tail -n 1 <<<"$said")" != "$file"

# fake_postgres NAME makes the folder $room/NAME for PATH, with the script on stdin as postgres and
# initdb.
fake_postgres() {
  mkdir -p "$room/$1"
  tee "$room/$1/postgres" >"$room/$1/initdb"
  chmod +x "$room/$1/postgres" "$room/$1/initdb"
}
fake_postgres without-data <<'END'
#!/bin/sh
echo "${0##*/}: there is no room for a database"
exit 1
END
run env PATH="$room/without-data:$PATH" "$room/one/scripts/servers.sh" up postgres
check 'a data folder that cannot be made: its last words' exited 1 'cannot start postgres: it ended' '    initdb: there is no room'
fake_postgres no-port <<'END'
#!/bin/sh
[ "${0##*/}" = initdb ] && exit
echo 'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use'
exit 1
END
run env PATH="$room/no-port:$PATH" "$room/one/scripts/servers.sh" up postgres
check 'a postgres in PATH is used; one that never gets a port: its last words' exited 1 'cannot start postgres' '    LOG:  could not bind'
fake_postgres slow <<'END'
#!/bin/sh
sleep 2
END
POSTGRES_START_TIMEOUT=1 run env PATH="$room/slow:$PATH" "$room/one/scripts/servers.sh" up postgres
check 'one that is ended while its data folder is made ends' exited 1 'not ready after 1 s'
check 'nothing is left of those' nothing_left
# Before exec it closes the inherited files; with so many, that takes too long.
# shellcheck disable=SC2016   # it is for the shell that runs it
POSTGRES_START_TIMEOUT=1 run env PATH="$room/slow:$PATH" bash -c '
  ulimit -n 20000 2>/dev/null
  for ((i = 300; i < $(ulimit -n) - 100; i++)); do eval "exec $i</dev/null"; done
  exec "$@"
' bash "$room/one/scripts/servers.sh" up postgres
check 'one that is ended before its exec' exited 1 'not ready after 1 s'
sleep 2
check 'does not begin afterwards' nothing_left

# --- influxdb

# influxdb_says PORT QUERY PATTERN reports whether a line of the answer matches.
influxdb_says() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf 'GET /query?q=%s HTTP/1.0\r\n\r\n' "$2" >&3
  while read -r -t 30 -u 3 line; do
    # shellcheck disable=SC2053   # it is a pattern
    [[ $line != $3 ]] || exit 0
  done
  exit 1
)
run one up influxdb
influxdb=$(field one pid influxdb) influxdb_port=$(field one port influxdb)
check 'up starts an InfluxDB' exited_with_one_line 0 'influxdb is up' "INFLUXDB_URL=http://127.0.0.1:$influxdb_port/sweep"
check 'its database is there as soon as up returns' influxdb_says "$influxdb_port" SHOW+DATABASES '*"sweep"*'
check 'env gives its address and its process' \
  test "$(eval "$(one env)" && printf %s "$INFLUXDB_URL $INFLUXDB_PID")" = "http://127.0.0.1:$influxdb_port/sweep $influxdb"
run one up influxdb
check 'one that is up stays as it is' exited_with_one_line 0 'up already' "pid $influxdb"
run two up influxdb
check 'two checkouts have one each: its port for backups is no obstacle' exited_with_one_line 0 'influxdb is up'
run two down influxdb
run env INFLUXDB_PORT="$influxdb_port" "$room/two/scripts/servers.sh" up influxdb
check 'a port in use: one line' exited_with_one_line 1 "port $influxdb_port (INFLUXDB_PORT) is in use"
kill -KILL "$influxdb"
eventually not is_alive "$influxdb"
run one up influxdb
check 'an InfluxDB that was killed: up starts a new one' exited 0 'has died: starting a new one' 'influxdb is up'
run one down influxdb
check 'down leaves nothing of an InfluxDB' nothing_left
run one with influxdb -- sh -c 'echo "$INFLUXDB_URL"; exit 7'
check 'with gives the address of an InfluxDB' exited 7 $'\nhttp://127.0.0.1:'
check 'and stops it' nothing_left

# --- prometheus

# prometheus_says PORT PATH PATTERN reports whether the first line of the answer matches.
prometheus_says() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf '%s HTTP/1.0\r\nContent-Length: 0\r\n\r\n' "$2" >&3
  read -r -t 2 -u 3 line
  # shellcheck disable=SC2053   # it is a pattern
  [[ ${line%$'\r'} == $3 ]]
)
run one up prometheus
prometheus=$(field one pid prometheus) prometheus_port=$(field one port prometheus)
check 'up starts a Prometheus' exited_with_one_line 0 'prometheus is up' "PROMETHEUS_URL=http://127.0.0.1:$prometheus_port"
check 'it answers queries as soon as up returns' prometheus_says "$prometheus_port" 'GET /api/v1/query?query=1' '* 200 OK'
check 'it takes remote writes: no body is a bad one, not a forbidden one' prometheus_says "$prometheus_port" 'POST /api/v1/write' '* 400 *'
run one up prometheus
check 'one that is up stays as it is' exited_with_one_line 0 'up already' "pid $prometheus"
run env PROMETHEUS_PORT="$prometheus_port" "$room/two/scripts/servers.sh" up prometheus
check 'a port in use: one line' exited_with_one_line 1 "port $prometheus_port (PROMETHEUS_PORT) is in use"
run one down prometheus
check 'down says so' exited_with_one_line 0 'prometheus is down'
check 'and leaves nothing of a Prometheus' nothing_left
run one with prometheus -- sh -c 'echo "$PROMETHEUS_URL"; exit 7'
check 'with gives the address of a Prometheus' exited 7 $'\nhttp://127.0.0.1:'
check 'and stops it' nothing_left

#
# --- programs from Debian packages, with an apt-get that needs no network

packages=$(path_without)
cat >"$packages/apt-get" <<END
#!/bin/sh
case " \$* " in
  *' --print-uris '*)
    [ -e "$room/lists" ] || { echo 'E: Unable to locate package redis-server' >&2; exit 100; }
    echo "'http://example.com/l.deb' liblzf1_3.6-3_amd64.deb 1 MD5Sum:0"
    echo "'http://example.com/r.deb' redis-server_5%3a7.0_amd64.deb 1 MD5Sum:0" ;;
  *' download '*)
    echo fetched >>"$room/fetches"
    sleep 1
    if [ "\$*" = 'download -q redis-tools' ]; then echo t >redis-tools.deb; exit; fi
    [ "\$*" = 'download -q liblzf1 redis-server' ] || { echo "E: \$*" >&2; exit 100; }
    echo l >liblzf1.deb; echo r >redis-server.deb ;;
  *' update '*)
    [ ! -e "$room/no-network" ] || { echo 'E: no network' >&2; exit 100; }
    : >"$room/lists" ;;
esac
END
cat >"$packages/dpkg" <<END
#!/bin/sh
split=$room/split
END
cat >>"$packages/dpkg" <<'END'
if [ "$1 $2" = '-S /usr/bin/redis-check-rdb' ]; then echo 'redis-tools: /usr/bin/redis-check-rdb'; exit; fi
[ "$1" != -S ] || exit 1
[ "$1" = -x ] || exit 0
mkdir -p "$3/usr/bin" "$3/usr/lib/some-linux-gnu"
program=redis-server
if [ -e "$split" ]; then program=redis-check-rdb; fi
case $2 in
  */redis-server.deb) if [ -e "$split" ]; then ln -s "$(cat "$split")" "$3/usr/bin/redis-server"; exit; fi ;;
esac
case $2 in
  */redis-server.deb | */redis-tools.deb) printf '#!/bin/sh\necho "looks into $LD_LIBRARY_PATH"\n' >"$3/usr/bin/$program"; chmod +x "$3/usr/bin/$program" ;;
  *) cp "$2" "$3/usr/lib/some-linux-gnu/lib.so" ;;
esac
END
printf '#!/bin/sh\n[ ! -e "%s" ] || echo "lib.so => not found"\n' "$room/no-library" >"$packages/ldd.new"
mv -f "$packages/ldd.new" "$packages/ldd"
chmod +x "$packages/apt-get" "$packages/dpkg" "$packages/ldd"
fetch=(env PATH="$packages" XK6_SWEEP_CACHE="$room/fetched" "$room/one/scripts/servers.sh")
fetches() { grep -c . "$room/fetches"; }

if ((EUID == 0)); then
  : >"$room/no-network"
  run "${fetch[@]}" build redis
  check 'no package lists and no network: what apt-get said' exited 1 'cannot update the package lists: install redis-server' '    E: no network'
  rm "$room/no-network"
  run "${fetch[@]}" build redis
  check 'no package lists: root updates them' exited 0 'updating the package lists' 'fetched redis-server'
  rm -rf "$room/fetched" "$room/fetches"
else
  run "${fetch[@]}" build redis
  check 'no package lists: what to do' exited 1 'as root, run apt-get update, or install redis-server' '    E: Unable to locate'
fi
: >"$room/lists"
"${fetch[@]}" build redis >"$room/fetch1" 2>&1 &
PATH=$packages XK6_SWEEP_CACHE=$room/fetched two build redis >"$room/fetch2" 2>&1
wait "$!"
check 'two checkouts that fetch at once fetch once' test "$(fetches)" = 1
check 'and both get the file' test "$(tail -n 1 "$room/fetch1")" = "$(tail -n 1 "$room/fetch2")"
file=$(tail -n 1 "$room/fetch1") tree=${file%/usr/bin/redis-server}
[[ $file == "$room"/* ]] || tree=$room/not-fetched   # written to below
run "${fetch[@]}" build redis
check 'what is fetched stays fetched' test "$code $(fetches) $said" = "0 1 $file"
run "${fetch[@]}" up redis
check 'it is started with its libraries' exited 1 "    looks into $tree/usr/lib/some-linux-gnu"
echo damage >"$tree/usr/lib/some-linux-gnu/lib.so"
run "${fetch[@]}" build redis
check 'a damaged library: fetched again' exited 0 'is damaged or lacks a library: fetching it again' 'fetched redis-server'
check 'and is whole then' test "$(<"$tree/usr/lib/some-linux-gnu/lib.so")" = l
: >"$room/no-library"
run "${fetch[@]}" build redis
check 'a library that is nowhere: one line at the end' exited 1 'no usr/bin/redis-server that works: install redis-server'
rm "$room/no-library"
for link in redis-check-rdb /usr/bin/redis-check-rdb ../../usr/bin/redis-check-rdb; do
  rm -rf "$tree"
  echo "$link" >"$room/split"
  run "${fetch[@]}" build redis
  check "a program that is a link ($link) into a package that is installed: that one is fetched, too" exited 0 'fetched redis-server'
  check 'and the program works' test "$(LD_LIBRARY_PATH=here "$tree/usr/bin/redis-server" 2>&1)" = 'looks into here'
done
echo nowhere >"$room/split"
rm -rf "$tree"
run "${fetch[@]}" build redis
check 'a link to what no package has: one line at the end' exited 1 'no usr/bin/redis-server that works: install redis-server'
rm "$room/split"
rm -rf "$tree"
"${fetch[@]}" build redis >/dev/null 2>&1 &
eventually compgen -G "$tree.building.*/archives" >/dev/null
kill -TERM "$!"
wait "$!"
check 'a fetch that fails or is ended leaves no files' test -z "$(compgen -G "$tree.building.*")"
run env PATH="$(path_without)" XK6_SWEEP_CACHE="$room/empty" "$room/one/scripts/servers.sh" up redis
check 'no redis-server and no apt-get: one line' exited_with_one_line 1 'redis-server is not in PATH' 'install redis-server'
check 'none of these left anything' nothing_left

# --- with

run one with machbase -- sh -c 'echo "$MACHBASE_URL $MACHBASE_PID"; exit 7'
check 'with exits as its command did, which had the address' exited 7 $'\nmachbase://sys:manager@127.0.0.1:'
ports="$ports $(sed -n 's|.*manager@127.0.0.1:\([0-9]*\) .*|\1|p' <<<"$said")"
check 'and stops what it started' nothing_left
run one with machbase -- sh -c 'kill -9 "$MACHBASE_PID"; while kill -0 "$MACHBASE_PID" 2>/dev/null; do sleep 0.1; done'
check 'a server that dies meanwhile: with says so and how, fails, and shows the end of its log' exited 1 'machbase had died (pid ' ', signal KILL)' 'MACH Listen' 'machbase is down'
check 'and leaves nothing of it' nothing_left
check 'the command has our stdin' test "$(echo hello | one with machbase -- cat 2>/dev/null)" = hello
run env MACHBASE_URL=machbase://me:secret@elsewhere:1 "$room/one/scripts/servers.sh" with machbase -- sh -c 'echo "at $MACHBASE_URL"'
check 'with uses the server that the user names, and says so' exited 0 'MACHBASE_URL is set' 'at machbase://me:secret@elsewhere:1'
run one with machbase -- nosuchcommand
check 'a command that is not there: one line, before anything is started' exited_with_one_line 127 'nosuchcommand'
run one with machbase
check 'with without a command: one line' exited_with_one_line 2 '-- COMMAND'

"$room/one/scripts/servers.sh" with machbase -- bash -c "trap 'echo got TERM; exit 9' TERM; touch '$room/running'; while :; do sleep 0.1; done" >"$room/out" 2>&1 &
with=$!
eventually test -e "$room/running"
ports="$ports $(field one port)"
one with machbase -- true 2>/dev/null
check 'a second with leaves the server of the first' answers "${ports##* }"
kill -TERM "$with"
wait "$with"
code=$? said=$(<"$room/out")
check 'on TERM the command gets it, once, and its exit code counts' test "$code $(grep -c 'got TERM' "$room/out")" = '9 1'
check 'and the server is stopped' nothing_left

# A killed with whose process id is in use again.
run one with machbase -- sh -c "echo 1 >'$room/one/.servers/machbase/with.$$'"
check 'a with whose number is used again does not keep the server' nothing_left

fake_server never <<'END'
#!/bin/sh
while :; do sleep 0.2; done
END
XK6_SWEEP_CACHE=$room/never "$room/one/scripts/servers.sh" with machbase -- true >"$room/out" 2>&1 &
with=$!
eventually test -e "$room/one/.servers/machbase/state"
kill -TERM "$with"
wait "$with"
code=$? said=$(<"$room/out")
check 'TERM while the server starts ends it at once' test "$code" = 143
check 'and leaves nothing' nothing_left

run env MACHBASE_HTTP=true "$room/one/scripts/servers.sh" up machbase
ports="$ports $(field one port)"
check 'with MACHBASE_HTTP it has an HTTP API' exited 0 'machbase is up' 'MACHBASE_HTTP_URL=http://127.0.0.1:'
http=$(eval "$(one env)" && printf %s "$MACHBASE_HTTP_URL")
check 'which answers as soon as up returns, beside the native protocol' http_answers "$http"
check 'and so does that' answers "${ports##* }"
run one down
check 'down ends that, too' nothing_left
run env MACHBASE_HTTP=maybe "$room/one/scripts/servers.sh" up machbase
check 'MACHBASE_HTTP that is neither true nor false: one line' exited_with_one_line 1 "MACHBASE_HTTP is 'maybe': it must be true or false"
check 'and nothing is left' nothing_left

run one up machbase
ports="$ports $(field one port)"
run one with machbase -- true
check 'with leaves a server that up has started' answers "${ports##* }"
run one down
check 'at the end nothing is left' nothing_left

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
