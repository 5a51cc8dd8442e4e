// Package history keeps the figures of runs over the commits of a repository, and finds changes.
// Records are in a folder or in a branch of a git repository; several processes may add some at the
// same time.
//
// A record is a line of JSON for one run of a scenario at a commit. Records with the same scenario,
// class of machine and parameters form a series for each figure of each step. Detect finds change
// points by the estimate of E-divisive (Matteson and James, 2014), and tests each with a t test
// that is corrected for the number of possible places.
package history
