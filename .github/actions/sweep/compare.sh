#!/usr/bin/env bash
# Compares a change with its base: builds both and runs them in turns, or runs a duet of two
# servers. Writes a summary to $SUMMARY and to the job's page, and annotations to standard output.
# Exits with 0 when every gate was held, 99 when one was crossed or is undecided.
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

# property and message are a text as a workflow command takes it in its two places.
message() { sed -e 's/%/%25/g' -e 's/\r/%0D/g' <<<"$1" | tr -s '\n ' ' '; }
property() { message "$1" | sed -e 's/:/%3A/g' -e 's/,/%2C/g' -e 's/ $//'; }

# annotate shows an error beside the scenario.
annotate() { # TITLE TEXT
  echo "::error file=$(property "$SCENARIO"),title=$(property "$1")::$(message "$2")"
}

# tree checks a commit out, and prints the folder.
tree() { # NAME COMMIT
  git worktree add --quiet --detach "$work/tree-$1" "$2" >&2
  echo "$work/tree-$1"
}

# built builds bin/k6 in a folder.
built() { (cd "$1" && bash -euc "$BUILD") >&2; }

# merge_base is where the change has left the branch that it is to be merged into.
merge_base() {
  [ -n "${GITHUB_BASE_REF:-}" ] || { echo "base is needed where there is no pull request" >&2 && return 1; }
  git fetch --quiet --no-tags origin "$GITHUB_BASE_REF"
  git merge-base HEAD FETCH_HEAD || { echo "no merge base: check out with fetch-depth: 0" >&2 && return 1; }
}

# in_turns runs the two builds in turns.
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
  "$change/bin/k6" x sweep ab --pairs "$PAIRS" "${asked[@]}" -- \
    "$base/bin/k6" run --quiet "${arguments[@]}" "$base/$SCENARIO" --- \
    "$change/bin/k6" run --quiet "${arguments[@]}" "$change/$SCENARIO" >"$work/all" 2>"$work/log" || code=$?
  cat "$work/all" "$work/log" >&2
  # What people read lacks the commands: there may be addresses with passwords in them.
  sed '1,/^$/d' "$work/all" >"$work/table"
  return "$code"
}

# duet lets the clients of one run take turns between two servers.
duet() {
  built .
  local code=0 found
  bin/k6 run --quiet -e RESULTS="$work/results" -e GATES="$(realpath "$GATES_ASKED")" -e "BASE_URL=$BASE_COMMIT" -e "$CHANGE_COMMIT" "${arguments[@]}" "$SCENARIO" || code=$?
  found=("$work"/results/*.json)
  [ -f "${found[0]}" ] || return "$code"
  bin/k6 x sweep report "${found[0]}" --format github >"$work/report"
  local judged=0
  bin/k6 x sweep gate "${found[0]}" "$GATES_ASKED" --format github || judged=$?
  [ "$judged" = 0 ] || code=$judged
  return "$code"
}

code=0
case "$BASE_COMMIT" in
*:*) duet || code=$? ;;
*) # In a subshell of its own -e ends it: an || beside it would switch that off.
  set +e
  (set -e && in_turns)
  code=$?
  set -e
  ;;
esac

{
  if [ -s "$work/report" ]; then
    cat "$work/report"
  else
    case $code in
    0) echo "### :white_check_mark: $SCENARIO: no worse than its base" ;;
    99) echo "### :x: $SCENARIO: worse than its base, or nobody could tell" ;;
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
