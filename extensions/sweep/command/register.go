package command

import (
	"os"

	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/subcommand"
)

func init() { //nolint:gochecknoinits // how k6 learns of extensions
	quiet(os.Args)
	subcommand.RegisterExtension(name, newCommand)
}

// quiet keeps k6 from asking its registry for a list of commands when this one is called, which is
// there: it would say so on standard error, and wait for an answer.
func quiet(args []string) {
	if len(args) > 2 && args[1] == "x" && args[2] == name {
		_ = os.Setenv(state.AutoExtensionResolution, "false") // fails for impossible names only
	}
}
