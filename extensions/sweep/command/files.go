package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// maxFile is larger than any report, in bytes.
const maxFile = 256 << 20

func read(gs *state.GlobalState, file string) ([]byte, error) {
	f, err := gs.FS.Open(file)
	if err != nil {
		return nil, notDone(file, err)
	}
	defer f.Close() //nolint:errcheck // it was only read

	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, notDone(file, err)
	}
	if len(raw) > maxFile {
		return nil, unusable(file, fmt.Errorf("the file has more than %d MiB", maxFile>>20))
	}

	return raw, nil
}

func readReport(gs *state.GlobalState, file string) (*report.Report, error) {
	raw, err := read(gs, file)
	if err != nil {
		return nil, err
	}

	return parseReport(file, raw)
}

func parseReport(file string, raw []byte) (*report.Report, error) {
	r, err := report.Read(raw)
	if err != nil {
		return nil, unusable(file, err)
	}

	return r, nil
}

func readReports(gs *state.GlobalState, files []string) ([]*report.Report, error) {
	reports := make([]*report.Report, len(files))
	for i, file := range files {
		var err error
		if reports[i], err = readReport(gs, file); err != nil {
			return nil, err
		}
	}

	return reports, nil
}

func readBaseline(gs *state.GlobalState, file string) (*gate.Baseline, error) {
	raw, err := read(gs, file)
	if err != nil {
		return nil, err
	}
	b, err := gate.ReadBaseline(raw)
	if err != nil {
		return nil, unusable(file, err)
	}

	return b, nil
}

func gates(gs *state.GlobalState, file string, raw []byte) (*gate.File, error) {
	f, err := gate.Parse(raw)
	if err != nil {
		return nil, unusable(file, err)
	}
	if err := f.LoadBaseline(file, func(path string) ([]byte, error) { return fsext.ReadFile(gs.FS, path) }); err != nil {
		return nil, unusable(file, err)
	}

	return f, nil
}

// write writes to a file and creates its folder, or writes to standard output if file is empty. It
// does not overwrite its sources.
func write(gs *state.GlobalState, file string, contents []byte, sources ...string) error {
	if file == "" {
		if _, err := gs.Stdout.Write(contents); err != nil {
			return notDone("standard output", err)
		}

		return nil
	}
	for _, source := range sources {
		if sameFile(gs, source, file) {
			return unusable(file, fmt.Errorf("it would be overwritten with what is made of it: choose another file"))
		}
	}
	if err := files.Write(gs.FS, file, contents); err != nil {
		return notDone(file, err)
	}

	return nil
}

// sameFile reports whether two names refer to the same file, including through links. For missing
// files it compares the paths.
func sameFile(gs *state.GlobalState, a, b string) bool {
	infoA, errA := gs.FS.Stat(a)
	infoB, errB := gs.FS.Stat(b)
	if errA == nil && errB == nil && os.SameFile(infoA, infoB) {
		return true
	}
	pathA, errA := filepath.Abs(a)
	pathB, errB := filepath.Abs(b)

	return errA == nil && errB == nil && pathA == pathB
}

// show prints a result as JSON or as text.
func show(gs *state.GlobalState, asJSON bool, value any, text string) error {
	if !asJSON {
		return write(gs, "", []byte(text))
	}
	contents, err := indented(value)
	if err != nil {
		return notDone("standard output", err)
	}

	return write(gs, "", contents)
}

func indented(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // gate names contain ">="
	err := encoder.Encode(value)

	return b.Bytes(), err
}
