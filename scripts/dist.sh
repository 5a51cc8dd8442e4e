#!/usr/bin/env bash
# Builds the release files: dist/xk6-sweep-VERSION-OS-ARCH.tar.gz with k6 and its licences
# (scripts/licences.sh), a CycloneDX bill of materials for each (.cdx.json), the declarations for
# editors as an npm package (scripts/types.sh), and checksums (SHA256SUMS).
#
#   scripts/dist.sh [OS/ARCH...]     default: all platforms; VERSION defaults to the tag
#
# The output is reproducible: it depends only on the files and the Go version. Binaries that this
# machine or an emulator (qemu-user-static) can run are started to check their version. The workflow
# starts those for Windows and macOS on other machines.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly platforms=(darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64)
readonly variable=github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x.version
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false
version=${VERSION:-$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo v0.0.0)}

# runner prints the command prefix that runs a program of a platform here, or fails.
runner() {
  local emulator
  case $1 in
  "$(go env GOHOSTOS)/$(go env GOHOSTARCH)") echo env ;;
  linux/amd64) emulator=qemu-x86_64-static ;;&
  linux/arm64) emulator=qemu-aarch64-static ;;&
  linux/*) command -v "$emulator" ;;
  *) return 1 ;;
  esac
}

# cyclonedx-gomod makes go download all modules to read their licences, including our own folders,
# and go refuses a folder next to modules. This wrapper leaves folders out.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
cat >"$tools/go" <<EOF
#!/usr/bin/env bash
for word; do [[ \$word == ../* ]] || words+=("\$word"); done
exec "$(command -v go)" "\${words[@]}"
EOF
chmod +x "$tools/go"

build() {
  local os=${1%/*} arch=${1#*/} name folder program run
  name=xk6-sweep-$version-$os-$arch
  folder=$(mktemp -d)
  program=$folder/k6
  if [[ $os == windows ]]; then program+=.exe; fi
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -C extensions/cmd/k6 -trimpath -buildvcs=false -ldflags "-s -w -X $variable=$version" \
    -o "$program" .
  PATH=$tools:$PATH bin/cyclonedx-gomod bin -json -licenses -noserial -notimestamp -std -version "$version" -output "dist/$name.cdx.json" "$program"
  cp LICENSE "$folder"
  scripts/licences.sh "$program" "$folder"
  tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+w,go=rX -cf - . | gzip -n >"dist/$name.tar.gz"
  if run=$(runner "$1"); then
    "$run" "$program" version
  else
    echo "$name: built, and not run: nothing here runs programs of $1" >&2
  fi
  rm -rf "$folder"
}

for platform in "$@"; do
  if [[ " ${platforms[*]} " != *" $platform "* ]]; then
    echo "dist.sh: no platform $platform: there are ${platforms[*]}" >&2
    exit 2
  fi
done
make --no-print-directory bin/cyclonedx-gomod
rm -rf dist
mkdir dist
for platform in "${@:-${platforms[@]}}"; do build "$platform"; done
VERSION=$version scripts/types.sh dist
(cd dist && sha256sum xk6-sweep-* >SHA256SUMS)
