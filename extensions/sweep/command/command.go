package command

import (
	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
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
