#!/usr/bin/env bash
# Runs the documented commands, images and manifests, as users would: `make shipped`. Each part
# prints a table, which goes into scripts/shipped/README.md, between the comments with its name.
#
#   scripts/shipped.sh [PART...]     default: all parts
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly page=scripts/shipped/README.md
parts=()
for file in scripts/shipped/parts/*.sh; do
  file=${file##*/}
  parts+=("${file%.sh}")
done
for part in "$@"; do
  [[ " ${parts[*]} " == *" $part "* ]] || { echo "shipped.sh: no part $part: there are ${parts[*]}" >&2; exit 2; }
done
(($#)) || set -- "${parts[@]}"

# record PART FILE writes the output of a part into the page.
record() {
  awk -v part="$1" -v file="$2" '
    $0 == "<!-- /" part " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- " part " -->" { inside = found = 1; while ((getline line < file) > 0) print line }
    END { exit !found }' "$page" >"$page.new" || { rm "$page.new"; echo "shipped.sh: $page has no <!-- $1 -->" >&2; return 1; }
  mv "$page.new" "$page"
}

logs=results/shipped
mkdir -p "$logs"
failed=()
for part in "$@"; do
  echo "shipped.sh: $part" >&2
  if "scripts/shipped/parts/$part.sh" >"$logs/$part.md" 2>"$logs/$part.log"; then
    record "$part" "$logs/$part.md"
    cat "$logs/$part.md"
  else
    failed+=("$part")
    tail -n 20 "$logs/$part.log" >&2
  fi
done
if ((${#failed[@]})); then
  echo "shipped.sh: FAILED: ${failed[*]}; see $logs" >&2
  exit 1
fi
