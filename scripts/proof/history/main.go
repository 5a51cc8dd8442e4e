// Command history shows what `k6 x sweep history` and `bisect` find, on noise that was recorded on
// a machine, and writes it to the page of docs.
//
//	go run ./scripts/proof/history                judge the recorded noise, write the page
//	go run ./scripts/proof/history -record 400    record the noise anew, which takes two minutes
//
// With OTAVA_PYTHON, the Python of an environment in which apache-otava is installed, Otava finds
// its change points in the same data.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// folder is that of this command, from the repository's.
const folder = "scripts/proof/history"

// page is the one that has the figures.
const page = "extensions/sweep/history/README.md"

// The figures are between these lines of the page.
const (
	begins = "<!-- figures: scripts/proof/history -->"
	ends   = "<!-- end of figures -->"
)

func main() {
	runs := flag.Int("record", 0, "record the noise of so many runs anew")
	flag.Parse()
	if err := prove(*runs); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func prove(runs int) error {
	file := filepath.Join(folder, "noise.csv")
	if runs > 0 {
		var recorded bytes.Buffer
		if err := record(runs, &recorded); err != nil {
			return err
		}
		if err := os.WriteFile(file, recorded.Bytes(), 0o600); err != nil {
			return err
		}
	}
	noise, err := readNoise(file)
	if err != nil {
		return err
	}
	text, err := tables(noise)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(raw), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the figures", page)
	}
	fmt.Print(text)

	return os.WriteFile(page, []byte(before+begins+"\n\n"+text+"\n"+ends+after), 0o600)
}
