// Package ab measures two commands in pairs, each run in a process of its own, and judges the one
// beside the other: two builds of k6, two scripts, two settings, or any two programs.
//
// The commands of a pair run one right after the other. Which one is first is random, and each is
// first as often as the other in every two pairs, so that neither has the machine when it is
// warmer.
package ab
