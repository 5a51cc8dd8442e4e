#!/usr/bin/env bash
# Writes $SUMMARY as a comment of the pull request. A later run of the same scenario changes that
# comment instead of adding one. A comment that cannot be written is a warning: the token of a pull
# request from a fork may only read, and the verdict is on the job's page too.
set -euo pipefail

[ -s "$SUMMARY" ] || exit 0
mark="<!-- xk6-sweep $SCENARIO -->"
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
said=$(mktemp)
trap 'rm -f "$said"' EXIT

comment() {
  local ids target
  # The mark begins the comment: one that only quotes it is somebody else's.
  ids=$(MARK=$mark gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id') || return
  if [ -n "$ids" ]; then
    target=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${ids%%$'\n'*}")
  else
    target=(--method POST "$comments")
  fi
  { echo "$mark" && cat "$SUMMARY"; } | gh api "${target[@]}" --field body=@- --silent
}

comment 2>"$said" || echo "::warning title=sweep wrote no comment::$(tr -s '\r\n' ' ' <"$said")"
