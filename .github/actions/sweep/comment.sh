#!/usr/bin/env bash
# Writes $SUMMARY as a comment of the pull request. A later run of the same scenario changes that
# comment instead of adding one.
set -euo pipefail

[ -s "$SUMMARY" ] || exit 0
mark="<!-- xk6-sweep $SCENARIO -->"
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
# The mark begins the comment: one that only quotes it is somebody else's.
id=$(MARK=$mark gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id' | head -n 1)
if [ -n "$id" ]; then
  target=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id")
else
  target=(--method POST "$comments")
fi
{ echo "$mark" && cat "$SUMMARY"; } | gh api "${target[@]}" --field body=@- --silent
