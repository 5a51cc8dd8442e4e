#!/usr/bin/env bash
# Publishes this checkout to a repository in a temporary folder, with a version, and does there what
# others do with it: xk6's checks, of the presets strict and community, one of which builds k6 with
# the module and no flag; and `xk6 build` of the published version from the files of a module proxy,
# in an empty folder: alone, and with xk6-redis and k6/x/sql, whose module and replacement have
# versions of their own. Two checks are done elsewhere. vulnerability asks vuln.go.dev: make lint
# does it with the database of the module proxy. security runs gosec on all files, tests included,
# without settings: make lint runs it with ours, and .golangci.yml has a reason for each rule that
# is left out.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly module=github.com/xk6-sweep/xk6-sweep
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false
k6_version=$(sed -n 's/^[[:space:]]*go\.k6\.io\/k6\/v2 //p' extensions/cmd/k6/go.mod)
# Go keeps each version that it has seen, so that another tree has to be another version.
tree=$(git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-12) || true
version=v0.1.0-lint.$tree

room=$(mktemp -d "${TMPDIR:-/tmp}/lint-extension.XXXXXX")
# forget_version: Go keeps every version that it has seen.
forget_version() {
  local kept
  kept=$(go env GOMODCACHE)
  chmod -R u+w "$kept/$module@$version" "$kept/$module/extensions/"*"@$version" 2>/dev/null || true
  rm -rf "$kept/$module@$version" "$kept/$module/extensions/"*"@$version" "$kept/cache/download/$module/"{,extensions/*/}"@v/$version".*
}
forget() {
  forget_version
  rm -rf "$room"
}
trap forget EXIT

repository=$room/repository
mkdir "$repository"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -C "$repository" -xf -
go mod edit -require="$module@$version" "$repository/extensions/sql/go.mod"
# No signing, no hooks, and the repository in place of the one that others know.
export GIT_CONFIG_GLOBAL=$room/gitconfig
git config --global user.name lint
git config --global user.email lint@localhost
git -C "$repository" init -q
git -C "$repository" add -A
git -C "$repository" commit -q -m 'as it would be published'
for folder in '' extensions/sql/ extensions/compat/; do git -C "$repository" tag "$folder$version"; done

# The same compilation as that of bin/k6, where Go's cache has it.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS
elsewhere=security,vulnerability
bin/xk6 lint --preset strict --disable "$elsewhere" --k6-version "$k6_version" "$repository"
bin/xk6 lint --preset community --disable "$elsewhere,build" "$repository" >/dev/null

# The files of a module proxy, as Go makes them of the repository. xk6 gives Go's own settings to
# go, and not git's.
git config --global "url.file://$repository.insteadOf" "https://$module"
(cd "$room" && GOPRIVATE=$module go mod download "$module@$version" "$module/extensions/sql@$version" "$module/extensions/compat@$version")
downloads=$(go env GOMODCACHE)/cache/download
(cd "$downloads" && find "$module" -name "$version.*" ! -name '*.lock' -print0 | tar --null --files-from=- -cf -) | tar -C "$room" --one-top-level=proxy -xf -
forget_version
git config --global --unset-all "url.file://$repository.insteadOf"
GOPROXY=file://$room/proxy,$(go env GOPROXY)
export GOPROXY GONOSUMDB=$module

# build NAME OPTION...: what xk6 builds in an empty folder, with no checkout and no git.
build() {
  local name=$1
  shift
  mkdir "$room/$name"
  (cd "$room/$name" && "$OLDPWD/bin/xk6" build "$k6_version" "$@")
  "$room/$name/k6" run --quiet examples/smoke.js >/dev/null
}
redis=github.com/grafana/xk6-redis@$(sed -n 's/^[[:space:]]*github\.com\/grafana\/xk6-redis //p' extensions/cmd/k6/go.mod)
build alone --with "$module@$version"
"$room/alone/k6" version | grep -F "$module $version, k6/x/sweep [js]"
! "$room/alone/k6" version | grep -F k6/x/redis || { echo 'lint_extension: k6/x/redis comes uncalled' >&2; exit 1; }
build all --with "$module@$version" --with "$module/extensions/sql@$version" --with "$redis" \
  --replace "go.k6.io/k6=$module/extensions/compat@$version"
extensions=$("$room/all/k6" version)
for name in k6/x/sweep k6/x/machbase k6/x/sql/driver/machbase; do
  grep -F "$module $version, $name [js]" <<<"$extensions"
done
grep -F ', k6/x/sql [js]' <<<"$extensions"
grep -F "${redis/@/ }, k6/x/redis [js]" <<<"$extensions"
