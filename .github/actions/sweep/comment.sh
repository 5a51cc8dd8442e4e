#!/usr/bin/env bash
# Writes $SUMMARY as a comment of the pull request. A later run of the same scenario edits this
# comment. If the comment cannot be written, a warning follows: the token of a pull request from a
# fork is read-only. The job's summary has the verdict, too.
set -euo pipefail

[ -s "$SUMMARY" ] || exit 0
mark="<!-- xk6-sweep $SCENARIO -->"
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
said=$(mktemp)
trap 'rm -f "$said"' EXIT

comment() {
  local ids target
  # The comment starts with the mark. A comment that only quotes the mark does not match.
  ids=$(MARK=$mark gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id') || return
  if [ -n "$ids" ]; then
    target=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${ids%%$'\n'*}")
  else
    target=(--method POST "$comments")
  fi
  { echo "$mark" && cat "$SUMMARY"; } | gh api "${target[@]}" --field body=@- --silent
}

comment 2>"$said" || echo "::warning title=sweep wrote no comment::$(tr -s '\r\n' ' ' <"$said")"
