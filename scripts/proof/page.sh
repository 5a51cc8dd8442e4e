# shellcheck shell=bash
#
# Functions with which the proofs write into README.md in this folder.

# put NAME replaces the text between the marks NAME by standard input.
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

# stamp prints the end of the line of each trial: day, commit (with a plus for uncommitted changes),
# machine and Go version.
stamp() {
  local changed=''
  git diff --quiet HEAD -- . ':!scripts/proof/README.md' ':!scripts/proof/trials' || changed=+
  printf '%s\t%s\t%s processors of %s, %s' "$(date +%F)" "$(git rev-parse --short HEAD)$changed" \
    "$(nproc)" "$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)" "$(go env GOVERSION)"
}

# caption FILE prints the number of trials and their origin, from the stamps.
caption() {
  awk -F'\t' '
    function add(list, seen, one) { return seen[one]++ ? list : list (list == "" ? "" : "; ") one }
    {
      first = NR == 1 || $(NF - 2) < first ? $(NF - 2) : first
      last = $(NF - 2) > last ? $(NF - 2) : last
      commits = add(commits, ofCommit, $(NF - 1))
      machines = add(machines, onMachine, $NF)
    }
    END { printf "\n*%d trials, %s, of %s, on %s.*\n", NR, first == last ? first : first " to " last, commits, machines }' "$1"
}
