// Package beside sets several runs side by side: what was different before anything was measured,
// and each figure of each step as a ratio to the first run's, with its interval and its verdict.
//
// The verdicts are those of report.Compare, so that a page of several runs and `k6 x sweep compare`
// never say two things of the same figures.
package beside
