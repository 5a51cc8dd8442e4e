#!/usr/bin/env bash
# Other versions of k6 v2: which ones compile with the extensions, pass the tests without servers,
# and sweep. go.mod requires at least the pinned version, so older ones need a copy with a lower
# requirement.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

versions=(v2.0.0 v2.1.0 v2.2.0 v2.3.0)
pinned=$(sed -n 's/^[[:space:]]*go\.k6\.io\/k6\/v2 //p' extensions/cmd/k6/go.mod)
# Packages that import k6; the others do not depend on its version.
tested='./extensions/sweep ./extensions/sweep/executor ./extensions/sweep/jsmodule ./extensions/sweep/stream
  ./extensions/sweep/session/... ./extensions/internal/k6x/... ./extensions/influx/... ./extensions/memcached
  ./extensions/resp ./extensions/umemcache ./extensions/nats ./extensions/mxgateway ./extensions/machbase'

# try VERSION prints the rest of its row.
try() {
  local version=$1 folder=$room/$1
  copy "$folder"
  cd "$folder"
  if ! go mod download "go.k6.io/k6/v2@$version" >&2; then
    echo 'not in the module proxy | |'
    return
  fi
  mkdir one
  cat >one/main.go <<'END'
package main

import (
	k6cmd "go.k6.io/k6/v2/cmd"

	_ "github.com/xk6-sweep/xk6-sweep"
)

func main() { k6cmd.Execute() }
END
  if ! go get "go.k6.io/k6/v2@$version" >&2 || ! go mod tidy >&2; then
    echo 'its dependencies do not fit | |'
    return
  fi
  if ! go build -trimpath -o k6 ./one >&2; then
    echo 'does not compile | |'
    return
  fi
  [[ $(./k6 version) == *"$version"* ]] || die "this is no k6 $version: $(./k6 version)"
  printf 'compiles | '
  # Runs failed tests again, because other load on the machine delays some.
  # shellcheck disable=SC2046,SC2086   # several packages
  if go test -vet=off $tested >test.log 2>&1 || go test -vet=off $(awk '$1 == "FAIL" && NF > 1 { print $2 }' test.log) >again.log 2>&1; then
    printf 'pass'
  else
    cat test.log again.log >&2
    printf 'fail: %s' "$(sed -n 's/^--- FAIL: \(Test[A-Za-z0-9]*\).*/`\1`/p' again.log | paste -sd ' ')"
  fi
  if K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false ./k6 run --quiet examples/smoke.js >&2; then echo ' | sweeps'; else echo ' | fails'; fi
}

printf '| k6 | with the extensions | tests without servers | `examples/smoke.js` |\n|---|---|---|---|\n'
for version in "${versions[@]}"; do
  say "k6 $version"
  shown=$version
  [[ $version != "$pinned" ]] || shown="$version, the pinned one"
  printf '| %s | %s |\n' "$shown" "$(try "$version")"
  chmod -R u+w "$room/$version"
  rm -rf "${room:?}/$version"
done
signature versions
