// Package command is the subcommand `k6 x sweep`, for the files of runs.
package command
