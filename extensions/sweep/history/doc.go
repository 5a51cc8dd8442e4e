// Package history keeps the figures of runs over the commits of a repository, and finds where they
// changed.
//
// A record is a line of JSON: one run of one scenario at one commit. Records of the same scenario,
// on the same class of machine and with the same parameters are a series for each figure of each
// step. Detect finds its change points with the estimate of E-divisive (Matteson and James, 2014),
// and judges each by a t test that knows how many places there were to choose from.
//
// Bisect finds the commit that has changed a figure between two commits, by measuring.
package history
