// Package ab compares two commands in pairs, each run in a new process: two builds of k6, two
// scripts, two settings, or any two programs.
//
// The commands of a pair run one after the other. The first one is random, but balanced over each
// two pairs, so that drifts of the machine cancel.
package ab
