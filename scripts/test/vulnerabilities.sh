#!/usr/bin/env bash
# Checks that the code of modules uses nothing with an entry in the Go vulnerability database:
# vulnerabilities.sh FOLDER...
#
# The database is a Go module, pinned in scripts/tools, so only the module proxy is needed. An
# advisory of the standard library counts if the toolchain version in go.mod, which releases use,
# lacks the fix, regardless of the installed Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

room=$(mktemp -d "${TMPDIR:-/tmp}/vulnerabilities.XXXXXX")
trap 'rm -rf "$room"' EXIT
go build -C scripts/tools -o "$room/" golang.org/x/vuln/cmd/govulncheck golang.org/x/vulndb/cmd/indexdb
"$room/indexdb" -vulns "$(go list -C scripts/tools -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv" -out "$room/db"
toolchain=$(sed -n 's/^toolchain //p' go.mod)

reached=0
for folder; do
  code=0
  (cd "$folder" && "$room/govulncheck" -db "file://$room/db" ./...) >"$room/said" || code=$?
  # 3 is govulncheck's exit code for findings.
  [[ $code == 0 || $code == 3 ]] || { cat "$room/said" && exit "$code"; }
  found=$(awk '/^Vulnerability #/ { id = $3 } /^ *Fixed in:/ { print id, $3 }' "$room/said")
  while read -r id fixed; do
    [[ -n $id ]] || continue
    version=${fixed#*@}
    if [[ $version == go1.* && $(printf '%s\n' "$version" "$toolchain" | sort -V | tail -n 1) == "$toolchain" ]]; then continue; fi
    echo "$folder reaches $id, which is fixed in $fixed: https://pkg.go.dev/vuln/$id" >&2
    reached=1
  done <<<"$found"
  grep -E '^(Your code|This scan|No vulnerabilities)' "$room/said" | sed "s|^|$folder: |"
done
exit "$reached"
