package command

import (
	"go.k6.io/k6/v2/subcommand"
)

func init() { //nolint:gochecknoinits // how k6 learns of extensions
	subcommand.RegisterExtension(name, newCommand)
}
