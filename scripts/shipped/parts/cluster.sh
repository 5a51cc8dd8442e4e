#!/usr/bin/env bash
# scripts/k8s with a real API server: etcd and kube-apiserver from scripts/tools, with
# the resource definition of k6-operator. The server validates strictly and stores the manifests;
# mistakes are refused. Nothing runs them, because k6-operator is in no registry.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016,SC2329   # Markdown; called at the end
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/servers/lib/process.sh
. scripts/servers/lib/process.sh

tools=scripts/tools
pinned() { awk -v module="$1" '$1 == module && $2 ~ /^v/ { print $2; exit }' "$tools/go.mod"; }
version=$(pinned k8s.io/kubernetes) etcd_version=$(pinned go.etcd.io/etcd/server/v3)
bin=$PWD/bin
say "building etcd $etcd_version, kube-apiserver and kubectl $version"
go build -C "$tools" -trimpath -o "$bin/etcd" go.etcd.io/etcd/server/v3
for program in kube-apiserver kubectl; do
  go build -C "$tools" -trimpath -ldflags "-X k8s.io/component-base/version.gitVersion=$version" -o "$bin/$program" "k8s.io/kubernetes/cmd/$program"
done

pids=()
stop() { ((${#pids[@]} == 0)) || { kill "${pids[@]}" 2>/dev/null; wait "${pids[@]}" 2>/dev/null; }; }
at_end+=(stop)

token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf '%s,admin,admin,"system:masters"\n' "$token" >"$room/tokens.csv"
openssl genrsa -out "$room/accounts.key" 2048 2>/dev/null
free_port; clients=$port
free_port; peers=$port
free_port; secure=$port
"$bin/etcd" --data-dir "$room/etcd" --unsafe-no-fsync --listen-client-urls "http://127.0.0.1:$clients" \
  --advertise-client-urls "http://127.0.0.1:$clients" --listen-peer-urls "http://127.0.0.1:$peers" \
  --initial-advertise-peer-urls "http://127.0.0.1:$peers" --initial-cluster "default=http://127.0.0.1:$peers" >"$room/etcd.log" 2>&1 &
pids+=("$!")
"$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$clients" --bind-address 127.0.0.1 --advertise-address 127.0.0.1 \
  --secure-port "$secure" --cert-dir "$room/certificates" --service-account-issuer https://kubernetes.default.svc \
  --service-account-key-file "$room/accounts.key" --service-account-signing-key-file "$room/accounts.key" \
  --service-cluster-ip-range 10.0.0.0/24 --token-auth-file "$room/tokens.csv" --authorization-mode RBAC \
  --disable-admission-plugins ServiceAccount >"$room/apiserver.log" 2>&1 &
pids+=("$!")
cat >"$room/kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: admin}}]
clusters: [{name: here, cluster: {server: "https://127.0.0.1:$secure", certificate-authority: $room/certificates/apiserver.crt}}]
users: [{name: admin, user: {token: $token}}]
END
export KUBECONFIG=$room/kubeconfig
kubectl() { "$bin/kubectl" --cache-dir "$room/cache" "$@"; }

for ((tries = 0; tries < 240; tries++)); do
  ! kubectl get --raw /readyz >/dev/null 2>&1 || break
  kill -0 "${pids[@]}" 2>/dev/null || { tail -n 5 "$room/etcd.log" "$room/apiserver.log" >&2; die 'a server has ended'; }
  sleep 0.5
done
served=$(kubectl version -o json | sed -n '/serverVersion/,$s/.*"gitVersion": "\(.*\)".*/\1/p')
[[ $served == "$version" ]] || die "the API server says '$served', and not $version"

definition=scripts/test/deployment/testdata/k6.io_testruns.yaml
kubectl apply --server-side -f "$definition" >&2
# A new definition has no conditions to wait for.
for ((tries = 0; tries < 60; tries++)); do
  ! kubectl wait crd/testruns.k6.io --for=condition=established --timeout=30s >&2 || break
  sleep 0.5
done

heading
row 'API server' "kube-apiserver $version, etcd $etcd_version"
row 'definition of TestRun' "accepted and established (k6-operator v1.6.0)"
for file in results testrun script merge; do
  kubectl apply --dry-run=server --validate=strict -f "scripts/k8s/$file.yaml" >&2
done
row '`kubectl apply --dry-run=server --validate=strict`' 'accepts `results.yaml`, `testrun.yaml`, `script.yaml`, `merge.yaml`'

# The apply commands of the page, unchanged.
grep -o 'kubectl apply[^&]*[^& ]' scripts/k8s/README.md >"$room/commands"
while read -r command; do
  (cd scripts/k8s && eval "$command" >&2)
  row "\`$command\`" 'created'
done <"$room/commands"

# The server stores the content of the files, with defaults.
parallelism=$(kubectl get testrun cache-sweep -o jsonpath='{.spec.parallelism} {.spec.runner.securityContext.runAsUser} {.spec.initializer.image}')
[[ $parallelism == '4 12345 xk6-sweep:v0.1.0' ]] || die "the TestRun is kept as $parallelism"
kubectl get job sweep-merge -o jsonpath='{.spec.template.spec.containers[0].command}' | grep -q '"sh"' || die 'the job has lost its command'
kubectl set env --local -f scripts/k8s/merge.yaml NAME=shop GATES= -o yaml | grep -A1 'name: NAME' | grep -q 'value: shop' || die 'the job of another script has not its name'

# refused FILE FROM TO SAYS requires that a manifest with a mistake is refused with this message.
refused() {
  local said
  if said=$(sed -e "s/$2/$3/" -e 's/^  name: .*/&-other/' "scripts/k8s/$1" | kubectl apply --dry-run=server --validate=strict -f - 2>&1); then
    die "$1 with '$3' is accepted"
  fi
  grep -qF "$4" <<<"$said" || die "$1 with '$3': $said"
  row "\`$1\` with \`$3\`" "refused: $4"
}
refused testrun.yaml 'parallelism:' 'paralelism:' 'unknown field "spec.paralelism"'
refused merge.yaml 'restartPolicy: Never' 'restartPolicy: Always' 'valid values: "OnFailure", "Never"'
refused merge.yaml 'claimName: sweep-results' 'claimname: sweep-results' 'unknown field "spec.template.spec.volumes[0].persistentVolumeClaim.claimname"'
refused results.yaml 'ReadWriteMany' 'ReadWriteSome' 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"'
signature cluster
