# shellcheck shell=bash disable=SC2034,SC2154  # home is servers.sh's, and pid is for who calls launch
#
# Ports and processes, with only bash and coreutils: no ss, nc or curl, and no ps if there is /proc.

port_in_use() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port sets `port` to a free port below 32768, where Linux takes no ports for outgoing
# connections. Another process can still take it first, so the caller has to try again.
free_port() {
  port=$((20000 + RANDOM % 12000))
  while port_in_use "$port"; do port=$((20000 + RANDOM % 12000)); done
}

# cluster_ports N prints a line for each of the N servers of a cluster: its client port, the first
# of which is $port, and its cluster port.
cluster_ports() (
  taken=' '
  next_port() {
    while [[ $taken == *" $port "* ]]; do free_port; done
    taken="$taken$port "
  }
  for ((i = 0; i < $1; i++)); do
    next_port
    clients=$port
    next_port
    printf '%s %s\n' "$clients" "$port"
  done
)

# cluster_run is a script for `bash -c`, with a name, the folder and a command prefix. It starts the
# command for each line of FOLDER/ports, with the file FOLDER/PORT.conf as last argument. If one of
# the servers ends (all of them, if CLUSTER_WAIT is empty), or this shell is stopped or killed, all
# end.
# shellcheck disable=SC2016,SC2034   # it is for the shell that runs it
cluster_run='
  home=$1 guard=$(type -P setpriv) servers=() stopped="" code=0
  shift
  trap "stopped=yes; kill -TERM \${servers[*]} 2>/dev/null" TERM
  while [[ -z $stopped ]] && read -r port _; do
    ${guard:+"$guard" --pdeathsig TERM} "$@" "$home/$port.conf" &
    servers+=("$!")
  done <"$home/ports"
  printf "%s\n" "${servers[@]}" >"$home/pids"
  [[ -n $stopped ]] || wait ${CLUSTER_WAIT--n} || code=$?
  kill -TERM "${servers[@]}" 2>/dev/null
  for server in "${servers[@]}"; do
    while kill -0 "$server" 2>/dev/null; do wait "$server"; done
  done
  exit "$code"
'

# launch COMMAND... starts a daemon without our session, terminal, folder and open files; sets
# `pid`. HOME and TMPDIR are in the server's folder `home`, so that it leaves no files in the
# user's.
launch() {
  local detach=''
  if have setsid; then detach=setsid; else set -m; fi   # macOS has no setsid; use a process group
  become "$@" </dev/null >"$home/stdout" 2>&1 &
  pid=$!
  set +m
}

become() {
  cd "$home" || exit
  ulimit -c 0
  trap '' HUP
  close_inherited_files
  exec $detach env HOME="$home" TMPDIR="$home/tmp" "$@"
}

# exit_status PID prints the exit status of a process; nothing if it is no child of ours.
exit_status() {
  local code=0
  wait "$1" 2>/dev/null || code=$?
  case $code in
    127) ;;
    129 | 1[3-5]? | 16[0-4]) printf ', signal %s' "$(kill -l $((code - 128)))" ;;
    *) printf ', exit status %s' "$code" ;;
  esac
}

# await_exec PID FOLDER waits until the launched process has its own command line instead of ours,
# because stopping it depends on that.
await_exec() {
  local deadline=$((SECONDS + 10))
  until is_running "$1" "$2" || has_ended "$1" || ((SECONDS >= deadline)); do sleep 0.01; done
}

# The caller of `up` would wait forever for the end of a pipe that stays open in the server.
close_inherited_files() {
  local fd
  for fd in /dev/fd/*; do
    fd=${fd##*/}
    if ((fd > 2 && fd != 255)); then eval "exec $fd>&-"; fi   # 255 belongs to bash, and is closed on exec
  done
}

# is_running PID FOLDER reports whether PID is alive and its command line names FOLDER. A zombie has
# no command line.
is_running() {
  local args=''
  [[ -n $1 && -n $2 ]] || return 1
  if [[ -r /proc/self/cmdline ]]; then
    args=$({ tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null) || true
  else
    args=$(ps -ww -o args= -p "$1" 2>/dev/null) || true
  fi
  [[ $args == *"$2"* ]]
}

# birth PID prints the start time of the process in system units, which identifies it if the id is
# reused; nothing for no process.
birth() {
  local stat
  if [[ -r /proc/self/stat ]]; then
    stat=$({ cat "/proc/$1/stat"; } 2>/dev/null) || return 0
    # The name, in brackets, may have any characters; the 20th field after it is the start time.
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    printf '%s' "${20:-}"
  else
    ps -o lstart= -p "$1" 2>/dev/null || true
  fi
}

# is_same PID BIRTH reports whether the process is the one that started then.
is_same() { [[ -n $1 && -n $2 && $(birth "$1") == "$2" ]]; }

# process_of FOLDER prints the launched process with this HOME; nothing if there is none. Of several
# it is the session leader.
process_of() {
  local folder stat found='' one
  [[ -r /proc/self/environ ]] || { ps -axww -o pid=,args= | { grep -F -- "$1" || true; } | { read -r one _ && printf '%s' "$one"; } || true; return 0; }
  for folder in /proc/[0-9]*; do
    grep -zqxF "HOME=$1" "$folder/environ" 2>/dev/null || continue
    one=${folder##*/}
    stat=$({ cat "$folder/stat"; } 2>/dev/null) || continue
    # shellcheck disable=SC2086
    set -- "$1" ${stat##*) }
    [[ -z $found || $5 == "$one" ]] || continue   # state, parent, group, session
    found=$one
    [[ $5 != "$one" ]] || break
  done
  printf '%s' "$found"
}

# stop_process PID FOLDER sends TERM, and KILL after 10 s. CONT is for a stopped process, which acts
# only on KILL. It checks the process before each signal, because its id may be reused.
stop_process() {
  local born
  born=$(birth "$1")
  if is_ending "$1"; then has_ended_within 10 "$1" "$born" || true; fi
  is_running "$1" "$2" || return 0
  disown "$1" 2>/dev/null || true   # or bash reports on stderr that it was terminated
  signal_process TERM "$1" "$born"
  signal_process CONT "$1" "$born"
  has_ended_within 10 "$1" "$born" && return 0
  say "process $1 does not end on TERM: killing it"
  signal_process KILL "$1" "$born"
  has_ended_within 10 "$1" "$born" || die "process $1 cannot be killed"
}

# is_ending PID: a killed process loses its command line first, and its ports and files later.
is_ending() { [[ -e /proc/$1/cmdline && -z $({ tr -d '\0' <"/proc/$1/cmdline"; } 2>/dev/null) ]]; }

# signal_process SIGNAL PID BIRTH
signal_process() { if is_same "$2" "$3"; then kill -s "$1" "$2" 2>/dev/null || true; fi; }

# has_ended_within SECONDS PID BIRTH
has_ended_within() {
  local deadline=$((SECONDS + $1))
  until has_ended "$2" || ! is_same "$2" "$3"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# has_ended PID is stricter than not is_running, because an ending process loses its command line
# before it closes its files. A zombie (in a container often not reaped) has ended once its last
# thread has.
has_ended() {
  local stat
  kill -0 "$1" 2>/dev/null || return 0
  if [[ -r /proc/self/stat ]]; then
    stat=$({ cat "/proc/$1/stat" && echo /proc/"$1"/task/*; } 2>/dev/null) || return 0
    [[ $stat == *') Z '*"/proc/$1/task/$1" ]]
  else
    [[ $(ps -o state= -p "$1" 2>/dev/null) == Z* ]]
  fi
}
