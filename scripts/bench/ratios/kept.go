package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp says what rounds were measured with. Rounds of one stamp can stand in one table.
type stamp struct {
	// Programs is a checksum of k6 and of the programs beside it.
	Programs string `json:"programs"`
	Machine  string `json:"machine"`
	// Servers are the versions of the servers.
	Servers []string `json:"servers"`
	// Seconds is how long a step takes, roughly.
	Seconds float64 `json:"seconds"`
	// Commit is the one that the first round was measured on. It is told and not compared.
	Commit string `json:"commit"`
}

// differs says what is another than in an older stamp; empty when nothing is.
func (s *stamp) differs(old *stamp) string {
	switch {
	case s.Programs != old.Programs:
		return fmt.Sprintf("k6 or a program beside it has changed since %s", old.Commit)
	case s.Machine != old.Machine:
		return fmt.Sprintf("the machine was %q", old.Machine)
	case !slices.Equal(s.Servers, old.Servers):
		return fmt.Sprintf("the servers were %q", strings.Join(old.Servers, ", "))
	case s.Seconds != old.Seconds:
		return fmt.Sprintf("its steps took %g s", old.Seconds)
	default:
		return ""
	}
}

// measuredPrograms are the files that a stamp has the checksum of. Some need not be there.
var measuredPrograms = []string{ //nolint:gochecknoglobals // a constant
	k6, k6Drivers, "bin/caches", "bin/floor", "bin/floor-epoll", "bin/native", "bin/nats",
}

// stampNow is the stamp of what is measured now with these servers.
func stampNow(servers []string, seconds float64) (*stamp, error) {
	sum := sha256.New()
	for _, file := range measuredPrograms {
		f, err := os.Open(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	s := &stamp{Programs: hex.EncodeToString(sum.Sum(nil))[:16], Machine: machine(), Seconds: seconds, Commit: "unknown"}
	for _, server := range servers {
		version, err := versionOf(server)
		if err != nil {
			return nil, fmt.Errorf("the version of %s: %w", server, err)
		}
		s.Servers = append(s.Servers, version)
	}
	if commit, err := commitOf("."); err == nil {
		s.Commit = commit
	}

	return s, nil
}

// commitOf is the commit of a checkout, marked as dirty where a file differs from it. The bench's
// own pages may: each part writes them.
func commitOf(checkout string) (string, error) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", checkout}, args...)...).Output()

		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("describe", "--always", "--exclude=*")
	if err != nil {
		return "", err
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no", "--", ":(top)",
		":(top,exclude)"+ownPage, ":(top,exclude)"+frontPage, ":(top,exclude)"+ownRuns)
	if changed != "" {
		commit += "-dirty"
	}

	return commit, err
}

// ledger keeps the rounds of a part in a file, a line of JSON each, as soon as each is over. Its
// first line is the stamp.
type ledger struct {
	file        string
	stamp       stamp
	cells       map[string][]json.RawMessage
	first, last time.Time
}

// line is a line of the file but the first.
type line struct {
	Cell  string          `json:"cell"`
	At    time.Time       `json:"at"`
	Round json.RawMessage `json:"round"`
}

// openLedger opens the file of a part, or begins one. A file of another stamp is put aside, and
// anew says why; without a stamp, any will do.
func openLedger(folder, part string, s *stamp) (l *ledger, anew string, err error) {
	l = &ledger{file: filepath.Join(folder, part+".jsonl"), cells: map[string][]json.RawMessage{}}
	if s != nil {
		l.stamp = *s
	}
	raw, err := os.ReadFile(l.file)
	switch {
	case errors.Is(err, os.ErrNotExist) && s == nil:
		return l, "", nil
	case errors.Is(err, os.ErrNotExist):
		return l, "", l.begin()
	case err != nil:
		return nil, "", err
	}
	first, rest, _ := bytes.Cut(raw, []byte("\n"))
	var old stamp
	if err := json.Unmarshal(first, &old); err != nil {
		return nil, "", fmt.Errorf("%s: its first line is no stamp: %w", l.file, err)
	}
	if s != nil {
		if anew = s.differs(&old); anew != "" {
			return l, anew, errors.Join(os.Rename(l.file, l.file+".old"), l.begin())
		}
	}
	l.stamp = old
	lines := bufio.NewScanner(bytes.NewReader(rest))
	lines.Buffer(nil, len(rest)+1)
	for lines.Scan() {
		var one line
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue // the program was killed while it wrote the line
		}
		l.note(one)
	}

	return l, "", lines.Err()
}

func (l *ledger) begin() error {
	raw, err := json.Marshal(l.stamp)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o750); err != nil {
		return err
	}

	return os.WriteFile(l.file, append(raw, '\n'), 0o600)
}

func (l *ledger) note(one line) {
	l.cells[one.Cell] = append(l.cells[one.Cell], one.Round)
	if l.first.IsZero() {
		l.first = one.At
	}
	l.last = one.At
}

// add keeps a round of a cell.
func (l *ledger) add(cell string, round any) error {
	raw, err := json.Marshal(round)
	if err != nil {
		return err
	}
	one := line{Cell: cell, At: time.Now().UTC().Truncate(time.Second), Round: raw}
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// A line that was cut off ends here: it is no JSON then, and this one is.
	_, err = f.Write(slices.Concat([]byte("\n"), text, []byte("\n")))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	l.note(one)

	return nil
}

// least is the number of rounds of the cell that has the fewest of them.
func (l *ledger) least() int {
	least := 0
	for _, rounds := range l.cells {
		if least == 0 || len(rounds) < least {
			least = len(rounds)
		}
	}

	return least
}
