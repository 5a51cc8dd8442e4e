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
		Short: "Print the JSON Schema of reports or gate files",
		Long: `Print the JSON Schema (draft 2020-12) of reports or gate files, for editors and programs. It has the meaning and the
unit of each key. k6 x sweep validate checks more, such as whether figures agree with each other.

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
