# shellcheck shell=bash disable=SC2034,SC2154
#
# PostgreSQL, with its default settings except the number of connections. scripts/servers/README.md
# describes these names.

server_address=POSTGRES_URL

# Debian does not put it into PATH.
server_build() {
  local PATH=$PATH folder
  for folder in /usr/lib/postgresql/*/bin; do
    [[ ! -x $folder/initdb ]] || PATH=$PATH:$folder
  done
  debian_program postgresql-15 usr/lib/postgresql/15/bin/postgres
}

# An empty database has 40 MB, its first log 16 MB.
server_space=200

# The first program creates the data folder that the second one needs.
server_command() {
  local programs
  [[ -z ${POSTGRES_CONNECTIONS:-} ]] || positive_number POSTGRES_CONNECTIONS
  programs=$(dirname "$(readlink -f "$binary")")
  printf 'opensesame\n' >"$home/password"
  not_as_root
  command=("${as_nobody[@]}" env LC_ALL=C LD_LIBRARY_PATH="$libraries" bash -c "$postgres_run" postgres.sh "$programs" "$home" "$port" "${POSTGRES_CONNECTIONS:-600}")
}

# not_as_root sets `as_nobody`, a command prefix for PostgreSQL, which refuses to run as root. It
# then sees itself as nobody, but its files and permissions are still root's.
not_as_root() {
  as_nobody=()
  ((EUID == 0)) || return 0
  as_nobody=(unshare --user --map-user=65534 --map-group=65534)
  "${as_nobody[@]}" true 2>/dev/null || die "PostgreSQL does not run as root, and unshare --user does not work here: start it as another user"
}

# PostgreSQL waits for all clients after TERM, so it gets INT instead, even if this shell is killed.
# Its socket and shared memory, by default outside its folder, are turned off or moved inside.
# shellcheck disable=SC2016   # it is for the shell that runs it
postgres_run='
  programs=$1 home=$2 port=$3 connections=$4 guard=$(type -P setpriv) stopped=""
  trap "stopped=yes; kill -INT \$! 2>/dev/null" TERM
  "$programs/initdb" --pgdata "$home/data" --username postgres --pwfile "$home/password" --auth scram-sha-256 \
    --encoding UTF8 --no-locale --no-sync || exit
  [[ -z $stopped ]] || exit
  ${guard:+"$guard" --pdeathsig INT} "$programs/postgres" -D "$home/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c dynamic_shared_memory_type=mmap -c max_connections="$connections" &
  until wait "$!" || [[ -z $stopped ]]; do stopped=""; done
'

server_logs() { printf '%s\n' "$home/stdout"; }

# Checks its log first, because another PostgreSQL could answer on a port that ours just lost. N is
# the answer to a TLS request.
server_ready() {
  grep -q 'database system is ready to accept connections' "$home/stdout" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '\0\0\0\10\4\322\26\57' >&3
    read -r -t 1 -n 1 -u 3 answer
    [[ $answer == N ]]
  ) 2>/dev/null
}

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'could not bind.*Address already in use' "$home/stdout"; }

server_env() { printf 'POSTGRES_URL=postgres://postgres:opensesame@127.0.0.1:%s/postgres?sslmode=disable\n' "$port"; }

server_clean() { :; }
