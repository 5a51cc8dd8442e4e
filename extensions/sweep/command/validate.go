package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type validity struct {
	File   string `json:"file"`
	Ok     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
}

func newValidate(gs *state.GlobalState) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Validate reports, baselines and gate files",
		Long: `Validate reports, baselines and gate files, which are recognised by their content. Each file is one line: "ok", or the
error. The baseline of a gate file is validated too.

With --json: an array with an object for each file.

Exit codes: 0 when all files are valid, 104 when one is not.`,
		Example: `  k6 x sweep validate results/*.json thresholds/*.json thresholds/baselines/*.json`,
		Args:    needs(1, 0, "at least one file"),
		RunE:    func(_ *cobra.Command, args []string) error { return validate(gs, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of lines")

	return cmd
}

func validate(gs *state.GlobalState, files []string, asJSON bool) error {
	validities := make([]validity, len(files))
	var b strings.Builder
	invalid := 0
	for i, file := range files {
		validities[i] = validity{File: file, Ok: true}
		reason := file + ": ok"
		if err := validateFile(gs, file); err != nil {
			invalid++
			reason = err.Error()
			validities[i] = validity{File: file, Reason: strings.TrimPrefix(reason, file+": ")}
		}
		b.WriteString(reason + "\n")
	}
	err := show(gs, asJSON, validities, b.String())
	if err != nil || invalid == 0 {
		return err
	}

	return errext.WithExitCodeIfNone(errors.New(invalidities(invalid, len(files))), exitcodes.InvalidConfig)
}

func invalidities(invalid, files int) string {
	switch {
	case files == 1:
		return "1 file is invalid"
	case invalid == 1:
		return fmt.Sprintf("1 of %d files is invalid", files)
	}

	return fmt.Sprintf("%d of %d files are invalid", invalid, files)
}

// validateFile validates a report, known by its key "schema", or a gate file.
func validateFile(gs *state.GlobalState, file string) error {
	raw, err := read(gs, file)
	if err != nil {
		return err
	}
	switch kindOf(raw) {
	case aFileOfGates:
		f, err := gates(gs, file, raw)
		if err == nil && f.NoBaseline() != "" {
			err = unusable(file, errors.New(f.NoBaseline()))
		}

		return err
	case anotherObject:
		return unusable(file, errors.New(`neither a report, which has the key "schema", nor a file of gates, which has "absolute" or "relative"`))
	case aBaseline:
		if _, err := gate.ReadBaseline(raw); err != nil {
			return unusable(file, err)
		}

		return nil
	case aReport, noObject: // report.Read also explains invalid JSON
	}
	if _, err := report.Read(raw); err != nil {
		return unusable(file, err)
	}

	return nil
}

type kind int

const (
	noObject kind = iota
	anotherObject
	aReport
	aFileOfGates
	aBaseline
)

func kindOf(raw []byte) kind {
	raw, _ = report.UTF8(raw) // invalid files have no keys
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return noObject
	}
	schema, hasSchema := keys["schema"]
	var version string
	_ = json.Unmarshal(schema, &version) // an error means another kind
	_, absolute := keys["absolute"]
	_, relative := keys["relative"]
	switch {
	case version == gate.BaselineSchema:
		return aBaseline
	case hasSchema:
		return aReport
	case absolute || relative:
		return aFileOfGates
	}

	return anotherObject
}

// swapped returns an error for a file of the wrong kind in the arguments of gate, or nil.
func swapped(file string, raw []byte, taken kind) error {
	const order = "k6 x sweep gate takes the run first and then the gates"
	switch looks := kindOf(raw); {
	case taken == aReport && looks == aFileOfGates:
		return unusable(file, errors.New("it looks like a file of gates and not like a report: "+order))
	case taken == aReport && looks == aBaseline:
		return unusable(file, errors.New("it is a baseline and not a report: "+order))
	case taken == aFileOfGates && (looks == aReport || looks == aBaseline):
		return unusable(file, errors.New("it looks like a report and not like a file of gates: "+order))
	}

	return nil
}

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
