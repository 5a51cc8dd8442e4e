# shellcheck shell=bash disable=SC2034  # libraries is read by the servers' own files
#
# Takes a server from Debian's packages, without installing it and without root: its files are
# unpacked into the cache of build.sh.

libraries=''   # LD_LIBRARY_PATH for `binary`

# debian_program PACKAGE FILE sets `binary` to the program of FILE's name in PATH, or else to FILE
# of the Debian package PACKAGE, such as usr/bin/redis-server; and `libraries` to its
# LD_LIBRARY_PATH. The package is unpacked together with missing dependencies. The cache is never
# updated: to get a newer version, delete it there.
debian_program() {
  local package=$1 file=$2 program=${2##*/} cache tree key
  libraries=${LD_LIBRARY_PATH:-}
  binary=$(type -P "$program") && return 0

  have apt-get || die "$program is not in PATH, and there is no apt-get to fetch it with: install $package"
  cache=$(cache_folder) || die "neither XK6_SWEEP_CACHE nor HOME says where to keep $package"
  key=$({ dpkg --print-architecture; cat /etc/os-release; } 2>/dev/null | hash_of_input)
  tree=$cache/$package-$key
  if ! is_whole "$tree" "$file"; then
    make_cache_folder "$cache"
    exec 8>"$tree.lock"
    take_lock 8 "$package is being fetched already: waiting for it"
    is_whole "$tree" "$file" || fetch_package
    exec 8>&-
  fi
  use_tree
}

# is_whole TREE FILE reports whether TREE is complete and unchanged, and FILE finds all its
# libraries: a shared or old cache may lack one.
is_whole() {
  [[ -x $1/$2 && -r $1.cksum && $(sum_of_tree "$1") == "$(<"$1.cksum")" ]] || return 1
  [[ $(LD_LIBRARY_PATH=$(library_path "$1") ldd "$1/$2" 2>/dev/null) != *'not found'* ]]
}

sum_of_tree() { (cd "$1" && find . -type f -exec cksum {} + | LC_ALL=C sort); }

# library_path TREE prints its library folders, before those of the user.
library_path() {
  local folder path=''
  for folder in "$1"/usr/lib/*-linux-* "$1"/lib/*-linux-* "$1"/usr/lib "$1"/lib; do
    [[ ! -d $folder ]] || path=$path:$folder
  done
  path=${path#:}
  printf '%s' "$path${path:+${LD_LIBRARY_PATH:+:}}${LD_LIBRARY_PATH:-}"
}

#
# The following functions share the variables of debian_program.

use_tree() {
  binary=$tree/$file
  libraries=$(library_path "$tree")
}

fetch_package() {
  [[ ! -e $tree ]] || say "$tree is damaged or lacks a library: fetching it again"
  if have flock; then rm -rf "$tree".building.*; fi   # of killed runs: we hold the lock, so no other is running
  build_files=$(mktemp -d "$tree.building.XXXXXX") || die "cannot write to the cache folder $cache"
  mkdir "$build_files/archives" "$build_files/tree"
  say "$program is not in PATH: fetching the package $package, once"
  download_packages || update_lists_and_download
  unpack_packages
  complete_program
  is_complete || die "the package $package of this system has no $file that works: install $package"
  install_tree
  say "fetched $package"
  remove_build_files
}

# download_packages downloads the package and its missing dependencies. It lists them first, because
# apt-get needs root to download packages for installation.
download_packages() {
  local names
  run_shown describe_listing apt-get install --print-uris -qq --reinstall --no-install-recommends "$package" || return 1
  # Lines are: 'URL' name_version_architecture.deb size sum.
  names=$(sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p" "$build_files/out")
  [[ -n $names ]] || return 1
  # Unquoted: one word per package.
  # shellcheck disable=SC2086
  run_shown describe_packages env -C "$build_files/archives" apt-get download -q $names
}

# Without package lists, as in container images, or with outdated lists.
update_lists_and_download() {
  ((EUID == 0)) || fetch_failed "cannot fetch $package: as root, run apt-get update, or install $package"
  say "updating the package lists"
  run_shown describe_update apt-get update -q || fetch_failed "cannot update the package lists: install $package"
  download_packages || fetch_failed "cannot fetch $package: install it"
}

fetch_failed() {
  say "$1"
  show_end "$build_files/log"
  exit 1
}

unpack_packages() {
  local archive
  for archive in "$build_files"/archives/*.deb; do
    dpkg -x "$archive" "$build_files/tree" 2>"$build_files/log" || fetch_failed "cannot unpack ${archive##*/}"
  done
}

# complete_program handles a program that is a link to a file of another package: redis-server links
# to redis-check-rdb of redis-tools. If this system has that package, it was not downloaded. It is
# downloaded now, because links have to stay in the tree.
complete_program() {
  local at=/$file target owner hops
  for ((hops = 0; hops < 10; hops++)); do
    [[ -L $build_files/tree$at ]] || return 0
    target=$(readlink "$build_files/tree$at")
    [[ $target == /* ]] || target=${at%/*}/$target
    target=$(realpath -ms "$target")
    if [[ ! -e $build_files/tree$target && ! -L $build_files/tree$target ]]; then
      owner=$(owner_of "$target") || true
      [[ -n $owner ]] || return 0
      rm -f "$build_files"/archives/*.deb
      run_shown describe_packages env -C "$build_files/archives" apt-get download -q "$owner" ||
        fetch_failed "cannot fetch $owner, which $package needs: install $package"
      unpack_packages
    fi
    ln -sfn "$(realpath -ms --relative-to="${at%/*}" "$target")" "$build_files/tree$at"
    at=$target
  done
}

# owner_of FILE prints the installed package that has it. /bin and /lib may be links to those in
# /usr, and dpkg knows only one of the names.
owner_of() {
  local path
  for path in "$1" "${1#/usr}" "/usr$1"; do
    dpkg -S "$path" 2>/dev/null | sed -n 's/^\([a-z0-9][a-z0-9.+-]*\)[,:].*/\1/p' | { read -r path && printf '%s' "$path"; } && return 0
  done
}

is_complete() {
  sum_of_tree "$build_files/tree" >"$build_files/tree.cksum"
  is_whole "$build_files/tree" "$file"
}

# First the sum, then the tree in one step, as in build.sh.
install_tree() {
  rm -rf "$tree"
  mv -f "$build_files/tree.cksum" "$tree.cksum"
  mv "$build_files/tree" "$tree"
}

describe_listing() { printf 'asking apt-get what %s needs' "$package"; }
describe_packages() { printf 'downloading %s' "$package"; }
describe_update() { printf 'updating the package lists'; }
