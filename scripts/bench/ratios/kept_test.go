package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// A page that the bench has written makes no other commit of it; a program that differs does.
func TestCommitOf(t *testing.T) {
	checkout := t.TempDir()
	git := func(args ...string) {
		args = append([]string{"-C", checkout, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	write := func(name, text string) {
		name = filepath.Join(checkout, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	pages := []string{ownPage, frontPage, ownRuns}
	for _, name := range append(pages, "program.go") {
		write(name, "before")
	}
	if _, err := commitOf(checkout); err == nil {
		t.Error("a folder outside of any repository has a commit")
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "all")
	is := func(pattern string) {
		t.Helper()
		commit, err := commitOf(checkout)
		if err != nil || !regexp.MustCompile(pattern).MatchString(commit) {
			t.Errorf("the commit is %q, %v; want %s", commit, err, pattern)
		}
	}
	is(`^[0-9a-f]{7,}$`)
	for _, name := range pages {
		write(name, "after")
	}
	write("results.json", "nobody has added it")
	is(`^[0-9a-f]{7,}$`)
	write("program.go", "after")
	is(`^[0-9a-f]{7,}-dirty$`)
}
