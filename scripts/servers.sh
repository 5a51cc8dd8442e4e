#!/usr/bin/env bash
# Starts and stops the servers for scenarios and tests. Usage: `servers.sh help`. How to add a
# server: scripts/servers/README.md.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# In the checkout, so that two checkouts do not disturb each other.
state_root=${scripts%/*}/.servers${SERVERS_ROOM:+-$SERVERS_ROOM}
# shellcheck source=servers/lib/common.sh
. "$scripts/servers/lib/common.sh"
# shellcheck source=servers/lib/process.sh
. "$scripts/servers/lib/process.sh"
# shellcheck source=servers/lib/build.sh
. "$scripts/servers/lib/build.sh"
# shellcheck source=servers/lib/debian.sh
. "$scripts/servers/lib/debian.sh"

# The current server: set by load and read_state, used by the functions of scripts/servers/NAME.sh.
name='' upper='' binary='' home='' port='' pid='' keep=''
command=()
why=''        # why a server did not start
starting=''   # set from the first file of a server until it is ready
joined=''     # names of the servers of this `with`
died=''       # set if one of them ended on its own

usage() {
  cat <<EOF
servers.sh up NAME...                    starts servers that are not running
servers.sh down [NAME...]                stops them (default: all) and removes their files
servers.sh status                        lists the running servers of this checkout, of all SERVERS_ROOMs
servers.sh env                           prints export lines for them: eval "\$(scripts/servers.sh env)"
servers.sh with NAME... -- COMMAND...    starts servers that are not running, runs COMMAND with the addresses exported, and stops
                                         the started servers. Exits as COMMAND does, or with 1 if a server has died.
                                         If the address is set already, it uses that server.
servers.sh build NAME...                 only builds or downloads, and prints the path of the program
servers.sh help

Known: $(known_names)
Variables, for example for machbase:
  MACHBASE_URL             if set, \`with\` uses that server and starts none
  MACHBASE_PORT            TCP port (default: a free one)
  MACHBASE_HTTP            true: also opens its HTTP API (MACHBASE_HTTP_URL)
  MACHBASE_START_TIMEOUT   seconds to become ready (default 60)
  SERVERS_ROOM             a name: separate servers in the same checkout
  XK6_SWEEP_CACHE          folder of server programs (default: xk6-sweep in XDG_CACHE_HOME or ~/.cache); safe to delete
  TMPDIR                   parent of the servers' data folders (default /tmp)
\`env\` and \`with\` export the address (MACHBASE_URL) and the process id (MACHBASE_PID).
EOF
}

main() {
  local verb=${1:-help}
  (($# == 0)) || shift
  trap on_exit EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  case $verb in
    up | build) (($#)) || usage_error "$verb which server? Known: $(known_names)" ;;
    status | env) (($# == 0)) || usage_error "$verb takes no names" ;;
  esac
  case $verb in
    up | down | build) check_names "$@" && "do_$verb" "$@" ;;
    status | env | with) "do_$verb" "$@" ;;
    help | -h | --help) usage ;;
    *) usage_error "there is no command '$verb': it is one of up, down, status, env, with, build, help" ;;
  esac
}

usage_error() { say "$@"; exit 2; }

on_exit() {
  local code=$? used
  trap '' HUP INT TERM   # the cleanup takes a few seconds, and half of it would leave a server behind
  set +e                 # and a failed step must not prevent the others
  abandon_build
  [[ -z $starting ]] || discard
  exec 9>&-
  for used in $joined; do leave "$used"; done
  [[ -z $died || $code != 0 ]] || code=1   # a command that succeeded without the server measured something else
  exit "$code"
}

#
# --- names

known_names() {
  local file names=''
  for file in "$scripts"/servers/*.sh; do
    file=${file##*/}
    names="$names ${file%.sh}"
  done
  printf '%s' "${names# }"
}

check_names() {
  local wanted
  for wanted in "$@"; do
    [[ " $(known_names) " == *" $wanted "* ]] || usage_error "there is no server '$wanted'; known: $(known_names)"
  done
}

# load NAME makes NAME the current server.
load() {
  name=$1
  upper=$(printf '%s' "$1" | tr '[:lower:]' '[:upper:]')
  # shellcheck source=servers/machbase.sh
  . "$scripts/servers/$1.sh"
}

# lock lets only one servers.sh work on the current server. It locks the server's file in
# scripts/servers, which always exists.
lock() {
  exec 9<"$scripts/servers/$name.sh"
  take_lock 9 "another servers.sh is at work on $name in this checkout: waiting for it"
}
unlock() { exec 9>&-; }

#
# --- state: .servers/NAME/state describes the running server, or one that is starting if it has no
# process id; .servers/NAME/with.PID marks a `with` process that uses it, with its start time

read_state() {
  local key value
  home='' port='' pid='' keep=''
  [[ -r $state_root/$name/state ]] || return 1
  while IFS='=' read -r key value; do
    case $key in
      home) home=$value ;;
      port) port=$value ;;
      pid) pid=$value ;;
      keep) keep=$value ;;
    esac
  done <"$state_root/$name/state"
}

write_state() {
  mkdir -p "$state_root/$name" 2>/dev/null || die "cannot write to $state_root"
  printf '%s\n' "home=$home" "port=$port" "pid=$pid" "keep=$keep" >"$state_root/$name/state.new"
  mv -f "$state_root/$name/state.new" "$state_root/$name/state"
}

is_up() { read_state && is_running "$pid" "$home"; }

# discard stops the current server and removes all its files, including its state.
discard() {
  [[ -n $pid || -z $home ]] || pid=$(process_of "$home")   # servers.sh was killed before it could write the process id
  [[ -z $pid || -z $starting ]] || await_exec "$pid" "$home"
  [[ -z $pid ]] || stop_process "$pid" "$home"
  [[ -z $port ]] || server_clean
  case $home in */xk6-sweep-"$name".??????) rm -rf -- "$home" ;; esac
  rm -rf -- "${state_root:?}/$name"
  rmdir "$state_root" 2>/dev/null || true
  home='' port='' pid='' keep='' starting=''
}

#
# --- start

# start KEEP: KEEP is yes for a server that runs until `down`, no for one that stops with the last
# `with`.
start() {
  local port_variable=${upper}_PORT tries=5 wanted=$1
  local timeout_variable=${upper}_START_TIMEOUT
  [[ -z ${!port_variable:-} ]] || positive_number "$port_variable"
  [[ -z ${!timeout_variable:-} ]] || positive_number "$timeout_variable"
  [[ -n ${!port_variable:-} ]] || port_variable=''
  server_build

  while :; do
    choose_port "$port_variable"
    make_home
    keep=$wanted
    server_command
    write_state   # before the process starts: a later servers.sh finds it even if this one is killed
    launch "${command[@]}"
    write_state
    if wait_until_ready "${!timeout_variable:-60}"; then
      starting=''
      return 0
    fi
    if ! is_running "$pid" "$home" && server_lost_port && [[ -z $port_variable ]] && ((--tries)); then
      discard
      continue
    fi
    start_failed "$port_variable"
  done
}

# choose_port VARIABLE sets `port` to its value, or to a free port if VARIABLE is empty.
choose_port() {
  [[ -n $1 ]] || { free_port; return; }
  port=${!1}
  ((port <= 65535)) || die "$1 is '$port': a port is at most 65535"
  ! port_in_use "$port" || die "cannot start $name: port $port ($1) is in use"
}

make_home() {
  local parent=${TMPDIR:-/tmp}
  need_space "$parent" "$server_space" "the data of $name"
  home=$(cd "$parent" 2>/dev/null && mktemp -d "$(pwd -P)/xk6-sweep-$name.XXXXXX" 2>/dev/null) ||
    die "cannot make a folder for the data of $name in $parent (TMPDIR)"
  starting=yes
  mkdir "$home/tmp"
}

# wait_until_ready SECONDS fails after this time, or as soon as the process has ended; `why` then
# has the reason.
wait_until_ready() {
  local begun=$SECONDS
  until server_ready; do
    why="it ended right after its start"
    kill -0 "$pid" 2>/dev/null || return 1   # not is_running: until exec, the child has our command line
    why="it was not ready after $1 s (${upper}_START_TIMEOUT)"
    ((SECONDS - begun < $1)) || return 1
    sleep 0.05
  done
}

start_failed() {
  if [[ -n $1 ]] && server_lost_port; then why="port $port ($1) is in use"; fi
  say "cannot start $name: $why"
  show_logs
  exit 1   # the exit trap removes it
}

show_logs() {
  local -a logs=()
  local file
  while IFS= read -r file; do logs+=("$file"); done < <(server_logs)
  show_end "${logs[@]}"
}

#
# --- up, down, status, env, build

do_up() {
  local wanted
  for wanted in "$@"; do
    load "$wanted"
    lock
    bring_up yes
    unlock
  done
}

# bring_up KEEP starts the current server unless it runs, or ends servers.sh.
bring_up() {
  if is_up; then
    answers_within 5 || die "$name is up (pid $pid) but does not answer: servers.sh down $name ends it"
    if [[ $1 == yes && $keep == no ]]; then
      keep=yes
      write_state
    fi
    say "$name is up already (pid $pid): $(server_env)"
    return 0
  fi
  if read_state; then
    say "$name (pid $pid) has died: starting a new one"
    discard
  fi
  start "$1"
  say "$name is up (pid $pid): $(server_env)"
}

answers_within() {
  local deadline=$((SECONDS + $1))
  until server_ready; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

do_down() {
  local wanted all=''
  (($#)) || { all=yes; for wanted in $(known_names); do set -- "$@" "$wanted"; done; }
  for wanted in "$@"; do
    load "$wanted"
    lock
    if read_state; then
      discard
      say "$name is down"
    elif [[ -z $all ]]; then
      say "$name is not up"
    fi
    unlock
  done
}

# do_status lists all servers of this SERVERS_ROOM, and the existing ones of the others.
do_status() {
  local room own=$state_root
  room_status
  for state_root in "${scripts%/*}"/.servers*; do
    [[ $state_root != "$own" && -d $state_root ]] || continue
    room=${state_root##*/.servers}
    say "in ${room:+SERVERS_ROOM=${room#-}}${room:-the room without a name}:"
    room_status there
  done
}

# room_status [there] prints a line for each server, or for each existing one.
room_status() {
  local each
  for each in $(known_names); do
    load "$each"
    if ! read_state; then
      [[ -n ${1:-} ]] || printf '%-10s not up\n' "$name"
    elif ! is_running "$pid" "$home"; then
      printf '%-10s died (pid %s): up starts a new one, down removes what it left in %s\n' "$name" "$pid" "$home"
    elif ! server_ready; then
      printf '%-10s up, but does not answer (pid %s, port %s, files in %s)\n' "$name" "$pid" "$port" "$home"
    else
      printf '%-10s up (pid %s, port %s, files in %s)\n' "$name" "$pid" "$port" "$home"
    fi
  done
}

do_env() {
  local each any=''
  for each in $(known_names); do
    load "$each"
    is_up || continue
    any=yes
    exports
  done
  [[ -n $any ]] || say "nothing is up"
}

# exports prints the export lines of the current server.
exports() {
  local line
  { server_env; printf '%s_PID=%s\n' "$upper" "$pid"; } | while IFS= read -r line; do
    printf 'export %s=%q\n' "${line%%=*}" "${line#*=}"
  done
}

do_build() {
  local wanted
  for wanted in "$@"; do
    load "$wanted"
    server_build
    printf '%s\n' "$binary"
  done
}

#
# --- with

do_with() {
  local -a names=()
  local wanted code=0
  while (($#)) && [[ $1 != -- ]]; do
    names+=("$1")
    shift
  done
  ((${#names[@]} > 0 && $# > 1)) || usage_error "it is: servers.sh with NAME... -- COMMAND..."
  shift
  check_names "${names[@]}"
  type -P "$1" >/dev/null || { say "there is no command '$1'"; exit 127; }

  for wanted in "${names[@]}"; do join "$wanted"; done
  run_command "$@" || code=$?
  exit "$code"   # the exit trap leaves the servers
}

# join NAME starts the server if necessary, and keeps it running while we use it.
join() {
  load "$1"
  if [[ -n ${!server_address:-} ]]; then
    say "$server_address is set: using that server, starting none"
    return 0
  fi
  lock
  bring_up no
  birth "$$" >"$state_root/$name/with.$$"
  joined="$joined $name"
  eval "$(exports)"
  unlock
}

# leave NAME ends our use. The last `with` stops the server, unless `up` started it or took it over.
leave() {
  local other
  load "$1"
  lock
  rm -f "$state_root/$name/with.$$"
  if read_state && [[ $keep == no ]]; then
    for other in "$state_root/$name"/with.*; do
      if [[ -r $other ]] && is_same "${other##*.}" "$(<"$other")"; then
        unlock
        return 0
      fi
    done
    # The command may have failed because of this, and the log is removed.
    if ! is_running "$pid" "$home"; then
      say "$name had died (pid $pid$(exit_status "$pid"))"
      show_logs
      died=yes
    fi
    discard
    say "$name is down"
  fi
  unlock
}

# run_command COMMAND... runs it while bash still handles signals, which bash does not for a
# foreground command. With a terminal, the command stays in our process group: it may read the
# terminal, which also sends it Ctrl-C, so we only wait for its end. Without a terminal, it gets a
# separate group, and each signal is passed on once: a second one would make k6 skip its summary.
run_command() {
  local child code own_group='' signals=0 seen
  if (: </dev/tty) 2>/dev/null; then
    (trap - INT QUIT; exec "$@") <&0 &   # bash ignores INT and QUIT in background commands
    child=$!
    trap 'signals=$((signals + 1))' INT HUP
  else
    own_group=yes
    set -m
    "$@" <&0 &
    set +m
    child=$!
    trap 'pass_on INT "-$child"' INT   # to the complete group, as a terminal does
    trap 'pass_on HUP "$child"' HUP
  fi
  trap 'pass_on TERM "$child"' TERM

  while :; do   # a signal ends the wait, not the command
    seen=$signals
    code=0
    wait "$child" 2>/dev/null || code=$?
    ((signals > seen)) || break
  done
  if [[ -n $own_group ]] && ((signals)); then kill -TERM -- "-$child" 2>/dev/null || true; fi   # processes that a killed shell left behind
  return "$code"
}

pass_on() {
  signals=$((signals + 1))
  kill -s "$1" -- "$2" 2>/dev/null || true
}

main "$@"
