#!/usr/bin/env bash
# Runs the commands of all pages in a fresh clone, in their order, with real servers instead of the
# addresses in examples. It lists commands that are not run, with the reason; any other command that
# fails makes the part fail.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# The front page is first: it builds the binary for the others.
mapfile -t pages < <(git ls-files '*README.md' '.github/*.md' 'extensions/API.md' 'extensions/sweep/*.md' | grep -vx README.md)
pages=(README.md "${pages[@]}")

# reason COMMAND prints why the command is not run here, or nothing.
reason() {
  case $1 in
    'make test'*) echo 'CI runs it in another clone' ;;
    'make bench'* | 'bin/bench '*) echo 'needs more than an hour on an idle machine; it writes its page' ;;
    'make chaos'*) echo 'needs some minutes on an idle machine' ;;
    'make shipped'*) echo 'runs this' ;;
    'docker '*) echo 'the parts image and compose run it with another engine' ;;
    'kubectl '*) echo 'see the parts cluster and runners' ;;
    *mxgw-dotnet* | *gateway:50*) echo 'needs a gateway of AVEVA' ;;
    *python,java,rust*) echo 'needs compilers for four languages; `scripts/test/read_bulk_test.sh` runs its clients' ;;
    'xk6 build'*@v0.1.0* | 'xk6 build v2.2.0 --with github.com/xk6-sweep/xk6-sweep') echo 'needs the published module; `scripts/test/lint_extension.sh` builds it from a file proxy' ;;
    K6_SWEEP_INFLUXDB_TOKEN=*) echo 'needs an InfluxDB 2 or 3' ;;
    *K6_OTEL_*) echo 'needs an OpenTelemetry collector; an e2e test has a server with its protocol' ;;
    *'k6 cloud '*) echo 'needs a Grafana Cloud account; an e2e test has a server with its protocol' ;;
    *'CONFIG=100m-512b -e TARGET=memcached,redis') echo 'needs more than ten minutes' ;;
  esac
}

# allowed COMMAND prints exit codes besides 0 that a short run on a busy machine can have.
allowed() {
  case $1 in
    'make gate'*) echo 2 ;; # make's exit code when k6 exits with 99
    *'x sweep record'*) echo 104 ;; # the recorded baseline is from another machine
    *GATES=* | *GATE=* | *'-e RATE='* | *'-e FIND='* | *'x sweep gate'* | *'x sweep history check'*) echo '99 110' ;;
    *'x sweep compare'* | *'x sweep ab'*) echo '99 110' ;;
  esac
}

# servers PAGE prints the servers that the page expects to run.
servers() {
  case $1 in
    extensions/influx/README.md) echo influxdb machbase ;;
    extensions/sweep/history/README.md | extensions/sweep/distributed.md) echo memcached ;;
    scenarios/README.md | thresholds/README.md) echo machbase ;;
    scripts/grafana/README.md) echo influxdb memcached prometheus ;;
    scripts/servers/README.md) echo mxgateway ;;
  esac
}

# A sweep without a server; with the argument "slower", an operation takes 20 us instead of 10 us.
script() {
  cat <<JS
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'rollup', clients: [2, 4], duration: '1s', warmup: '100ms', pause: '0s' });

export default function () {
  sweep.run(() => { for (let i = 0, end = ${1:+2 * }1000; i < end; i++) Math.sqrt(i); });
}

export const handleSummary = (data) => sweep.report(data);
JS
}

# prepare PAGE creates the files of its commands in the clone.
prepare() {
  case $1 in
    extensions/influx/README.md | thresholds/README.md | scenarios/README.md) bin/k6 run --quiet scenarios/stock-load.js ;;
    extensions/sweep/README.md)
      script | tee old.js new.js >sweep.js
      bin/k6 run --quiet old.js && cp results/rollup.json old.json
      bin/k6 run --quiet new.js && cp results/rollup.json new.json
      for part in 1 2; do
        (mkdir "part$part" && cd "part$part" && ../bin/k6 run --quiet --execution-segment "$((part - 1))/2:$part/2" --execution-segment-sequence 0,1/2,1 ../sweep.js) &
      done
      wait
      for part in 1 2; do cp "part$part/results/rollup.json" "part$part.json"; done
      cp old.json a.json && cp new.json b.json && cp old.json c.json
      cp results/stock-rollup.json run.json
      ;;
    extensions/sweep/distributed.md) script | sed "s/'rollup'/'home'/" >sweep.js ;;
    extensions/sweep/gates.md | extensions/sweep/script.md) script >lookup.js ;;
    extensions/sweep/history/README.md)
      # A commit that halves the speed, after a release.
      git config user.name shipped && git config user.email shipped@localhost
      script >scenarios/rollup.js && git add scenarios/rollup.js && git commit -qm 'scenarios: a sweep of no server' && git tag v1.2.0
      git commit -q --allow-empty -m 'nothing'
      script slower >scenarios/rollup.js && git commit -qam 'scenarios: twice the work'
      git commit -q --allow-empty -m 'nothing again'
      bin/k6 run --quiet scenarios/rollup.js
      ;;
    scripts/types/README.md) VERSION=v0.1.0 scripts/types.sh . ;;
  esac
}

# here COMMAND replaces addresses in examples by those of local servers.
here() {
  local command=$1
  command=${command//machbase:\/\/user:password@host:5656/$machbase}
  command=${command//machbase:\/\/user:password@@(new|old):5656/$machbase}
  command=${command//machbase:\/\/@(user:password|sys:manager)@127.0.0.1:565@(6|7)/$machbase}
  command=${command//http:\/\/host:8086\/@(database|sweep)/${INFLUXDB_URL-}}
  command=${command//http:\/\/host:9090/${PROMETHEUS_URL-}}
  command=${command//BASE_URL=.../BASE_URL=${MEMCACHED_URL-}}
  printf '%s' "$command"
}
shopt -s extglob

# blocks PAGE writes each shell block of a page to $room/blocks/NUMBER, one command per line,
# without comments.
blocks() {
  rm -rf "$room/blocks"
  mkdir "$room/blocks"
  awk -v to="$room/blocks/" '
    /^```(sh|bash)/ { inside = 1; n = sprintf("%02d", ++blocks); next }
    /^```/ { inside = 0 }
    inside && !/^#/ && NF { sub(/ +# .*/, ""); if (sub(/\\$/, "")) { kept = kept $0 } else { print kept $0 >(to n); kept = "" } }' "$1"
}

clone=$room/clone
git clone -q . "$clone"
# The environment that the pages assume.
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false SWEEP_CLIENTS=1,8 RUNS=2
unset MACHBASE_URL MEMCACHED_URL NATS_URL REDIS_URL INFLUXDB_URL PROMETHEUS_URL
SERVERS_ROOM=shipped-commands scripts/servers.sh up machbase >&2
down() { SERVERS_ROOM=shipped-commands scripts/servers.sh down; (cd "$clone" && scripts/servers.sh down); }
at_end+=(down)
addresses=$(SERVERS_ROOM=shipped-commands scripts/servers.sh env)
machbase=$(eval "$addresses" && printf '%s' "$MACHBASE_URL")
make bin/xk6 >&2
export PATH=$clone/bin:$PWD/bin:$PATH

# The script of the front page, for its commands.
sed -n '/^```js/,/^```/{/^```/!p}' README.md >"$clone/lookup.js"

printf '| page | command | |\n|---|---|---|\n'
ran=0 failed=0
for page in "${pages[@]}"; do
  blocks "$page"
  [[ -n $(ls "$room/blocks") ]] || continue
  addresses=''
  if [[ -n $(servers "$page") ]]; then
    # shellcheck disable=SC2046   # several servers
    SERVERS_ROOM=shipped-commands scripts/servers.sh up $(servers "$page") >&2
    addresses=$(SERVERS_ROOM=shipped-commands scripts/servers.sh env)
  fi
  say "$page: preparing"
  (eval "$addresses" && cd "$clone" && prepare "$page") >&2 || die "$page: what its commands speak of cannot be made"
  for block in "$room"/blocks/*; do
    : >"$room/said"
    # One shell per block, because a command can export variables for the next ones.
    (
      eval "$addresses"
      cd "$clone"
      set +u
      while read -r -u 3 command; do
        command=${command%"${command##*[! ]}"}
        why=$(reason "$command")
        if [[ -z $why ]]; then
          say "$page: $command"
          [[ $command != *'-e RATE='* && $command != *'-e FIND='* ]] || unset SWEEP_CLIENTS # they exclude each other
          code=0 begun=$SECONDS
          eval "$(here "$command")" </dev/null >&2 || code=$?
          say "exit code $code after $((SECONDS - begun)) s"
          why="exit code $code"
          ((code == 0)) || if [[ " $(allowed "$command") " == *" $code "* ]]; then why="judges: $why"; else why="**fails: $why**"; fi
        else
          why="not run: $why"
        fi
        printf '| %s | `%s` | %s |\n' "$page" "${command//|/\\|}" "$why" >>"$room/said"
      done 3<"$block"
    ) || true
    grep -v -e '| exit code 0 |$' -e '| not run: ' "$room/said" || true
    sed -n 's/.*| not run: \(.*\) |$/\1/p' "$room/said" >>"$room/not-run"
    ran=$((ran + $(grep -vc '| not run: ' "$room/said" || true)))
    failed=$((failed + $(grep -c '\*\*fails' "$room/said" || true)))
  done
  (cd "$clone" && scripts/servers.sh down >&2)
done
printf '\n| not run | reason |\n|--:|---|\n'
sort "$room/not-run" | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/| \1 | \2 |/'
printf '\n%d commands were run, %d failed.\n' "$ran" "$failed"
printf 'The first table lists commands with another exit code than 0.\nDefaults were CLIENTS=1,8 and RUNS=2. Gates and comparisons judge runs on a busy machine.\n'
signature commands
((failed == 0)) || die "$failed commands fail"
