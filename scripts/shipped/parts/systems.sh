#!/usr/bin/env bash
# Other systems, as far as possible here: which ones compile with all tests, and Windows programs in
# wine.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need wine wine wine64
need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false SERVERS_ROOM=shipped-systems CGO_ENABLED=0

modules=(. extensions/sql extensions/cmd/k6)
heading
# compiles OS/ARCH runs vet, with tests, for the shipped packages. The e2e tests need Unix.
compiles() {
  local module packages
  for module in "${modules[@]}"; do
    packages=./...
    [[ $module != extensions/cmd/k6 ]] || packages=.
    GOOS=${1%/*} GOARCH=${1#*/} go vet -C "$module" -tags servers "$packages" >&2 || return
  done
}
for system in darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  say "$system"
  compiles "$system" || die "$system: does not compile"
done
row '`go vet` with all tests except e2e: macOS and Windows, amd64 and arm64' 'compiles'

# Go programs for Windows read random numbers from a library that wine 8 lacks.
export WINEPREFIX=$room/wine WINEDEBUG=-all WINEDLLOVERRIDES='bcryptprimitives=n;mscoree,mshtml='
wineboot -i >&2 2>&1 || true
cat >"$room/random.c" <<'END_C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) { return SystemFunction036(buffer, (ULONG)size); }
END_C
x86_64-w64-mingw32-gcc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$room/random.c" -ladvapi32
at_end+=('wineserver -k')

say 'building k6 for windows/amd64'
GOOS=windows go build -C extensions/cmd/k6 -trimpath -buildvcs=false -ldflags '-s -w' -o "$room/k6.exe" .
k6() { wine "$room/k6.exe" "$@"; }
row 'k6.exe' "$(k6 version | tr -d '\r' | sed -n '1s/^k6.exe //p'), by $(wine --version)"
say 'testing'
GOOS=windows go test -vet=off -exec wine ./extensions/internal/clock ./extensions/internal/netutil >"$room/tests" 2>&1 ||
  { cat "$room/tests" >&2; die 'tests fail'; }
row "tests of clock and errors of sockets, as Windows' programs" "$(grep -c '^ok' "$room/tests") packages pass"
scripts/servers.sh up memcached >&2
at_end+=('scripts/servers.sh down')
eval "$(scripts/servers.sh env)"
k6 run --quiet scenarios/cache-sweep.js -e "MEMCACHED_URL=$MEMCACHED_URL" -e TARGET=memcached -e "RESULTS=Z:${room//\//\\}\\results" \
  -e CLIENTS=1,8 -e DURATION=2s -e WARMUP=200ms >&2
k6 x sweep validate "$room/results/cache-sweep-memcached.json" >&2
row 'sweep of memcached (1 and 8 clients, 2 s a step)' "$(find "$room/results" -type f | wc -l) files, the report valid"
code=0
said=$(k6 run --quiet scenarios/cache-sweep.js -e MEMCACHED_URL=127.0.0.1:1 -e TARGET=memcached -e CLIENTS=1 -e DURATION=1s -e QUIET=0s -e "RESULTS=$room/none" 2>&1) || code=$?
[[ $said == *'connection refused; is a memcached running there?'* ]] || die "of a server that is not there it says: $said"
row 'a server that is not there' "\"connection refused; is a memcached running there?\", exit code $code"
signature systems "wine emulates Windows: this tests Go's code for Windows, not the kernel"
