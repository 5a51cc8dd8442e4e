package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

type reportOptions struct {
	format, out string
	// all writes all files of a run next to the report.
	all  bool
	list bool
}

func newReport(gs *state.GlobalState) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN... [--format FORMAT | --all] [-o FILE]",
		Short: "Render a run, or several side by side, as a table, a page, or for other tools",
		Long: "Render the report of a run:\n\n" + formatLines(helpOf) + `
Two to eight runs are compared side by side, as md or html: differences in parameters, target and host, their curves
together, and each figure as a ratio to the first run, with its interval and the verdict of compare. Scenarios may have
different names.

The report is written to standard output, or to the file of -o. --all writes all files of a run next to RUN, and the
table to standard output. --list prints the name and the file suffix of each format.

Exit codes: 0, 104 when a file is invalid, 1 when one cannot be read or written.`,
		Example: `  k6 x sweep report results/rollup.json
  k6 x sweep report results/rollup.json --format html -o rollup.html
  k6 x sweep report results/rollup.json --format bench | benchstat /dev/stdin
  k6 x sweep report results/rollup.json --all
  k6 x sweep report old.json new.json other.json --format html -o beside.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.list && len(args) == 0:
				return nil
			case o.list:
				return wrongUse(cmd, errors.New("--list takes no run"))
			}

			return needs(1, report.MostBeside, fmt.Sprintf("one run, or up to %d side by side", report.MostBeside))(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.list:
				return write(gs, "", []byte(formatLines(nameAndSuffix)))
			case !slices.Contains(page.FormatNames(), o.format):
				return wrongUse(cmd, fmt.Errorf("unknown format %q: it must be one of %s", o.format, sortedFormats()))
			case o.all && (o.out != "" || cmd.Flags().Changed("format")):
				return wrongUse(cmd, errors.New("--all writes the files of a run: --format and -o are for one"))
			case len(args) > 1 && o.all:
				return wrongUse(cmd, errors.New("--all writes the files of one run: name one, or leave --all out"))
			case len(args) > 1:
				return renderBeside(gs, cmd, args, o.format, o.out)
			case o.all:
				return renderAll(gs, args[0])
			}

			return render(gs, args[0], o.format, o.out)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", page.UsualFormat, "`format`: "+sortedFormats())
	completes(cmd, "format", page.FormatNames())
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`file` to write to instead of standard output")
	cmd.Flags().BoolVar(&o.all, "all", false, "write all files of a run next to it")
	cmd.Flags().BoolVar(&o.list, "list", false, "print the formats and their file suffixes")

	return cmd
}

func formatLines(line func(page.Format) string) string {
	var lines strings.Builder
	for _, f := range page.Formats {
		lines.WriteString(line(f) + "\n")
	}

	return lines.String()
}

func helpOf(f page.Format) string {
	width := 0
	for _, name := range page.FormatNames() {
		width = max(width, len(name))
	}

	return fmt.Sprintf("  %-*s  %s", width, f.Name, f.Help)
}

func nameAndSuffix(f page.Format) string { return f.Name + " " + f.Suffix }

func sortedFormats() string {
	names := page.FormatNames()
	slices.Sort(names)

	return strings.Join(names, ", ")
}

func render(gs *state.GlobalState, file, format, out string) error {
	r, err := readReport(gs, file)
	if err != nil {
		return err
	}
	contents, err := page.Render(r, format)
	if err != nil {
		return unusable(file, err)
	}

	return write(gs, out, contents, file)
}

// renderAll writes a run's other files, and the table to standard output.
func renderAll(gs *state.GlobalState, file string) error {
	r, err := readReport(gs, file)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	var set []files.File
	err = page.Each(r, func(suffix string, contents []byte) {
		if path := base + suffix; path != file {
			set = append(set, files.File{Path: path, Contents: contents})
		}
	})
	if err != nil {
		return unusable(file, err)
	}
	if err := files.WriteSet(gs.FS, set); err != nil {
		return unusable(filepath.Dir(file), err)
	}

	return write(gs, "", []byte(r.Markdown()))
}

func renderBeside(gs *state.GlobalState, cmd *cobra.Command, files []string, format, out string) error {
	at := slices.IndexFunc(page.Formats, func(f page.Format) bool { return f.Name == format })
	render := page.Formats[at].Beside
	if render == nil {
		names := make([]string, 0, len(page.Formats))
		for _, f := range page.OfSeveral() {
			names = append(names, f.Name)
		}
		slices.Sort(names)

		return wrongUse(cmd, fmt.Errorf("the format %q is for one run: several can be had as %s", format, strings.Join(names, " or ")))
	}
	reports, err := readReports(gs, files)
	if err != nil {
		return err
	}
	runs := make([]report.NamedRun, len(files))
	for i, name := range runNames(files) {
		runs[i] = report.NamedRun{Name: name, Report: reports[i]}
	}
	c, err := report.NewBeside(runs)
	if err != nil {
		return unusable(strings.Join(files, ", "), err)
	}
	contents, err := render(c)
	if err != nil {
		return unusable(strings.Join(files, ", "), err)
	}

	return write(gs, out, contents, files...)
}

// runNames returns short unique names of files: without folder and suffix, else the differing parts
// of their paths.
func runNames(files []string) []string {
	names := make([]string, len(files))
	paths := make([][]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		paths[i] = strings.Split(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(file)), filepath.Ext(file)), "/")
	}
	if differ(names) {
		return names
	}
	for _, from := range []func(path []string) int{
		func([]string) int { return 0 }, func(path []string) int { return len(path) - 1 },
	} {
		for !slices.ContainsFunc(paths, func(path []string) bool { return len(path) < 2 || path[from(path)] != paths[0][from(paths[0])] }) {
			for i, path := range paths {
				paths[i] = slices.Delete(path, from(path), from(path)+1)
			}
		}
	}
	for i, path := range paths {
		names[i] = strings.Join(path, "/")
	}
	if !differ(names) { // they differ in suffixes only, or are the same file
		return files
	}

	return names
}

func differ(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names)
}
