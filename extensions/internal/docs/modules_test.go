package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var registered = regexp.MustCompile(`_ "github\.com/xk6-sweep/xk6-sweep/extensions/([^"]+)"`)

// modules returns the folders of the k6 modules in the root Go module: they call modules.Register
// and have no go.mod.
func modules(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "extensions/*/*.go"))
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		folder := filepath.Dir(file)
		_, err = os.Stat(filepath.Join(folder, "go.mod"))
		if strings.Contains(string(raw), "modules.Register(") && os.IsNotExist(err) {
			names = append(names, filepath.Base(folder))
		}
	}

	return names
}

func missing(t *testing.T, module string) (places []string) {
	t.Helper()
	folder, name := path.Join("extensions", module), "k6/x/"+module
	var imported []string
	for _, found := range registered.FindAllStringSubmatch(read(t, "register.go"), -1) {
		imported = append(imported, found[1])
	}
	examples, err := filepath.Glob(filepath.Join(root, folder, "examples/*.js"))
	require.NoError(t, err)
	has := func(file, text string) bool { return exists(file) && strings.Contains(read(t, file), text) }
	for place, there := range map[string]bool{
		"an import in register.go":                      slices.Contains(imported, module),
		"a declaration in " + folder + "/index.d.ts":    has(folder+"/index.d.ts", "declare module '"+name+"'"),
		"a script in " + folder + "/examples":           len(examples) > 0,
		"a reference in index.d.ts":                     has("index.d.ts", `path="`+folder+`/index.d.ts"`),
		"an import in examples/smoke.js":                has("examples/smoke.js", "from '"+name+"'"),
		"a row in the table of extensions/README.md":    has("extensions/README.md", "| [`"+name+"`](") || has("extensions/README.md", "| `"+name+"`"),
		"its path, as ImportPath, in a file of its own": strings.Contains(readAll(t, folder), `ImportPath = "`+name+`"`),
	} {
		if !there {
			places = append(places, place)
		}
	}
	slices.Sort(places)

	return places
}

func readAll(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	below, err := filepath.Glob(filepath.Join(root, folder, "*", "*.go"))
	require.NoError(t, err)
	files = append(files, below...)
	var all strings.Builder
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(raw)
	}

	return all.String()
}

func TestModulesAreListed(t *testing.T) {
	all := modules(t)
	require.GreaterOrEqual(t, len(all), 7)
	for _, module := range all {
		require.Empty(t, missing(t, module), module)
	}
	require.Len(t, missing(t, "no-module"), 7, "all that a module needs")
}

// k6/x/sql must not be listed: it is a separate Go module.
func TestListsOfModulesNameModules(t *testing.T) {
	all := modules(t)
	for _, reference := range regexp.MustCompile(`path="extensions/([^/"]+)/index\.d\.ts"`).FindAllStringSubmatch(read(t, "index.d.ts"), -1) {
		require.Contains(t, all, reference[1], "index.d.ts")
	}
	for _, imported := range regexp.MustCompile(`from 'k6/x/([^']+)'`).FindAllStringSubmatch(read(t, "examples/smoke.js"), -1) {
		require.Contains(t, all, imported[1], "examples/smoke.js")
	}
}
