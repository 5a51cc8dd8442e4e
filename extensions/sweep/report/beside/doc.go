// Package beside compares several runs: differences in setup, then each figure of each step as a
// ratio to the first run, with interval and verdict.
//
// The verdicts come from report.Compare, so the page of several runs and `k6 x sweep compare`
// always agree.
package beside
