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
	runIn(t, dir, "init", "-q", "-b", "main")

	return dir
}

func folder(t *testing.T) Folder { t.Helper(); return Folder(filepath.Join(t.TempDir(), "a", "b")) }

func TestRecordsAreKeptOnce(t *testing.T) {
	f := folder(t)
	raw, err := f.Read()
	require.NoError(t, err)
	require.Empty(t, raw)
	for range 2 {
		for n := range 3 {
			_, err := f.Add(t.Context(), record(n))
			require.NoError(t, err)
		}
	}
	added, err := f.Add(t.Context(), record(1))
	require.NoError(t, err)
	require.False(t, added)
	raw, err = f.Read()
	require.NoError(t, err)
	records, notes := Parse(raw)
	require.Empty(t, notes)
	require.Len(t, records, 3)
	require.Equal(t, *record(2), records[2])
}

func TestSeveralAddAtOnce(t *testing.T) {
	const writers, each = 6, 3
	f := folder(t)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				added, err := f.Add(t.Context(), record(w*each+i))
				if err != nil || !added {
					t.Errorf("added %t: %v", added, err)
				}
			}
		})
	}
	all.Wait()
	raw, err := f.Read()
	require.NoError(t, err)
	records, notes := Parse(raw)
	require.Empty(t, notes)
	seen := map[string]bool{}
	for _, r := range records {
		seen[r.ID] = true
	}
	require.Len(t, seen, writers*each)
	require.Len(t, records, writers*each)
}

func TestCommitOfARepository(t *testing.T) {
	dir := repository(t)
	runIn(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	at, err := CommitAt(t.Context(), dir, "main")
	require.NoError(t, err)
	require.Equal(t, "first", at.Subject)
	require.Equal(t, runIn(t, dir, "rev-parse", "main"), at.ID)
	require.WithinDuration(t, time.Now(), at.Time, time.Hour)
}

func TestPlacesThatCannotBeUsed(t *testing.T) {
	_, err := CommitAt(t.Context(), repository(t), "HEAD")
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
	raw, err := Folder(dir).Read()
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(raw, []byte("\n")))
	records, notes := Parse(raw)
	require.Len(t, records, 1)
	require.Len(t, notes, 1)
}

func runIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	return strings.TrimSpace(string(out))
}

// git log shows signatures if the user's settings ask for them.
func TestSettingsOfTheUserDoNotMatter(t *testing.T) {
	dir := repository(t)
	tree := runIn(t, dir, "write-tree")
	signed := "tree " + tree + "\nauthor a <a@localhost> 1700000000 +0000\ncommitter a <a@localhost> 1700000000 +0000\n" +
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\nsigned\n"
	file := filepath.Join(t.TempDir(), "signed")
	require.NoError(t, os.WriteFile(file, []byte(signed), 0o600))
	commit := runIn(t, dir, "hash-object", "-t", "commit", "-w", file)
	runIn(t, dir, "update-ref", "refs/heads/main", commit)
	for _, set := range [][]string{{"log.showSignature", "true"}, {"color.ui", "always"}} {
		runIn(t, dir, append([]string{"config"}, set...)...)
	}
	require.NotEqual(t, "signed", runIn(t, dir, "log", "-1", "--format=%s"), "this git shows signatures")
	at, err := CommitAt(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Equal(t, "signed", at.Subject)
	require.Equal(t, commit, at.ID)
}

// git prints the reason first, then advice.
func TestTheReasonIsGitsFirst(t *testing.T) {
	dir := repository(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := git(t.Context(), dir, "rev-parse", "HEAD")
	require.ErrorContains(t, err, "git rev-parse: fatal: detected dubious ownership in repository at")
	require.NotContains(t, err.Error(), "\n")
}
