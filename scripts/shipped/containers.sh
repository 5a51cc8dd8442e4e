# Containers without a daemon and without a registry: images with buildah, containers with podman,
# both from Debian, in a separate store. No registry is reachable, so an image named in a file is
# replaced by one with the same name, made from Debian packages.
# shellcheck shell=bash disable=SC2154   # room is lib.sh's

# crun refuses mixed versions of cgroups, which it does not need here, so the part has its own
# mounts.
if [[ -d /sys/fs/cgroup/unified ]]; then
  rm -rf "$room"
  exec unshare --mount bash -c 'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"' - "scripts/shipped/parts/${0##*/}" "$@"
fi

need buildah buildah
need podman podman crun netavark aardvark-dns iptables
need mmdebstrap mmdebstrap
((EUID == 0)) || die 'containers are started as root here'
store=${XK6_SWEEP_CACHE:-$HOME/.cache/xk6-sweep}/containers
mkdir -p "$store"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay CONTAINERS_CONF=$room/containers.conf
cat >"$CONTAINERS_CONF" <<'END'
[containers]
cgroups = "disabled"
[engine]
cgroup_manager = "cgroupfs"
[network]
network_backend = "netavark"
END
# crun without limits: raising one needs a capability that a machine may not have.
mkdir "$room/runtime"
cat >"$room/runtime/crun" <<'END'
#!/bin/sh
before=''
for each in "$@"; do
  case $before in
    --bundle) file=$each/config.json ;;
    --process) file=$each ;;
    *) file='' ;;
  esac
  if [ -n "$file" ]; then sed -i 's/"rlimits":\[[^]]*\]/"rlimits":[]/' "$file"; fi
  before=$each
done
exec /usr/bin/crun "$@"
END
chmod +x "$room/runtime/crun"

buildah() { command buildah --root "$store/images" --runroot "$store/run" "$@"; }

# podman as a program, also for podman-compose.
podman=$room/runtime/podman
cat >"$podman" <<END
#!/bin/sh
exec "$(type -P podman)" --root "$store/images" --runroot "$store/run" --runtime "$room/runtime/crun" "\$@"
END
chmod +x "$podman"
podman() { "$podman" "$@"; }

# has IMAGE reports whether it is in the store.
has() { buildah inspect --type image "$1" >/dev/null 2>&1; }

# debian FILE PACKAGE... makes a file system with these packages.
debian() {
  local file=$1 packages
  shift
  packages=$(IFS=,; printf '%s' "$*")
  say "installing $packages"
  mmdebstrap --quiet --variant=essential --include="$packages" bookworm "$file" >&2
}

# image NAME CONTENT OPTION... makes an image from a file system, with options of buildah config.
image() {
  local name=$1 content=$2 container
  shift 2
  container=$(buildah from scratch)
  buildah add -q "$container" "$content" / >&2
  buildah config "$@" "$container"
  buildah commit -q --rm "$container" "$name" >&2
}

readonly search=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
golang=golang:1.26-bookworm alpine=alpine:3.22

# golang: Debian with git and make, and the installed Go.
make_golang() {
  local container
  debian "$room/golang.tar" ca-certificates git make
  container=$(buildah from scratch)
  buildah add -q "$container" "$room/golang.tar" / >&2
  buildah add -q "$container" "$(go env GOROOT)" /usr/local/go >&2
  buildah config --env GOPATH=/go --env GOTOOLCHAIN=local --env "PATH=/go/bin:/usr/local/go/bin:$search" --workingdir /go "$container"
  buildah commit -q --rm "$container" "$golang" >&2
  rm "$room/golang.tar"
}

# alpine: BusyBox and CA certificates. Without a C library, like the original for a glibc program.
make_alpine() {
  local tree=$room/alpine each
  (cd "$room" && apt-get download -q busybox-static ca-certificates >&2 && for each in ./*.deb; do dpkg -x "$each" unpacked; done)
  mkdir -p "$tree"/bin "$tree"/etc/ssl/certs "$tree"/tmp
  chmod 1777 "$tree/tmp"
  cp "$room/unpacked/bin/busybox" "$tree/bin"
  for each in $("$tree/bin/busybox" --list); do [[ -e $tree/bin/$each ]] || ln -s busybox "$tree/bin/$each"; done
  cat "$room"/unpacked/usr/share/ca-certificates/mozilla/*.crt >"$tree/etc/ssl/certs/ca-certificates.crt"
  echo root:x:0:0:root:/root:/bin/sh >"$tree/etc/passwd"
  echo root:x:0: >"$tree/etc/group"
  image "$alpine" "$tree" --cmd /bin/sh --env "PATH=$search"
  rm -rf "$tree" "$room/unpacked" "$room"/*.deb
}

make_bases() {
  has "$golang" || make_golang
  has "$alpine" || make_alpine
}

# build_k6 FOLDER NAME builds the image of that checkout. It uses this machine's module cache first,
# and this machine's settings for checksums.
build_k6() {
  local modules
  modules=$(go env GOMODCACHE)/cache/download
  mkdir -p "$store/tmp"
  TMPDIR=$store/tmp buildah build --layers --no-cache -f "$1/Dockerfile.k6" -t "$2" --timestamp "$(git log -1 --format=%ct)" \
    --volume "$modules:/modules:ro" --volume /etc/ssl/certs:/etc/ssl/certs:ro --build-arg "GOPROXY=file:///modules,$(go env GOPROXY)" \
    --build-arg VERSION="$(git describe --tags --match 'v[0-9]*' 2>/dev/null || echo v0.0.0)" --build-arg REVISION="$(git rev-parse HEAD)" "$1" >&2
}
