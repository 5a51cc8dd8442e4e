# shellcheck shell=bash
# How the proofs write into README.md beside this file.

# put NAME replaces what stands between the marks of that name by what comes in.
put() {
  local page=scripts/proof/README.md new
  new=$(mktemp -d)
  cat >"$new/part"
  awk -v name="$1" -v part="$new/part" '
    $0 ~ "^<!-- end of " name " " { within = 0; ends++ }
    !within
    $0 ~ "^<!-- " name ":" { within = 1; begins++; while ((getline line <part) > 0) print line }
    END { exit begins != 1 || ends != 1 }' "$page" >"$new/page" || { echo "$page has not one part of the name $1" >&2; rm -rf "$new"; return 1; }
  cp "$new/page" "$page"
  rm -rf "$new"
}

# here tells the machine and the versions.
here() {
  printf '%s processors of %s, %s' "$(nproc)" "$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)" "$(go env GOVERSION)"
}

# of tells the commit that is measured, with a plus where the tree is not what was committed.
of() {
  git rev-parse --short HEAD | tr -d '\n'
  git diff --quiet HEAD -- . ':!scripts/proof' || printf '+'
}
