package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

// html is the format that has a package of its own.
const html = "html"

func newReport(gs *state.GlobalState) *cobra.Command {
	var format, out string
	formats := formats()
	cmd := &cobra.Command{
		Use:   "report RUN [--format FORMAT] [-o FILE]",
		Short: "Render a run as a table, a page or for other tools",
		Long: `Render the report of a run:

  md      the published table, for people and Markdown
  html    one page with plots, which needs nothing from elsewhere
  csv     one line a step and operation, for spreadsheets
  bench   Go's benchmark format, for benchstat
  junit   XML, for build servers
  json    the report itself

It is written to standard output, or to the file that -o names.

Exit codes: 0, or 104 when a file cannot be used.`,
		Example: `  k6 x sweep report results/rollup.json
  k6 x sweep report results/rollup.json --format html -o rollup.html
  k6 x sweep report results/rollup.json --format bench | benchstat /dev/stdin`,
		Args: needs(1, 1, "one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, format) {
				return wrongUse(cmd, fmt.Errorf("unknown format %q: it must be one of %s", format, strings.Join(formats, ", ")))
			}

			return render(gs, args[0], format, out)
		},
	}
	cmd.Flags().StringVar(&format, "format", "md", "`format`: "+strings.Join(formats, ", "))
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write to instead of standard output")

	return cmd
}

// formats are the names of all formats.
func formats() []string {
	names := make([]string, 0, 1+len(report.Formats))
	names = append(names, html)
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	slices.Sort(names)

	return slices.Compact(names)
}

func render(gs *state.GlobalState, file, format, out string) error {
	r, err := readReport(gs, file)
	if err != nil {
		return err
	}
	var contents []byte
	if format == html {
		var b bytes.Buffer
		err = page.Render(&b, r)
		contents = b.Bytes()
	} else {
		contents, err = r.Render(format)
	}
	if err != nil {
		return unusable(file, err)
	}

	return write(gs, out, contents, file)
}
