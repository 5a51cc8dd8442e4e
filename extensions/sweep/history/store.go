package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
)

// File is the name of the file of records.
const File = "history.jsonl"

const patience = 30 * time.Second

// Folder keeps records in a file of a folder, which the first record creates.
type Folder string

// String returns the file's path.
func (f Folder) String() string { return filepath.Join(string(f), File) }

// Read returns the contents of the file; nil if there is none.
func (f Folder) Read() ([]byte, error) {
	raw, err := os.ReadFile(f.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	return raw, err
}

// Add appends the record under a lock. added is false if the run is there already.
func (f Folder) Add(ctx context.Context, r *Record) (added bool, err error) {
	if err := os.MkdirAll(string(f), 0o750); err != nil {
		return false, err
	}
	release, err := claim(ctx, filepath.Join(string(f), "."+File+".adding"))
	if err != nil {
		return false, err
	}
	defer release()
	contents, err := f.Read()
	if err != nil {
		return false, err
	}
	line, added, err := Append(contents, r)
	if err != nil || !added {
		return false, err
	}
	file, err := os.OpenFile(f.String(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return false, err
	}
	_, err = file.Write(line) // one call, because some systems have no locks
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}

	return err == nil, err
}

func claim(ctx context.Context, path string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if release, ok := files.Claim(path); ok {
			return release, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("somebody else adds to it for more than %s", patience)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// git runs git in a folder, independent of the user's settings for colours and signatures. Its
// error is the first reason that git printed.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	neutral := []string{"-c", "color.ui=false", "-c", "log.showSignature=false", "-c", "core.pager=cat"}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(neutral, args)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if reason := firstReason(problems.String()); reason != "" {
			err = errors.New(reason)
		}

		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}

	return out.Bytes(), nil
}

func firstReason(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return line
		}
	}

	return lines[0]
}

// CommitAt resolves a name such as HEAD in the repository of a folder.
func CommitAt(ctx context.Context, dir, name string) (Commit, error) {
	out, err := git(ctx, dir, "log", "-1", "--format=%H%n%cI%n%s", name, "--")
	if err != nil {
		return Commit{}, err
	}
	parts := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 3)
	if len(parts) < 3 {
		return Commit{}, fmt.Errorf("git knows no commit %q", name)
	}
	at, err := time.Parse(time.RFC3339, parts[1])
	if err != nil {
		return Commit{}, err
	}

	return Commit{ID: parts[0], Time: at.UTC(), Subject: parts[2]}, nil
}
