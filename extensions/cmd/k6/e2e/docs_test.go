package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptionsOnPagesExist(t *testing.T) {
	t.Parallel()
	helps := map[string]string{}
	shown := 0
	for place, block := range blocks(t, "sh", "bash", "console") {
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
			subcommand, arguments := ofK6(words(line))
			if subcommand == "" {
				continue
			}
			if helps[subcommand] == "" {
				helps[subcommand] = k6Help(t, subcommand)
			}
			for _, argument := range arguments {
				option, _, _ := strings.Cut(argument, "=")
				if strings.HasPrefix(option, "-") {
					require.Regexp(t, `(?m)(^|[\s,])`+regexp.QuoteMeta(option)+`\b`, helps[subcommand], "%s: %s", place, line)
					shown++
				}
			}
		}
	}
	require.Greater(t, shown, 20)
}

func blocks(t *testing.T, languages ...string) map[string]string {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--", "*.md").Output()
	require.NoError(t, err)
	fence := regexp.MustCompile("(?ms)^ *```(\\w+)$\n(.*?)^ *```$")
	found := map[string]string{}
	for _, page := range strings.Fields(string(listed)) {
		raw, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for i, block := range fence.FindAllSubmatch(raw, -1) {
			if slices.Contains(languages, string(block[1])) {
				found[fmt.Sprintf("%s, block %d", page, i+1)] = string(block[2])
			}
		}
	}
	require.NotEmpty(t, found)

	return found
}

func words(line string) []string {
	line, _, _ = strings.Cut(" "+line, " #")

	return regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1)
}

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

	if others := slices.Index(words, "--"); others >= 0 { // after -- comes another command
		words = words[:others]
	}

	return subcommand, words
}

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

// k6 can load the scripts on the pages, and accepts their options.
func TestScriptsOnPagesLoad(t *testing.T) {
	t.Parallel()
	scripts := 0
	for place, text := range blocks(t, "js") {
		if !strings.Contains(text, "export default ") { // a fragment of a script
			continue
		}
		file := filepath.Join(t.TempDir(), "script.js")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), "inspect", "--execution-requirements",
			"--include-system-env-vars", file)
		cmd.Env = append(os.Environ(), "MACHBASE_URL=machbase://sys:manager@127.0.0.1:1", "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", fmt.Sprintf("%s: %s", place, out))
		scripts++
	}
	require.GreaterOrEqual(t, scripts, 4)
}

// The duet of duets.md runs as it is, and its gates stop a server that is ten times slower.
func TestDuetOfPage(t *testing.T) {
	t.Parallel()
	const page = "extensions/sweep/duets.md, block "
	script := userScript(t, "shop.js", blocks(t, "js")[page+"2"])
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(script), "gates.json"), []byte(blocks(t, "json")[page+"3"]), 0o600))
	after := func(latency time.Duration) string {
		url, _ := httpServer(t, func(http.ResponseWriter, *http.Request) { time.Sleep(latency) })

		return url
	}
	r := k6(t, options{script: script, env: with(noMachbase, map[string]string{
		"BASE_URL": after(2 * time.Millisecond), "HTTP_URL": after(20 * time.Millisecond), "DURATION": "3s", "WARMUP": "100ms", "GATES": "gates.json",
	})})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Contains(t, r.output, "gate crossed: ops/s of every step >= ")
	require.Contains(t, r.output, "; crossed: p50 of every step <= ")
}
