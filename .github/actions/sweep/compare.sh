#!/usr/bin/env bash
# Compares a change with its base: builds both and alternates between them, or runs a duet of two
# servers. Writes a summary to $SUMMARY and to the job's summary, annotations to standard output,
# and the action's outputs to $GITHUB_OUTPUT. Exit codes: 0 if every gate held, 99 if one is
# crossed, else 110 if one is undecided.
set -euo pipefail

work=$(mktemp -d)
# shellcheck disable=SC2317   # the trap calls it
cleanup() {
  local folder
  for folder in "$work"/tree-*; do
    [ ! -d "$folder" ] || git worktree remove --force "$folder"
  done
  rm -rf "$work"
}
trap cleanup EXIT
# shellcheck disable=SC2153   # one is the text of the other
read -ra arguments <<<"$ARGUMENTS"
k6=''

# message and property escape text for a workflow command.
message() { sed -e 's/%/%25/g' -e 's/\r/%0D/g' <<<"$1" | tr -s '\n ' ' '; }
property() { message "$1" | sed -e 's/:/%3A/g' -e 's/,/%2C/g' -e 's/ $//'; }

# annotate prints an error annotation for the scenario.
annotate() { # TITLE TEXT
  echo "::error file=$(property "$SCENARIO"),title=$(property "$1")::$(message "$2")"
}

# tree checks out a commit and prints the folder.
tree() { # NAME COMMIT
  git worktree add --quiet --detach "$work/tree-$1" "$2" >&2
  echo "$work/tree-$1"
}

# built runs the build command in a folder.
built() { [ -z "$BUILD" ] || (cd "$1" && bash -euc "$BUILD") >&2; }

# checksums verifies files against a list.
checksums() { if command -v sha256sum >/dev/null; then sha256sum --check --quiet "$1"; else shasum -a 256 --check --quiet "$1"; fi; }

# download unpacks k6 of a release after verifying its checksum.
download() { # VERSION
  local os arch archive file release="${GITHUB_SERVER_URL:-https://github.com}/xk6-sweep/xk6-sweep/releases/download/$1"
  case ${RUNNER_OS:-} in Linux) os=linux ;; macOS) os=darwin ;; Windows) os=windows ;; *) os=${RUNNER_OS:-unknown} ;; esac
  case ${RUNNER_ARCH:-} in X64) arch=amd64 ;; ARM64) arch=arm64 ;; *) arch=${RUNNER_ARCH:-unknown} ;; esac
  archive=xk6-sweep-$1-$os-$arch.tar.gz
  for file in "$archive" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$work/$file" "$release/$file" ||
      { echo "there is no $release/$file" >"$work/log" && return 1; }
  done
  awk -v name="$archive" '$2 == name' "$work/SHA256SUMS" >"$work/wanted"
  [ -s "$work/wanted" ] || { echo "SHA256SUMS of $1 does not name $archive" >"$work/log" && return 1; }
  (cd "$work" && checksums wanted >&2) || { echo "$archive is not what SHA256SUMS of $1 says" >"$work/log" && return 1; }
  mkdir "$work/release"
  tar -xzf "$work/$archive" -C "$work/release"
}

# choose sets $k6, or leaves it empty for bin/k6 of each checkout.
choose() {
  if [ -n "$VERSION" ]; then
    [ -z "$K6" ] || { echo "give k6 or version, not both" >"$work/log" && return 1; }
    download "$VERSION"
    k6=$work/release/k6
  elif [ -n "$K6" ]; then
    k6=$(command -v "$K6") || { echo "there is no k6 at $K6" >"$work/log" && return 1; }
    case $k6 in */*) k6=$(cd "$(dirname "$k6")" && pwd)/${k6##*/} ;; esac
  else
    BUILD=${BUILD:-make bin/k6}
  fi
}

# k6_of prints the path of k6 for a checkout.
k6_of() { echo "${k6:-$1/bin/k6}"; }

# merge_base prints the merge base of the change and the target branch.
merge_base() {
  [ -n "${GITHUB_BASE_REF:-}" ] || { echo "base is needed where there is no pull request" >&2 && return 1; }
  git fetch --quiet --no-tags origin "$GITHUB_BASE_REF"
  git merge-base HEAD FETCH_HEAD || { echo "no merge base: check out with fetch-depth: 0" >&2 && return 1; }
}

# in_turns alternates between the two builds.
in_turns() {
  local base change=$PWD commit asked=() gate
  commit=${BASE_COMMIT:-$(merge_base)}
  base=$(tree base "$commit")
  [ -z "$CHANGE_COMMIT" ] || change=$(tree change "$CHANGE_COMMIT")
  built "$base"
  built "$change"
  for gate in $GATES_ASKED; do asked+=(--gate "$gate"); done
  [ -z "$UNTIL" ] || asked+=(--until "$UNTIL")
  echo "Base is $(git rev-parse --short "$commit"), change is $(git -C "$change" rev-parse --short HEAD), both on this machine in turns." >"$work/setting"
  local code=0
  "$(k6_of "$change")" x sweep ab --pairs "$PAIRS" "${asked[@]}" -- \
    "$(k6_of "$base")" run --quiet "${arguments[@]}" "$base/$SCENARIO" --- \
    "$(k6_of "$change")" run --quiet "${arguments[@]}" "$change/$SCENARIO" >"$work/all" 2>"$work/log" || code=$?
  cat "$work/all" "$work/log" >&2
  # Remove the commands from the public text: they may contain addresses with passwords.
  sed '1,/^$/d' "$work/all" >"$work/table"
  return "$code"
}

# duet alternates between two servers within one run.
duet() {
  built .
  local code=0 found own
  own=$(k6_of .)
  "$own" run --quiet -e RESULTS="$work/results" -e GATES="$(realpath "$GATES_ASKED")" -e "BASE_URL=$BASE_COMMIT" -e "$CHANGE_COMMIT" "${arguments[@]}" "$SCENARIO" || code=$?
  found=("$work"/results/*.json)
  [ -f "${found[0]}" ] || return "$code"
  "$own" x sweep report "${found[0]}" --format github >"$work/report"
  local judged=0
  "$own" x sweep gate "${found[0]}" "$GATES_ASKED" --format github | tee "$work/judged" || judged=$?
  [ "$judged" = 0 ] || code=$judged
  return "$code"
}

# compare calls in_turns or duet with the requested k6.
compare() {
  choose
  case "$BASE_COMMIT" in
  *:*) duet ;;
  *) in_turns ;;
  esac
}

# The subshell keeps -e in effect: with || after the command, bash ignores -e inside it.
set +e
(set -e && compare)
code=$?
set -e
verdict=failed
case $code in
0) verdict=held ;;
99) verdict=crossed ;;
110) if grep -qsE ' undecided |title=undecided' "$work/table" "$work/judged"; then verdict=undecided; fi ;;
esac
if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s\n' "verdict=$verdict" "exit-code=$code" "report=$SUMMARY" >>"$GITHUB_OUTPUT"; fi

{
  if [ -s "$work/report" ]; then
    cat "$work/report"
  else
    case $verdict in
    held) echo "### :white_check_mark: $SCENARIO: no worse than its base" ;;
    crossed) echo "### :x: $SCENARIO: worse than its base" ;;
    undecided) echo "### :grey_question: $SCENARIO: undecided: no worse and no better could be told" ;;
    *) echo "### :x: $SCENARIO: could not be compared (exit code $code)" ;;
    esac
    echo
    [ ! -f "$work/setting" ] || { cat "$work/setting" && echo; }
    [ ! -s "$work/table" ] || { echo '```text' && head -n 50 "$work/table" && echo '```'; }
  fi
} >"$SUMMARY"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$SUMMARY" >>"$GITHUB_STEP_SUMMARY"

if [ -s "$work/table" ]; then
  grep -E ' (CROSSED|undecided) [A-Za-z0-9]+=' "$work/table" | while read -r line; do
    annotate "$(grep -oE '(CROSSED|undecided) [A-Za-z0-9]+=.*' <<<"$line")" "$line"
  done || true # none was crossed
elif [ "$code" != 0 ] && [ ! -s "$work/report" ]; then
  annotate "not compared" "exit code $code: $(tail -n 1 "$work/log" 2>/dev/null | sed 's/^time=[^ ]* level=error msg=//')"
fi
exit "$code"
