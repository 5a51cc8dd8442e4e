# shellcheck shell=bash disable=SC2034,SC2154
#
# InfluxDB 1.6, with a database named sweep. scripts/servers/README.md describes these names.

server_address=INFLUXDB_URL

server_build() { debian_program influxdb usr/bin/influxd; }

# An hour of one point per second needs less than 1 MB; k6's own output can write a hundred times as
# much.
server_space=200

server_command() {
  influxdb_settings >"$home/influxdb.conf"
  command=(env LD_LIBRARY_PATH="$libraries" "$binary" -config "$home/influxdb.conf")
}

# The backup port would be 8088; here it is a free one. Its internal statistics are off.
influxdb_settings() {
  cat <<END
reporting-enabled = false
bind-address = "127.0.0.1:0"
[meta]
  dir = "$home/meta"
[data]
  dir = "$home/data"
  wal-dir = "$home/wal"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:$port"
  log-enabled = false
[continuous_queries]
  enabled = false
END
}

server_logs() { printf '%s\n' "$home/stdout"; }

# Checks its log first, because another InfluxDB could answer on a port that ours just lost. Then
# creates the database, if needed.
server_ready() {
  grep -q "Listening on HTTP.*127.0.0.1:$port" "$home/stdout" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /query?q=CREATE+DATABASE+sweep HTTP/1.0\r\nContent-Length: 0\r\n\r\n' >&3
    read -r -t 1 -u 3 answer
    [[ $answer == 'HTTP/1.0 200 '* ]]
  ) 2>/dev/null
}

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'bind: address already in use' "$home/stdout"; }

server_env() { printf 'INFLUXDB_URL=http://127.0.0.1:%s/sweep\n' "$port"; }

server_clean() { :; }
