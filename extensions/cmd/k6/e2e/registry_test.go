package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// registryEntry has the manually written keys of an entry in grafana/k6-extension-registry; its
// schema allows no others.
type registryEntry struct {
	Module      string
	Description string
	Tier        string
	Imports     []string
	Outputs     []string
	Subcommands []string
	Versions    []string
}

func TestRegistryEntryMatchesTheBinary(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, ".github/k6-extension-registry.yaml"))
	require.NoError(t, err)
	var entries []registryEntry
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&entries))
	require.Len(t, entries, 1)
	entry := entries[0]
	require.NotEmpty(t, entry.Description)
	require.Equal(t, "community", entry.Tier)
	require.NotEmpty(t, entry.Versions)
	for _, version := range entry.Versions {
		require.Regexp(t, `^v\d+\.\d+\.\d+`, version)
	}
	log, err := os.ReadFile(filepath.Join(root, ".github/CHANGELOG.md"))
	require.NoError(t, err)
	require.Contains(t, string(log), "\n## "+entry.Versions[len(entry.Versions)-1][1:]+"\n")

	out, err := exec.Command(binary(t, "k6-race"), "version").Output()
	require.NoError(t, err)
	has := map[string][]string{}
	for _, found := range regexp.MustCompile(regexp.QuoteMeta(entry.Module)+` \S+, (\S+) \[(\w+)\]`).FindAllStringSubmatch(string(out), -1) {
		has[found[2]] = append(has[found[2]], found[1])
	}
	// extensions/sql is a separate module.
	has["js"] = slices.DeleteFunc(has["js"], func(name string) bool { return regexp.MustCompile(`^k6/x/sql`).MatchString(name) })
	require.ElementsMatch(t, entry.Imports, has["js"])
	require.ElementsMatch(t, entry.Outputs, has["output"])
	require.ElementsMatch(t, entry.Subcommands, has["subcommand"])
}
