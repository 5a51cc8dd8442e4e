package deployment

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)

	return raw
}

func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(strings.NewReader(string(read(t, "Dockerfile.k6"))))
	require.NoError(t, err)
	require.Empty(t, parsed.Warnings)
	lint := linter.New(&linter.Config{
		ExperimentalAll: true,
		Warn: func(rule, _, url, message string, at []parser.Range) {
			t.Errorf("Dockerfile.k6, line %d: %s: %s (%s)", at[0].Start.Line, rule, message, url)
		},
	})
	found, _, err := instructions.Parse(parsed.AST, lint)
	require.NoError(t, err)

	return found
}

func imageOf(stage instructions.Stage) (labels, env map[string]string, user string) {
	labels, env = map[string]string{}, map[string]string{}
	for _, command := range stage.Commands {
		switch c := command.(type) {
		case *instructions.LabelCommand:
			for _, l := range c.Labels {
				labels[l.Key] = l.Value
			}
		case *instructions.EnvCommand:
			for _, e := range c.Env {
				env[e.Key] = e.Value
			}
		case *instructions.UserCommand:
			user = c.User
		}
	}

	return labels, env, user
}

func TestImage(t *testing.T) {
	all := stages(t)
	labels, env, user := imageOf(all[len(all)-1])
	require.Equal(t, "false", env["K6_AUTO_EXTENSION_RESOLUTION"])
	require.Regexp(t, regexp.MustCompile(`^[1-9]\d+:[1-9]\d+$`), user, "not root, and as numbers: Kubernetes cannot check names")
	for _, name := range []string{"title", "description", "source", "licenses", "version", "revision", "base.name"} {
		require.NotEmpty(t, labels["org.opencontainers.image."+name], name)
	}
}

// The steps of the first stage need only the files that .dockerignore includes; the binary is the
// same each time.
func TestBuildStepsInACleanFolder(t *testing.T) {
	src := filepath.Join(t.TempDir(), "src")
	first := buildIn(t, src)
	version, err := exec.CommandContext(t.Context(), filepath.Join(src, "bin/k6-xk6"), "version").Output()
	require.NoError(t, err)
	require.Contains(t, string(version), "k6/x/sweep")
	require.NoError(t, os.RemoveAll(src))
	require.Equal(t, first, buildIn(t, src), "the same folder, the same binary")
}

func buildIn(t *testing.T, src string) [sha256.Size]byte {
	t.Helper()
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "GOFLAGS=") })
	env = append(env, "TARGETOS=", "TARGETARCH=")
	for _, command := range stages(t)[0].Commands {
		switch c := command.(type) {
		case *instructions.EnvCommand:
			for _, e := range c.Env {
				if e.Key != "GOCACHE" { // this machine's has most of it compiled
					env = append(env, e.Key+"="+e.Value)
				}
			}
		case *instructions.CopyCommand:
			require.Empty(t, c.From)
			for _, from := range c.SourcePaths {
				copyContext(t, from, filepath.Join(src, c.DestPath))
			}
		case *instructions.RunCommand:
			require.True(t, c.PrependShell)
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(c.CmdLine, " "))
			cmd.Dir, cmd.Env = src, env
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", c.CmdLine, out)
		case *instructions.ArgCommand, *instructions.WorkdirCommand:
		default:
			t.Fatalf("the test knows no %s", command.Name())
		}
	}
	raw, err := os.ReadFile(filepath.Join(src, "bin/k6-xk6"))
	require.NoError(t, err)

	return sha256.Sum256(raw)
}

func copyContext(t *testing.T, from, to string) {
	t.Helper()
	patterns, err := ignorefile.ReadAll(strings.NewReader(string(read(t, ".dockerignore"))))
	require.NoError(t, err)
	ignored, err := patternmatcher.New(patterns)
	require.NoError(t, err)

	copied := 0
	err = filepath.WalkDir(filepath.Join(root, from), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if out, err := ignored.MatchesOrParentMatches(name); err != nil || out {
			return err
		}
		copied++
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		mode := fs.FileMode(0o600)
		if info, failed := entry.Info(); failed == nil && info.Mode()&0o100 != 0 {
			mode = 0o700
		}
		into := filepath.Join(to, below)
		if below == "." && !entry.IsDir() && filepath.Base(to) != filepath.Base(from) {
			into = filepath.Join(to, filepath.Base(from))
		}

		return errors.Join(err, os.MkdirAll(filepath.Dir(into), 0o750), os.WriteFile(into, raw, mode))
	})
	require.NoError(t, err)
	require.Positive(t, copied, "%s is in no context", from)
}
