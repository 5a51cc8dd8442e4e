#!/usr/bin/env bash
# Publishes this checkout with a version to a repository in a temporary folder, and uses it as
# others do: xk6's checks with the presets strict and community, one of which builds k6 with the
# module without flags; and `xk6 build` of the published version from the files of a module proxy,
# in an empty folder: alone, and with xk6-redis and k6/x/sql, whose module and replacement have
# separate versions. make lint does two other checks: vulnerability, with the database from the
# module proxy instead of vuln.go.dev, and security, which is gosec without settings on all files;
# make lint uses our settings, and .golangci.yml has a reason for each excluded rule.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly module=github.com/xk6-sweep/xk6-sweep
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false
k6_version=$(sed -n 's/^[[:space:]]*go\.k6\.io\/k6\/v2 //p' extensions/cmd/k6/go.mod)
# Go caches each version, so another tree needs another version.
tree=$(git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-12) || true
version=v0.1.0-lint.$tree

room=$(mktemp -d "${TMPDIR:-/tmp}/lint-extension.XXXXXX")
# forget_version removes the version from Go's cache.
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
# No signing, no hooks, and this repository instead of the public one.
export GIT_CONFIG_GLOBAL=$room/gitconfig
git config --global user.name lint
git config --global user.email lint@localhost
git -C "$repository" init -q
git -C "$repository" add -A
git -C "$repository" commit -q -m 'as it would be published'
for folder in '' extensions/sql/ extensions/compat/; do git -C "$repository" tag "$folder$version"; done

# The same build flags as for bin/k6, to use Go's cache.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS
elsewhere=security,vulnerability
bin/xk6 lint --preset strict --disable "$elsewhere" --k6-version "$k6_version" "$repository"
bin/xk6 lint --preset community --disable "$elsewhere,build" "$repository" >/dev/null

# Go writes the files of a module proxy from the repository. xk6 passes Go's settings to go, but not
# git's.
git config --global "url.file://$repository.insteadOf" "https://$module"
(cd "$room" && GOPRIVATE=$module go mod download "$module@$version" "$module/extensions/sql@$version" "$module/extensions/compat@$version")
downloads=$(go env GOMODCACHE)/cache/download
(cd "$downloads" && find "$module" -name "$version.*" ! -name '*.lock' -print0 | tar --null --files-from=- -cf -) | tar -C "$room" --one-top-level=proxy -xf -
forget_version
git config --global --unset-all "url.file://$repository.insteadOf"
GOPROXY=file://$room/proxy,$(go env GOPROXY)
export GOPROXY GONOSUMDB=$module

# build NAME OPTION... builds with xk6 in an empty folder, without checkout and git.
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
