# shellcheck shell=bash disable=SC2034,SC2154
#
# Prometheus without scraping, for remote writes, such as those of k6's output
# experimental-prometheus-rw. scripts/servers/README.md describes these names.

server_address=PROMETHEUS_URL

server_build() { debian_program prometheus usr/bin/prometheus; }

# Its files of recent samples start with 128 MB each.
server_space=300

server_command() {
  printf 'global: {}\n' >"$home/prometheus.yml"
  command=(env LD_LIBRARY_PATH="$libraries" "$binary" --config.file="$home/prometheus.yml" --storage.tsdb.path="$home/data"
    --web.listen-address="127.0.0.1:$port" --web.enable-remote-write-receiver)
}

server_logs() { printf '%s\n' "$home/stdout"; }

# Checks its log first, because another Prometheus could answer on a port that ours just lost.
server_ready() {
  grep -q 'Server is ready to receive web requests' "$home/stdout" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /-/ready HTTP/1.0\r\n\r\n' >&3
    read -r -t 1 -n 12 -u 3 answer
    [[ $answer == 'HTTP/1.'?' 200' ]]
  ) 2>/dev/null
}

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'bind: address already in use' "$home/stdout"; }

server_env() { printf 'PROMETHEUS_URL=http://127.0.0.1:%s\n' "$port"; }

server_clean() { :; }
