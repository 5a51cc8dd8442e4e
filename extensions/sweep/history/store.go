package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

// Store keeps the records of a history.
type Store interface {
	// Add adds a record. added is false if the run is there already.
	Add(ctx context.Context, r *Record) (added bool, err error)
	// Read returns the contents of the file; nil if there is no record.
	Read(ctx context.Context) ([]byte, error)
	// String names the place.
	String() string
}

const patience = 30 * time.Second

// Folder keeps records in a file of a folder, which the first record creates.
type Folder string

// String returns the file's path.
func (f Folder) String() string { return filepath.Join(string(f), File) }

// Read returns the contents of the file.
func (f Folder) Read(context.Context) ([]byte, error) {
	raw, err := os.ReadFile(f.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	return raw, err
}

// Add appends the record under a lock.
func (f Folder) Add(ctx context.Context, r *Record) (added bool, err error) {
	if err := os.MkdirAll(string(f), 0o750); err != nil {
		return false, err
	}
	release, err := claim(ctx, filepath.Join(string(f), "."+File+".adding"))
	if err != nil {
		return false, err
	}
	defer release()
	contents, err := f.Read(ctx)
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

// Branch keeps records in a file of a git branch, which the first record creates. The work tree and
// the index do not change.
type Branch struct {
	Dir string
	Ref string
}

// String returns branch and file.
func (b Branch) String() string { return b.Ref + ":" + File }

// Read returns the file in the branch's newest commit.
func (b Branch) Read(ctx context.Context) ([]byte, error) {
	tip, _, err := b.tip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}

	return b.contents(ctx, tip)
}

func (b Branch) contents(ctx context.Context, commit string) ([]byte, error) {
	listed, err := b.git(ctx, nil, nil, "ls-tree", commit, "--", ":(top)"+File)
	if err != nil || len(listed) == 0 {
		return nil, err
	}

	return b.git(ctx, nil, nil, "cat-file", "blob", commit+":"+File)
}

func (b Branch) head(ctx context.Context) (string, error) {
	if _, err := b.git(ctx, nil, nil, "check-ref-format", b.Ref); err != nil {
		return "", fmt.Errorf("%q is no name of a branch: it must be such as refs/heads/bench", b.Ref)
	}
	out, err := b.git(ctx, nil, nil, "for-each-ref", "--format=%(objectname)", b.Ref)

	return strings.TrimSpace(string(out)), err
}

// tip returns the parent for the next record, and the branch's own newest commit. If the branch
// exists only at a remote, the remote-tracking branch is the tip, as for git switch. If it was not
// fetched, tip returns an error with the git command: a commit without it could not be pushed. Both
// are "" if the branch does not exist.
func (b Branch) tip(ctx context.Context) (tip, head string, err error) {
	if head, err = b.head(ctx); err != nil || head != "" {
		return head, head, err
	}
	short, is := strings.CutPrefix(b.Ref, "refs/heads/")
	if !is {
		return "", "", nil
	}
	remotes, err := b.git(ctx, nil, nil, "remote")
	if err != nil {
		return "", "", err
	}
	for _, remote := range strings.Fields(string(remotes)) {
		tracked, err := b.git(ctx, nil, nil, "for-each-ref", "--format=%(objectname)", "refs/remotes/"+remote+"/"+short)
		if err != nil {
			return "", "", err
		}
		if tip = strings.TrimSpace(string(tracked)); tip != "" {
			return tip, "", nil
		}
		listed, err := b.git(ctx, nil, nil, "ls-remote", "--heads", remote, b.Ref)
		if err != nil || len(listed) > 0 {
			why := "is on " + remote + ", but not in this clone"
			if err != nil {
				why = "may be on " + remote + ", which cannot be asked (" + err.Error() + ")"
			}

			return "", "", fmt.Errorf("the branch %s %s: fetch it first, git fetch --depth 1 %s %s:%s", short, why, remote, b.Ref, b.Ref)
		}
	}

	return "", "", nil
}

// Add commits the file with the record. It tries again if the branch has moved.
func (b Branch) Add(ctx context.Context, r *Record) (added bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		added, moved, err := b.try(ctx, r)
		if err != nil || !moved {
			return added, err
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("others have added to it for %s without a pause", patience)
		case <-time.After(time.Duration(1+rand.IntN(50)) * time.Millisecond):
		}
	}
}

// try commits once. moved is set if the branch has moved.
func (b Branch) try(ctx context.Context, r *Record) (added, moved bool, err error) {
	tip, head, err := b.tip(ctx)
	if err != nil {
		return false, false, err
	}
	var contents []byte
	if tip != "" {
		if contents, err = b.contents(ctx, tip); err != nil {
			return false, false, err
		}
	}
	line, added, err := Append(contents, r)
	if err != nil || !added {
		return false, false, err
	}
	commit, err := b.commit(ctx, tip, append(contents, line...), r)
	if err != nil {
		return false, false, err
	}
	old := head
	if old == "" {
		old = strings.Repeat("0", len(commit)) // it must not exist
	}
	if _, err = b.git(ctx, nil, nil, "update-ref", "-m", "history add", b.Ref, commit, old); err == nil {
		return true, false, nil
	}
	now, headErr := b.head(ctx)
	if headErr == nil && now != head || strings.Contains(err.Error(), ".lock") {
		return false, true, nil
	}

	return false, false, err
}

// commit creates a commit with the contents on top of head and returns its hash.
func (b Branch) commit(ctx context.Context, head string, contents []byte, r *Record) (string, error) {
	dir, err := os.MkdirTemp("", "sweep-history-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is the system's folder for such things
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if head != "" {
		if _, err := b.git(ctx, index, nil, "read-tree", head); err != nil {
			return "", err
		}
	}
	blob, err := b.git(ctx, nil, contents, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	entry := "100644," + strings.TrimSpace(string(blob)) + "," + File
	if _, err := b.git(ctx, index, nil, "update-index", "--add", "--cacheinfo", entry); err != nil {
		return "", err
	}
	tree, err := b.git(ctx, index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", strings.TrimSpace(string(tree)), "-m", fmt.Sprintf("%s: a run at %s", r.Scenario, r.Short())}
	if head != "" {
		args = append(args, "-p", head)
	}
	commit, err := b.git(ctx, b.author(ctx), nil, args...)

	return strings.TrimSpace(string(commit)), err
}

func (b Branch) author(ctx context.Context) []string {
	if _, err := b.git(ctx, nil, nil, "var", "GIT_COMMITTER_IDENT"); err == nil {
		return nil
	}

	return []string{
		"GIT_AUTHOR_NAME=k6 x sweep", "GIT_AUTHOR_EMAIL=sweep@localhost", "GIT_COMMITTER_NAME=k6 x sweep", "GIT_COMMITTER_EMAIL=sweep@localhost",
	}
}

func (b Branch) git(ctx context.Context, env []string, input []byte, args ...string) ([]byte, error) {
	return Git(ctx, b.Dir, env, input, args...)
}

// Git runs git in a folder, independent of the user's settings for colours and signatures. Its
// error is the first reason that git printed.
func Git(ctx context.Context, dir string, env []string, input []byte, args ...string) ([]byte, error) {
	neutral := []string{"-c", "color.ui=false", "-c", "log.showSignature=false", "-c", "core.pager=cat"}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(neutral, args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")...)
	cmd.Stdin = bytes.NewReader(input)
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
	out, err := Git(ctx, dir, nil, nil, "log", "-1", "--format=%H%n%cI%n%s", name, "--")
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
