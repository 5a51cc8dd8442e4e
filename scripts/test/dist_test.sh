#!/usr/bin/env bash
# Two checkouts in different folders produce the same bytes, with the right version, checksums, and
# a bill of materials.
set -euo pipefail
cd "$(dirname "$0")/../.."

room=$(mktemp -d "${TMPDIR:-/tmp}/dist-test.XXXXXX")
trap 'rm -rf "$room"' EXIT
fail() {
  echo "dist_test: $1" >&2
  exit 1
}

platform=linux/$(go env GOARCH)
program=xk6-sweep-v0.0.1-test-${platform/\//-}
mkdir -p "$room/first" "$room/the/second"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -C "$room/first" -xf -
cp -R "$room/first/." "$room/the/second"
for copy in first the/second; do
  VERSION=v0.0.1-test "$room/$copy/scripts/dist.sh" "$platform" >"$room/said"
done
diff -r "$room/first/dist" "$room/the/second/dist" || fail 'another folder, and other bytes'
(cd "$room/first/dist" && sha256sum --quiet --check SHA256SUMS) || fail 'a checksum is another'
grep -qF 'github.com/xk6-sweep/xk6-sweep v0.0.1-test, k6/x/sweep [js]' "$room/said" || fail 'k6 version does not show the version'

mkdir "$room/unpacked"
tar -C "$room/unpacked" -xzf "$room/first/dist/$program.tar.gz"
[[ -x $room/unpacked/k6 ]] || fail 'the archive lacks k6'
cmp LICENSE "$room/unpacked/LICENSE" || fail 'the archive lacks our licence'
grep -qF 'GNU AFFERO GENERAL PUBLIC LICENSE' "$room/unpacked/LICENSE.k6.md" || fail "the archive lacks k6's licence"

types=$room/first/dist/xk6-sweep-types-0.0.1-test.tgz
grep -qF "${types##*/}" "$room/first/dist/SHA256SUMS" || fail 'the declarations are not packed'
tar -xzOf "$types" package/package.json | grep -F '"version": "0.0.1-test"' >/dev/null || fail 'the declarations are of another version'
tar -tzf "$types" | grep -xF package/extensions/sweep/index.d.ts >/dev/null || fail 'declarations are missing'

bill=$room/first/dist/$program.cdx.json
while read -r _ module version _; do
  grep -qF "pkg:golang/$module@$version" "$bill" || fail "the bill of materials lacks $module $version"
  [[ $module == go.k6.io/k6/v2 ]] || grep -qxF "==== $module $version" "$room/unpacked/THIRD_PARTY_NOTICES.txt" || fail "the notices lack $module $version"
done < <(go version -m "$room/unpacked/k6" | grep -P '^\tdep\t(?!github\.com/xk6-sweep/|go\.k6\.io/k6\t)' || true)
grep -qF 'pkg:golang/go.k6.io/k6/v2@v' "$bill" || fail 'the bill of materials lacks k6'
grep -qF '"id": "AGPL-3.0' "$bill" || fail 'the bill of materials lacks licences'
scripts/release_notes.sh v0.1.0 | grep -F '### Measuring' >/dev/null || fail 'a release has no notes'
if scripts/release_notes.sh v99.0.0 2>"$room/said"; then fail 'a version that there is not has notes'; fi

if VERSION=v0.0.1-test scripts/dist.sh plan9/386 2>"$room/said"; then fail 'a platform that there is not was built'; fi
grep -qF 'no platform plan9/386: there are darwin/amd64' "$room/said" || fail "$(cat "$room/said")"
