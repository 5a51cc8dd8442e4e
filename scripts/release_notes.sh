#!/usr/bin/env bash
# Prints the section of a version from the changelog: release_notes.sh v0.1.0
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1#v}
notes=$(awk -v heading="## $version" '$0 == heading { found = 1; next } /^## / { found = 0 } found' .github/CHANGELOG.md)
[[ -n ${notes//[[:space:]]/} ]] || { echo "release_notes.sh: .github/CHANGELOG.md has no section \"## $version\"" >&2 && exit 1; }
printf '%s\n' "${notes#$'\n'}"
