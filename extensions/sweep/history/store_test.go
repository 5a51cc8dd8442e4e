package history

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func record(n int) *Record {
	return &Record{
		Schema: Schema, Commit: Commit{ID: fmt.Sprintf("%040d", n), Time: time.Unix(int64(n), 0).UTC()}, Scenario: "cache",
		Started: time.Unix(int64(1000+n), 0).UTC(), Setup: map[string]string{"host.cores": "2"},
		Steps: []Step{{Key: report.Key{Op: "get", Clients: 1}, Repeats: 4, Figures: map[string]float64{"p50": 1}}},
	}
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, err := Git(t.Context(), dir, nil, nil, "init", "-q", "-b", "main")
	require.NoError(t, err)

	return dir
}

func stores(t *testing.T) map[string]Store {
	t.Helper()

	return map[string]Store{
		"folder": Folder(filepath.Join(t.TempDir(), "a", "b")),
		"branch": Branch{Dir: repository(t), Ref: "refs/heads/bench"},
	}
}

func TestRecordsAreKeptOnce(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			raw, err := s.Read(t.Context())
			require.NoError(t, err)
			require.Empty(t, raw)
			for range 2 {
				for n := range 3 {
					_, err := s.Add(t.Context(), record(n))
					require.NoError(t, err)
				}
			}
			added, err := s.Add(t.Context(), record(1))
			require.NoError(t, err)
			require.False(t, added)
			raw, err = s.Read(t.Context())
			require.NoError(t, err)
			records, notes := Parse(raw)
			require.Empty(t, notes)
			require.Len(t, records, 3)
			require.Equal(t, *record(2), records[2])
		})
	}
}

func TestSeveralAddAtOnce(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			const writers, each = 6, 3
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := range each {
						added, err := s.Add(t.Context(), record(w*each+i))
						if err != nil || !added {
							t.Errorf("added %t: %v", added, err)
						}
					}
				})
			}
			all.Wait()
			raw, err := s.Read(t.Context())
			require.NoError(t, err)
			records, notes := Parse(raw)
			require.Empty(t, notes)
			seen := map[string]bool{}
			for _, r := range records {
				seen[r.ID] = true
			}
			require.Len(t, seen, writers*each)
			require.Len(t, records, writers*each)
		})
	}
}

func TestABranchKeepsWhatElseIsThere(t *testing.T) {
	dir := repository(t)
	git := func(args ...string) string {
		t.Helper()
		out, err := Git(t.Context(), dir, []string{
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		}, nil, args...)
		require.NoError(t, err)

		return string(out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), []byte("hello"), 0o600))
	git("add", "README")
	git("commit", "-qm", "first")
	git("branch", "bench")
	before := git("status", "--porcelain") + git("rev-parse", "main")
	branch := Branch{Dir: dir, Ref: "refs/heads/bench"}
	added, err := branch.Add(t.Context(), record(1))
	require.NoError(t, err)
	require.True(t, added)
	require.Equal(t, before, git("status", "--porcelain")+git("rev-parse", "main"))
	require.Equal(t, "README\nhistory.jsonl\n", git("ls-tree", "--name-only", "bench"))
	require.Equal(t, "2\n", git("rev-list", "--count", "bench"))
	require.NoFileExists(t, filepath.Join(dir, File))

	at, err := CommitAt(t.Context(), dir, "main")
	require.NoError(t, err)
	require.Equal(t, "first", at.Subject)
	require.Equal(t, strings.TrimSpace(git("rev-parse", "main")), at.ID)
	require.WithinDuration(t, time.Now(), at.Time, time.Hour)
}

func TestPlacesThatCannotBeUsed(t *testing.T) {
	_, err := Branch{Dir: repository(t), Ref: "bad..name"}.Add(t.Context(), record(1))
	require.EqualError(t, err, `"bad..name" is no name of a branch: it must be such as refs/heads/bench`)
	_, err = Branch{Dir: t.TempDir(), Ref: "refs/heads/bench"}.Add(t.Context(), record(1))
	require.ErrorContains(t, err, "not a git repository")
	_, err = CommitAt(t.Context(), repository(t), "HEAD")
	require.Error(t, err)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Folder(file).Add(t.Context(), record(1))
	require.Error(t, err)
}

func TestALineThatWasCutOffIsEnded(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(Folder(dir).String(), []byte(`{"schema":"xk6`), 0o600))
	added, err := Folder(dir).Add(t.Context(), record(1))
	require.NoError(t, err)
	require.True(t, added)
	raw, err := Folder(dir).Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(raw, []byte("\n")))
	records, notes := Parse(raw)
	require.Len(t, records, 1)
	require.Len(t, notes, 1)
}

func runIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	identity := []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost"}
	out, err := Git(t.Context(), dir, identity, nil, args...)
	require.NoError(t, err)

	return strings.TrimSpace(string(out))
}

// upstream returns a repository with a branch of records next to main.
func upstream(t *testing.T) string {
	t.Helper()
	dir := repository(t)
	runIn(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	runIn(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	_, err := Branch{Dir: dir, Ref: "refs/heads/bench"}.Add(t.Context(), record(1))
	require.NoError(t, err)

	return dir
}

// A clone adds records on top of the remote's branch, so that they can be pushed.
func TestABranchOfTheRemoteGoesOn(t *testing.T) {
	from, clone := upstream(t), t.TempDir()
	runIn(t, clone, "clone", "-q", "file://"+from, ".")
	b := Branch{Dir: clone, Ref: "refs/heads/bench"}
	raw, err := b.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(raw, []byte("\n")), "the remote's records are read")
	added, err := b.Add(t.Context(), record(2))
	require.NoError(t, err)
	require.True(t, added)
	runIn(t, clone, "push", "-q", "origin", "bench")
	require.Equal(t, "2", runIn(t, from, "rev-list", "--count", "bench"))
}

// A clone of one branch lacks the remote's branch, and a new root commit could not be pushed.
func TestAShallowCloneIsToldWhatToFetch(t *testing.T) {
	from, clone := upstream(t), t.TempDir()
	runIn(t, clone, "clone", "-q", "--depth", "1", "--single-branch", "file://"+from, ".")
	b := Branch{Dir: clone, Ref: "refs/heads/bench"}
	const fetch = "git fetch --depth 1 origin refs/heads/bench:refs/heads/bench"
	_, err := b.Add(t.Context(), record(2))
	require.EqualError(t, err, "the branch bench is on origin, but not in this clone: fetch it first, "+fetch)
	_, err = b.Read(t.Context())
	require.ErrorContains(t, err, fetch)

	runIn(t, clone, strings.Fields(fetch)[1:]...)
	added, err := b.Add(t.Context(), record(2))
	require.NoError(t, err)
	require.True(t, added)
	runIn(t, clone, "push", "-q", "origin", "bench")

	runIn(t, clone, "remote", "set-url", "origin", "file://"+filepath.Join(clone, "gone"))
	_, err = Branch{Dir: clone, Ref: "refs/heads/other"}.Add(t.Context(), record(2))
	require.ErrorContains(t, err, "the branch other may be on origin, which cannot be asked (git ls-remote: fatal: ")
}

// git log shows signatures if the user's settings ask for them.
func TestSettingsOfTheUserDoNotMatter(t *testing.T) {
	dir := repository(t)
	tree := runIn(t, dir, "write-tree")
	signed := "tree " + tree + "\nauthor a <a@localhost> 1700000000 +0000\ncommitter a <a@localhost> 1700000000 +0000\n" +
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\nsigned\n"
	out, err := Git(t.Context(), dir, nil, []byte(signed), "hash-object", "-t", "commit", "-w", "--stdin")
	require.NoError(t, err)
	runIn(t, dir, "update-ref", "refs/heads/main", strings.TrimSpace(string(out)))
	for _, set := range [][]string{{"log.showSignature", "true"}, {"color.ui", "always"}} {
		runIn(t, dir, append([]string{"config"}, set...)...)
	}
	require.NotEqual(t, "signed", strings.TrimSpace(outputOf(t, dir, "log", "-1", "--format=%s")), "this git shows signatures")
	at, err := CommitAt(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Equal(t, "signed", at.Subject)
	require.Equal(t, strings.TrimSpace(string(out)), at.ID)
}

func outputOf(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)

	return string(out)
}

// git prints the reason first, then advice.
func TestTheReasonIsGitsFirst(t *testing.T) {
	_, err := Git(t.Context(), repository(t), []string{"GIT_TEST_ASSUME_DIFFERENT_OWNER=1"}, nil, "rev-parse", "HEAD")
	require.ErrorContains(t, err, "git rev-parse: fatal: detected dubious ownership in repository at")
	require.NotContains(t, err.Error(), "\n")
}
