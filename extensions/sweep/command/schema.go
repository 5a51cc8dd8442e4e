package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func newSchema(gs *state.GlobalState) *cobra.Command {
	schemas := map[string][]byte{"report": report.SchemaJSON, "gates": []byte(gate.Schema())}
	known := slices.Sorted(maps.Keys(schemas))

	return &cobra.Command{
		Use:   "schema " + strings.Join(known, "|"),
		Short: "Print the JSON Schema of reports or of files of gates",
		Long: `Print the JSON Schema (draft 2020-12) of reports or of files of gates, for editors and for programs of your own. It
says what each key means, and in which unit. It says less than k6 x sweep validate does: a schema cannot tell whether
figures agree.

Exit codes: 0, or 104 when there is no such schema.`,
		Example: `  k6 x sweep schema report > report.schema.json
  k6 x sweep schema gates > thresholds/schema.json`,
		ValidArgs: known,
		Args:      needs(1, 1, "one of "+strings.Join(known, ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			schema, there := schemas[args[0]]
			if !there {
				return wrongUse(cmd, fmt.Errorf("unknown schema %q: it must be one of %s", args[0], strings.Join(known, ", ")))
			}

			return write(gs, "", schema)
		},
	}
}
