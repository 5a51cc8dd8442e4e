package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

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
