#!/usr/bin/env bash
# Packs the declarations of all modules as an npm package: FOLDER/xk6-sweep-types-VERSION.tgz. The
# output depends only on the files.
#
#   scripts/types.sh FOLDER     VERSION defaults to the tag, else to that of the change log
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == -h || ${1:-} == --help ]]; then sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit; fi
if (($# != 1)) || [[ $1 == -* ]]; then echo 'usage: types.sh FOLDER' >&2; exit 2; fi
version=${VERSION:-$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || sed -n '/^## [0-9]/{s/## //p;q}' .github/CHANGELOG.md)}
version=${version#v}   # npm has no v
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

mkdir "$room/package"
# The files that index.d.ts references, directly or indirectly.
tar -cf - LICENSE index.d.ts extensions/*/index.d.ts extensions/internal/*/index.d.ts | tar -C "$room/package" -xf -
# The k6 of a release also has k6/x/sql, a separate Go module.
echo '/// <reference path="extensions/sql/index.d.ts" />' >>"$room/package/index.d.ts"
cp scripts/types/README.md "$room/package"
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" scripts/types/package.json >"$room/package/package.json"
find "$room/package" -type d -exec chmod 755 {} + -o -exec chmod 644 {} +
mkdir -p "$1"
tar --sort=name --mtime=@499162500 --owner=0 --group=0 --numeric-owner --format=ustar -C "$room" -cf - package |
  gzip -9n >"$1/xk6-sweep-types-$version.tgz"
