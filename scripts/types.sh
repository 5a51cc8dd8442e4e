#!/usr/bin/env bash
# Packs the declarations of all modules as npm does: FOLDER/xk6-sweep-types-VERSION.tgz. The same
# files make the same bytes.
#
#   scripts/types.sh FOLDER     VERSION is the tag's when it is not set
set -euo pipefail
cd "$(dirname "$0")/.."

(($# == 1)) || { echo 'types.sh: it is types.sh FOLDER' >&2; exit 2; }
version=${VERSION:-$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo v0.0.0)}
version=${version#v}   # as npm has it
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

mkdir "$room/package"
# What index.d.ts names, and what that names.
tar -cf - LICENSE index.d.ts extensions/*/index.d.ts extensions/internal/*/index.d.ts | tar -C "$room/package" -xf -
# The k6 of a release has k6/x/sql as well, a Go module of its own.
echo '/// <reference path="extensions/sql/index.d.ts" />' >>"$room/package/index.d.ts"
cp scripts/types/README.md "$room/package"
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" scripts/types/package.json >"$room/package/package.json"
find "$room/package" -type d -exec chmod 755 {} + -o -exec chmod 644 {} +
mkdir -p "$1"
tar --sort=name --mtime=@499162500 --owner=0 --group=0 --numeric-owner --format=ustar -C "$room" -cf - package |
  gzip -9n >"$1/xk6-sweep-types-$version.tgz"
