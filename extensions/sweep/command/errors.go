package command

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

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
