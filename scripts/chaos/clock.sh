#!/usr/bin/env bash
# clock.sh FOLDER writes an overlay for go build: a package time whose wall clock is stepped by
# CHAOS_CLOCK, two seconds after the start. The monotonic clock does not change, as when a
# system's clock is set. Alternatives fail: Go reads the clock without libc (faketime), Linux time
# namespaces have no wall clock, and setting the machine's clock affects other programs.
set -euo pipefail
folder=$(cd "$1" && pwd)
source=$(go env GOROOT)/src/time
read=$'\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {'
original=$(<"$source/time.go")
stepped=${original/"$read"/${read/$'\n'/$'\n\tsec += chaosStep(mono)\n'}}
[[ $stepped != "$original" ]] || { echo "clock.sh: this Go reads the clock in another way: see Now in its package time" >&2; exit 1; }
printf '%s\n' "$stepped" >"$folder/time.go"
cat >"$folder/chaos_step.go" <<'GO'
package time

import "syscall"

var chaosSeconds = func() int64 {
	text, _ := syscall.Getenv("CHAOS_CLOCK")
	d, err := ParseDuration(text)
	if err != nil {
		return 0
	}
	return int64(d / Second)
}()

func chaosStep(mono int64) int64 {
	if mono-startNano < int64(2*Second) {
		return 0
	}
	return chaosSeconds
}
GO
printf '{"Replace":{"%s":"%s","%s":"%s"}}\n' "$source/time.go" "$folder/time.go" "$source/chaos_step.go" "$folder/chaos_step.go" >"$folder/overlay.json"
