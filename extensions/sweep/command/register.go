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

// quiet keeps k6 from asking its registry for commands when this one is called: that takes time and
// prints a message.
func quiet(args []string) {
	if len(args) > 2 && args[1] == "x" && args[2] == name {
		_ = os.Setenv(state.AutoExtensionResolution, "false") // fails only for invalid names
	}
}
