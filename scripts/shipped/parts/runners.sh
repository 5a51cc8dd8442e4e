#!/usr/bin/env bash
# The pods of scripts/k8s without a cluster: containers with the commands that k6-operator v1.6.0
# derives from testrun.yaml (initializer, paused runners, the starter's request), with its
# environment, user and volume; then the job of merge.yaml. They use fewer clients and keys.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/shipped/containers.sh
. scripts/shipped/containers.sh
need curl curl
/usr/bin/python3 -c 'import yaml' || die 'there is no PyYAML: apt-get install python3-yaml'

make_bases
has xk6-sweep || build_k6 . xk6-sweep
# value FILE EXPRESSION evaluates an expression of the manifest d.
value() { /usr/bin/python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(eval(sys.argv[2]))' "scripts/k8s/$1" "$2"; }
count=$(value testrun.yaml 'd["spec"]["parallelism"]')
script=$(value testrun.yaml 'd["spec"]["script"]["localFile"]')
user=$(value testrun.yaml '"%d:%d" % (d["spec"]["runner"]["securityContext"]["runAsUser"], d["spec"]["runner"]["securityContext"]["runAsGroup"])')
mount=$(value testrun.yaml 'd["spec"]["runner"]["volumeMounts"][0]["mountPath"]')
mapfile -t args < <(value testrun.yaml '"\n".join(d["spec"]["args"])' | sed -e 's/^CLIENTS=.*/CLIENTS=1,8,16/')
args+=(-e KEYS=1000)

names=()
end_pods() { podman rm -f -t 0 shipped-memcached "${names[@]}" >&2; podman network rm -f shipped >&2; podman volume rm -f shipped-results >&2; }
at_end+=(end_pods)
podman network create shipped >&2
podman volume create shipped-results >&2
if ! has shipped-memcached; then
  debian "$room/memcached.tar" memcached
  image shipped-memcached "$room/memcached.tar" --entrypoint '["memcached"]' --cmd '' --user memcache
  rm "$room/memcached.tar"
fi
podman run -d --name shipped-memcached --network shipped --network-alias memcached shipped-memcached -c 4096 >&2

# pod NAME OPTION... -- COMMAND... runs a container with the pods' security contexts.
pod() {
  local name=$1 options=() variables=() each
  shift
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  mapfile -t variables < <(value testrun.yaml '"\n".join("%s=%s" % (e["name"], e.get("value", "$(NAME)")) for e in d["spec"]["runner"]["env"])' |
    sed -e "s/\$(NAME)/$name/" -e "s/\$(POD)/$name/")
  for each in "${variables[@]}"; do options+=(-e "$each"); done
  podman run --name "$name" --network shipped --user "$user" --cap-drop all --security-opt no-new-privileges -v "shipped-results:$mount:U" \
    --entrypoint '' "${options[@]}" xk6-sweep "$@"
}

heading
row 'manifests' "$count runners, user $user, volume at \`$mount\`"
pod cache-sweep-initializer --rm -- sh -c "k6 archive $script -O /tmp/cache-sweep.js.archived.tar ${args[*]} >&2 && k6 inspect --execution-requirements /tmp/cache-sweep.js.archived.tar" \
  >"$room/inspected"
grep -q '"maxVUs": 16' "$room/inspected" || die "the initializer finds $(cat "$room/inspected")"
row 'initializer: `k6 archive`, `k6 inspect --execution-requirements`' 'the largest step, 16 VUs'

# measure runs the runners, as the operator and its starter do.
measure() {
  local sequence=0 i from to name tries urls=() code
  names=()
  for ((i = 1; i < count; i++)); do sequence+=,$i/$count; done
  for ((i = 1; i <= count; i++)); do
    from=$((i - 1))/$count to=$i/$count
    ((i > 1)) || from=0
    ((i < count)) || to=1
    names+=("cache-sweep-$i")
    pod "cache-sweep-$i" -d -- k6 run --quiet "--execution-segment=$from:$to" "--execution-segment-sequence=$sequence,1" "${args[@]}" "$script" \
      --address=0.0.0.0:6565 --paused --tag "instance_id=$i" --tag testrun_name=cache-sweep >&2
  done
  for name in "${names[@]}"; do
    for ((tries = 0; tries < 240; tries++)); do
      ! curl -sf "$(status "$name")" | grep -q '"paused":true' || break
      sleep 0.5
    done
    ((tries < 240)) || { podman logs "$name" >&2; die "$name does not wait to be started"; }
  done
  for name in "${names[@]}"; do urls+=("$(status "$name")"); done
  # One program sends all requests: separate programs on a busy machine would start seconds apart.
  curl -sf --parallel --retry 3 -X PATCH -H 'Content-Type: application/json' \
    -d '{"data":{"attributes":{"paused":false,"stopped":false},"id":"default","type":"status"}}' "${urls[@]}" >&2
  for name in "${names[@]}"; do
    code=$(podman wait "$name")
    [[ $code == 0 ]] || { podman logs "$name" >&2; die "$name ends with exit code $code"; }
  done
  podman rm -f -t 0 "${names[@]}" >&2
  names=()
}
# status NAME prints the address of the runner's API.
status() { printf 'http://%s:6565/v1/status' "$(podman inspect "$1" --format '{{(index .NetworkSettings.Networks "shipped").IPAddress}}')"; }

# merge CHANGE runs the job of merge.yaml, changed by sed; sets code.
job=$(value merge.yaml 'd["spec"]["template"]["spec"]["containers"][0]["args"][0]')
merge() {
  code=0
  pod sweep-merge --rm -e NAME=cache-sweep-memcached -e GATES=/sweep/thresholds/cache-sweep.json -- sh -euc "$(sed -e "$1" <<<"$job")" >"$room/merged" 2>&1 || code=$?
  cat "$room/merged" >&2
}
# On a busy machine the parts of a step may not overlap, and then no gate passes.
for ((rounds = 1; rounds <= 3; rounds++)); do
  measure
  merge ''
  ((code == 99 || code == 110)) || break
done
((rounds <= 3)) || rounds=3
row "runners: \`k6 run --paused --execution-segment=...\`, then the starter's PATCH" 'all end with exit code 0'
((code == 0 || code == 99 || code == 110)) || die "the job ends with exit code $code"
parts=$(podman run --rm -v "shipped-results:$mount:ro" --entrypoint sh xk6-sweep -c "ls -d $mount/cache-sweep-memcached/*/ | wc -l")
[[ $parts == "$count" ]] || die "$parts runners have left a report"
row 'the job of `merge.yaml`' "$parts reports merged and judged, exit code $code, in round $rounds"
merge '1i sed "s/: 1000,/: 1000000000,/" "$GATES" >/tmp/gates.json; GATES=/tmp/gates.json'
((code == 99)) || die "the job ends with exit code $code where a gate asks for the impossible"
row 'the same job with a gate of 1,000,000,000 ops/s' 'exit code 99'
signature runners
