#!/usr/bin/env bash
# Writes the licences of what a k6 is made of into a folder: licences.sh PROGRAM FOLDER
#
#   LICENSE.k6.md             k6's own, AGPL-3.0, which the whole program is under
#   THIRD_PARTY_NOTICES.txt   those of Go and of every other module that is compiled in
#
# Modules are read from the program, their licences from Go's module cache. A module without one
# ends it, unless it is named here with its licence.
set -euo pipefail

program=$1 folder=$2
cache=$(go env GOMODCACHE)
# Generated code has no licence file: that of what it is generated from counts.
declare -A from=(
  [buf.build/gen/go/gogo/protobuf/protocolbuffers/go]="generated from github.com/gogo/protobuf, BSD-3-Clause"
  [buf.build/gen/go/prometheus/prometheus/protocolbuffers/go]="generated from github.com/prometheus/prometheus, Apache-2.0"
)

# texts prints the licences and notices in a folder.
texts() {
  find "$1" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'unlicense*' -o -iname 'patents*' \) \
    ! -name '*.go' | LC_ALL=C sort | while read -r file; do printf '\n' && tr -d '\r' <"$file"; done
}

# modules prints path and version of each module in the program, of a replaced one its replacement.
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
    github.com/xk6-sweep/* | .* | /* | *@*) continue ;; # LICENSE is beside it
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
