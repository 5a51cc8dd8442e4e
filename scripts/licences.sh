#!/usr/bin/env bash
# Writes the licences of a k6 binary into a folder: licences.sh PROGRAM FOLDER
#
#   LICENSE.k6.md             k6's licence, AGPL-3.0, which applies to the program
#   THIRD_PARTY_NOTICES.txt   licences of Go and of all other modules
#
# The binary names its modules; Go's module cache has their licences. A module without a licence is
# an error, unless it is listed here.
set -euo pipefail

program=$1 folder=$2
cache=$(go env GOMODCACHE)
# Generated code has no licence file; the licence of its source applies.
declare -A from=(
  [buf.build/gen/go/gogo/protobuf/protocolbuffers/go]="generated from github.com/gogo/protobuf, BSD-3-Clause"
  [buf.build/gen/go/prometheus/prometheus/protocolbuffers/go]="generated from github.com/prometheus/prometheus, Apache-2.0"
)

# texts prints the licences and notices in a folder.
texts() {
  find "$1" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'unlicense*' -o -iname 'patents*' \) \
    ! -name '*.go' | LC_ALL=C sort | while read -r file; do printf '\n' && tr -d '\r' <"$file"; done
}

# modules prints path and version of each module in the program, for a replaced one the replacement.
modules() {
  go version -m "$program" | awk '
    $1 == "dep" { if (path) print path, version; path = $2; version = $3 }
    $1 == "=>" { path = $2; version = $3 }
    END { if (path) print path, version }'
}

{
  printf '==== Go, %s\n' "$(go version "$program" | sed 's/.*: //')"
  texts "$(go env GOROOT)"
  modules | while read -r path version; do
    case $path in
    go.k6.io/k6/v2) cat "$cache/$path@$version/LICENSE.md" >"$folder/LICENSE.k6.md" && continue ;;
    github.com/xk6-sweep/* | .* | /* | *@*) continue ;; # LICENSE is in the archive
    esac
    printf '\n==== %s %s\n' "$path" "$version"
    # shellcheck disable=SC2001   # the cache writes A as !a
    text=$(texts "$cache/$(sed 's/[A-Z]/!\L&/g' <<<"$path@$version")")
    [[ -n $text ]] || text=${from[$path]:-}
    [[ -n $text ]] || { echo "licences.sh: $path $version has no licence" >&2 && exit 1; }
    printf '%s\n' "$text"
  done
} >"$folder/THIRD_PARTY_NOTICES.txt"
[[ -s $folder/LICENSE.k6.md ]] || { echo "licences.sh: $program has no k6 v2" >&2 && exit 1; }
