// Package command is the subcommand `k6 x sweep`: what can be done with the files that a run
// leaves.
package command
