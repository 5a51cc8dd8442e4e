package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/docs"
)

// Options of k6 and of its subcommands that the pages of the repository show are those that it has.
// The rest of the pages' commands is tested in extensions/internal/docs, without k6.
func TestOptionsInPagesAreThoseOfK6(t *testing.T) {
	t.Parallel()
	pages, err := docs.Pages(root)
	require.NoError(t, err)
	helps := map[string]string{}
	shown := 0
	for _, page := range pages {
		for _, command := range page.Commands() {
			subcommand, arguments := ofK6(command.Words)
			if subcommand == "" {
				continue
			}
			if helps[subcommand] == "" {
				helps[subcommand] = k6Help(t, subcommand)
			}
			for _, argument := range arguments {
				option, _, _ := strings.Cut(argument, "=")
				if strings.HasPrefix(option, "-") {
					require.Regexp(t, `(?m)(^|[\s,])`+regexp.QuoteMeta(option)+`\b`, helps[subcommand],
						"%s:%d: %q", command.Page, command.Line, command.Words)
					shown++
				}
			}
		}
	}
	require.Greater(t, shown, 20)
}

// ofK6 finds a command of k6 in words, such as those behind the -- of servers.sh: its subcommand,
// and its arguments.
func ofK6(words []string) (subcommand string, arguments []string) {
	at := slices.IndexFunc(words, func(word string) bool { return word == "bin/k6" || word == "k6" || word == "bin/k6-drivers" })
	if at < 0 || len(words) < at+2 {
		return "", nil
	}
	words = words[at+1:]
	isName := regexp.MustCompile(`^[a-z]+$`).MatchString
	for len(words) > 0 && isName(words[0]) && !strings.HasSuffix(subcommand, "run") && (strings.Count(subcommand, " ") < 2 || subcommand == "x sweep history") {
		subcommand = strings.TrimSpace(subcommand + " " + words[0])
		words = words[1:]
	}

	if others := slices.Index(words, "--"); others >= 0 { // what follows is a command of its own
		words = words[:others]
	}

	return subcommand, words
}

// k6Help is what k6 prints about a subcommand, which has to be one.
func k6Help(t *testing.T, subcommand string) string {
	t.Helper()
	arguments := append(strings.Fields(subcommand), "--help")
	cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), arguments...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	help, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", help)
	require.Contains(t, string(help), "k6-race "+subcommand+" ", "it is one of k6's")

	return string(help)
}

// k6 can read the scripts in the pages, and their options are right.
func TestScriptsInPagesCanBeRun(t *testing.T) {
	t.Parallel()
	pages, err := docs.Pages(root)
	require.NoError(t, err)
	scripts := 0
	for _, page := range pages {
		for _, block := range page.Blocks() {
			text := strings.Join(block.Lines, "\n")
			if block.Language != "js" || !strings.Contains(text, "export default ") { // a piece of one
				continue
			}
			file := filepath.Join(t.TempDir(), "script.js")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), "inspect", "--execution-requirements",
				"-e", "MACHBASE_URL=machbase://sys:manager@127.0.0.1:1", file)
			cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", fmt.Sprintf("%s:%d: %s", page.Path, block.First, out))
			scripts++
		}
	}
	require.GreaterOrEqual(t, scripts, 4)
}
