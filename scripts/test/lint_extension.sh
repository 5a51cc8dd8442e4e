#!/usr/bin/env bash
# Runs xk6's strict checks on extensions/ as it would be published: a repository of its own with a version. Left out are what needs
# the network (vulnerability), gosec, which golangci-lint runs with our settings (security), and smoke: xk6 v1.4.11 gives k6 an
# option that k6 v2 has no more (--no-summary), so that the smoke test is run here.
set -euo pipefail
cd "$(dirname "$0")/../.."

room=$(mktemp -d "${TMPDIR:-/tmp}/lint-extension.XXXXXX")
trap 'rm -rf "$room"' EXIT
git -C extensions ls-files -z --cached --others --exclude-standard | tar -C extensions --null --files-from=- -cf - | tar -C "$room" -xf -
export GIT_CONFIG_GLOBAL=/dev/null # no signing, no hooks
git -C "$room" init -q
git -C "$room" add -A
git -C "$room" -c user.name=lint -c user.email=lint@localhost commit -q -m 'as it would be published'
git -C "$room" tag v0.1.0

version=$(sed -n 's/^[[:space:]]*go\.k6\.io\/k6\/v2 //p' extensions/cmd/k6/go.mod)
bin/xk6 lint --preset strict --disable security,vulnerability,smoke --k6-version "$version" "$room"
K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false bin/k6-xk6 run --quiet extensions/examples/smoke.js >/dev/null
