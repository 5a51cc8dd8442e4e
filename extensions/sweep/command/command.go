// Package command is the subcommand `k6 x sweep`, for the files of runs.
package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/subcommand"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

const name = "sweep"

// newCommand builds `k6 x sweep` with its commands. k6 calls it at the start of every command,
// including `k6 run`.
func newCommand(gs *state.GlobalState) *cobra.Command {
	k6x.Watch(gs)
	cmd := &cobra.Command{
		Use:   name,
		Short: "Begin a script; compare, merge, render, record, judge and validate the reports of sweeps",
		Long: `Begin a script with new, and work with the reports of sweeps: the files <scenario>.json that a run leaves in its folder of results.

An error is one line on standard error, with an exit code. k6 run has the same codes:

    0  every gate and threshold held
   99  a gate or a threshold is crossed; compare has found a regression
  104  a file, an option or a setting is invalid
  107  the script has thrown an exception outside of a scenario's function
  108  the script, or onError, has aborted the test
  110  failed operations, an incomplete step, a search without a result, an undecided gate or comparison
    1  another error, such as a file that cannot be read or written`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}

			return unknownCommand(cmd, args[0])
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetFlagErrorFunc(wrongUse)
	cmd.AddCommand(
		newCompare(gs), newAB(gs), newMerge(gs), newReport(gs), newRecord(gs), newGate(gs), newValidate(gs), newSchema(gs),
		newHistory(gs), newNew(gs),
	)

	return cmd
}

func completes(cmd *cobra.Command, flag string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil { // no such flag
		panic(err)
	}
}

func init() { //nolint:gochecknoinits // how k6 learns of extensions
	quiet(os.Args)
	subcommand.RegisterExtension(name, newCommand)
}

// quiet keeps k6 from asking its registry for commands when this one is called: that takes time and
// prints a message.
func quiet(args []string) {
	if len(args) > 2 && args[1] == "x" && args[2] == name {
		_ = os.Setenv(state.AutoExtensionResolution, "false") // fails only for invalid names
	}
}

func wrongUse(cmd *cobra.Command, err error) error {
	err = errext.WithHint(err, fmt.Sprintf("use: %s; see %s --help", cmd.UseLine(), cmd.CommandPath()))

	return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	err := errext.WithHint(fmt.Errorf("unknown command %q", name),
		fmt.Sprintf("use one of %s; see %s --help", strings.Join(known, ", "), cmd.CommandPath()))

	return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
}

// needs checks the number of arguments; most is zero for no limit, and -1 for no arguments. what
// names them.
func needs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most != 0 && len(args) > max(most, 0) {
			return wrongUse(cmd, fmt.Errorf("%s needs %s", cmd.Name(), what))
		}

		return nil
	}
}

func notHeld(err error, outcome stats.Outcome) error {
	return errext.WithExitCodeIfNone(err, exitcodes.ExitCode(outcome.ExitCode()))
}

// unusable is the error for an invalid file. It names the file once.
func unusable(file string, err error) error { return fileError(file, err, exitcodes.InvalidConfig) }

func notDone(file string, err error) error { return fileError(file, err, 1) }

func fileError(file string, err error, code exitcodes.ExitCode) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	text := strings.Join(strings.Fields(err.Error()), " ")

	return errext.WithExitCodeIfNone(fmt.Errorf("%s: %s", file, text), code)
}
