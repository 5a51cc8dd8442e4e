// Command history shows what `k6 x sweep history` and `bisect` find, on noise that was recorded on
// a machine, and writes it to the page of docs.
//
//	go run ./scripts/proof/history                           judge the recorded noise, write the page
//	go run ./scripts/proof/history -record 240               record on a quiet machine before
//	go run ./scripts/proof/history -record 240 -neighbour    beside a process that takes a processor
//
// picture.sh makes the picture of the docs, of a page that -page writes.
//
// A recording takes some ten minutes. One that was stopped is gone on with; without its file,
// noise-quiet.csv or noise-neighbour.csv, it begins anew.
//
// With OTAVA_PYTHON, the Python of an environment in which apache-otava is installed, Otava finds
// its change points in the same data.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// folder is that of this command, from the repository's.
const folder = "scripts/proof/history"

// figuresPage is the one that has the figures.
const figuresPage = "extensions/sweep/history/README.md"

// The figures are between these lines of the page.
const (
	begins = "<!-- figures: scripts/proof/history -->"
	ends   = "<!-- end of figures -->"
)

func main() {
	runs := flag.Int("record", 0, "record noise until there are so many `runs`")
	neighbour := flag.Bool("neighbour", false, "record beside a process that takes a processor in bursts")
	spins := flag.Bool("spin", false, "be that process, until standard input ends")
	picture := flag.String("page", "", "write the page of a made-up history to this `file`, and nothing else")
	flag.Parse()
	if *spins {
		spin()

		return
	}
	do := func() error { return prove(*runs, *neighbour) }
	if *picture != "" {
		do = func() error {
			noise, err := readNoise(filepath.Join(folder, "noise-loaded.csv"))
			if err != nil {
				return err
			}

			return writePage(*picture, calm(noise.columns["p50"]))
		}
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func prove(runs int, neighbour bool) error {
	if runs > 0 {
		name, command := "noise-quiet.csv", fmt.Sprintf("go run ./%s -record %d", folder, runs)
		work := func() error { return record(runs, filepath.Join(folder, name), command) }
		do := func(work func() error) error { return work() }
		if neighbour {
			name, command, do = "noise-neighbour.csv", command+" -neighbour", withNeighbour
		}
		if err := do(work); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "noise-*.csv"))
	if err != nil {
		return err
	}
	var recordings []*recording
	for _, file := range files {
		r, err := readNoise(file)
		if err != nil {
			return err
		}
		recordings = append(recordings, r)
	}
	text, err := tables(recordings)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(figuresPage)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(raw), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the figures", figuresPage)
	}
	fmt.Print(text)

	return os.WriteFile(figuresPage, []byte(before+begins+"\n\n"+text+"\n"+ends+after), 0o600)
}
