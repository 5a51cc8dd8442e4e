#!/usr/bin/env bash
# Judges the checked-out commit for `git bisect run`: builds it, compares it with the good one in
# pairs of runs, and exits with 0 (good), 1 (bad), or 125 if it cannot be built, run or judged, so
# that git skips it.
#
#   BASE='../good/bin/k6 run sweep.js' CHANGE='bin/k6 run sweep.js' git bisect run scripts/bisect.sh
#
# BUILD is the command that builds a commit (make -s bin/k6), GATE the allowed worsening
# (opsPerSecond=-3%), AB more options of `k6 x sweep ab` (--until 1%), K6 the k6 that judges (k6).
# Copy this file out of the work tree first: older commits may not have it.
set -uo pipefail

${BUILD-make -s bin/k6} || exit 125
# shellcheck disable=SC2086 # words of commands
${K6:-k6} x sweep ab ${AB---until 1%} --gate "${GATE:-opsPerSecond=-3%}" -- $BASE --- $CHANGE
case $? in
  0) exit 0 ;;
  99) exit 1 ;;
  104 | 110) exit 125 ;;
  *) exit 255 ;; # such as an interrupt: git stops
esac
