#!/usr/bin/env bash
# A trial by a duet: both servers in one run, and the gates judge the change beside its base.
set -euo pipefail
# shellcheck source=gates.sh
source scripts/proof/ways/gates.sh

sweep DURATION="${SECONDS_EACH}s" "$(address)=$change" BASE_URL="$base"
judge ''
