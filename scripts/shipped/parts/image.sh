#!/usr/bin/env bash
# Builds Dockerfile.k6 twice, in two folders: the layers are the same. Containers run as user 12345,
# sweep a local memcached and write results.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/shipped/containers.sh
. scripts/shipped/containers.sh

make_bases
copy "$room/first"
copy "$room/the/second"
find "$room/the/second" -exec touch -h {} +
say 'building the image'
build_k6 "$room/first" xk6-sweep
say 'building it again'
build_k6 "$room/the/second" xk6-sweep-again

# of IMAGE TEMPLATE prints properties of an image.
of() { buildah inspect --type image --format "$2" "$1"; }
layers='{{range .OCIv1.RootFS.DiffIDs}}{{.}} {{end}}'
first=$(of xk6-sweep "$layers") again=$(of xk6-sweep-again "$layers")
[[ $first == "$again" ]] || die "two builds, two images: $first and $again"

heading
row 'engine' "$(buildah --version | cut -d ' ' -f 1-3), containers by $(podman --version) and crun $(crun --version | sed -n 's/^crun version //p')"
row 'stand-ins' "\`$golang\`: Debian 12 with git, make and $(go env GOVERSION); \`$alpine\`: BusyBox and certificates, no C library"
row '`Dockerfile.k6`' "built; $(wc -w <<<"$first") layers, $(podman image inspect xk6-sweep --format '{{.Size}}' | awk '{ printf "%.0f", $1 / 1e6 }') MB unpacked"
row 'again, in another folder, other times of files' 'the same layers'
row 'entry point, user, folder' "\`$(of xk6-sweep '{{range .OCIv1.Config.Entrypoint}}{{.}}{{end}}')\`, \`$(of xk6-sweep '{{.OCIv1.Config.User}}')\`, \`$(of xk6-sweep '{{.OCIv1.Config.WorkingDir}}')\`"

# run OPTION... -- ARGUMENT... runs a container of the image, as docker run --rm --network host
# does.
run() {
  local options=()
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  podman run --rm --network host "${options[@]}" xk6-sweep "$@"
}
extensions=$(run -- version | grep -c '\[js\]\|\[output\]')
row '`version`' "$extensions extensions"
[[ $(podman run --rm --entrypoint id xk6-sweep -u) == 12345 ]] || die 'a container runs as another user'
! podman run --rm --entrypoint sh xk6-sweep -c 'touch /sweep/scenarios/x' 2>/dev/null || die 'the user can write into the scenarios'

# sweep RESULTS OPTION... runs the command of scripts/README.md, shortened.
sweep() {
  local results=$1
  shift
  run -e "MEMCACHED_URL=$MEMCACHED_URL" "$@" -- run --quiet scenarios/cache-sweep.js -e TARGET=memcached -e CLIENTS=1,8 -e DURATION=1s -e WARMUP=200ms >&2 || return
  [[ -z $results ]] || [[ -s $results/cache-sweep-memcached.json ]] || die "there is no report in $results"
}
export SERVERS_ROOM=shipped-image
scripts/servers.sh up memcached >&2
eval "$(scripts/servers.sh env)"
at_end+=('scripts/servers.sh down memcached')
mkdir -m 700 "$room/results"
if sweep '' -v "$room/results:/sweep/results" 2>"$room/said"; then die 'a folder of root is written to'; fi
grep -qF 'the results cannot be kept: open results: permission denied' "$room/said" || die "$(cat "$room/said")"
row 'a results folder that is not writable for user 12345' 'the run ends immediately: "the results cannot be kept: open results: permission denied"'
chown 12345:12345 "$room/results"
sweep "$room/results" -v "$room/results:/sweep/results"
[[ $(stat -c %u:%g "$room/results/cache-sweep-memcached.json") == 12345:12345 ]] || die 'the report belongs to another user'
run -v "$room/results:/sweep/results" -- x sweep validate results/cache-sweep-memcached.json >&2
failed=$(run -v "$room/results:/sweep/results" -- x sweep report results/cache-sweep-memcached.json --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "failed") column = i } NR > 1 { sum += $column } END { print sum + 0 }')
row "\`run scenarios/cache-sweep.js -e TARGET=memcached -e CLIENTS=1,8 -e DURATION=1s\`" "$(find "$room/results" -type f | wc -l) files of user 12345, $failed operations failed"
[[ $failed == 0 ]] || die "$failed operations failed"
sweep '' --read-only --tmpfs /sweep/results:mode=1777 --cap-drop all --security-opt no-new-privileges
row 'the same with `--read-only`, `--cap-drop all`, `no-new-privileges`' 'passes'
code=0
run -v "$room/results:/sweep/results" -- x sweep gate results/cache-sweep-memcached.json thresholds/cache-sweep.json >&2 || code=$?
row '`x sweep gate results/cache-sweep-memcached.json thresholds/cache-sweep.json`' "judges; exit code $code"
signature image
buildah rmi xk6-sweep-again >&2
buildah rmi --prune >&2
