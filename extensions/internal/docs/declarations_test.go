package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	declaredType = regexp.MustCompile(`^\s*(?:export )?(?:class|interface) (\w+)`)
	declaredCall = regexp.MustCompile(`^\s+(?:export )?(?:function )?(\w+)\??(?:<[^>]*>)?\(`)
)

// undocumented are the functions and methods of declarations above which nothing stands that an
// editor could show. Further forms of a documented one need nothing.
func undocumented(text string) (names []string) {
	owner, before, previous := "", "", ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if found := declaredType.FindStringSubmatch(line); found != nil {
			owner, previous = found[1], ""
		}
		isComment := strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/")
		if found := declaredCall.FindStringSubmatch(line); found != nil && !isComment && found[1] != "constructor" {
			if !strings.HasSuffix(before, "*/") && found[1] != previous {
				names = append(names, fmt.Sprintf("%s.%s", owner, found[1]))
			}
			previous = found[1]
		}
		before = trimmed
	}

	return names
}

func TestUndocumentedIsFound(t *testing.T) {
	text := `declare module 'k6/x/a' {
  export class Client {
    constructor(url: string);
    /** Gets. */
    get(key: string): string;
    get<T>(
      key: string,
    ): T;
    asyncGet(key: string): Promise<string>;
    /**
     * set(key)
     */
    set(key: string): void;
  }
  export interface Other {
    get(): void;
  }
}
`
	require.Equal(t, []string{"Client.asyncGet", "Other.get"}, undocumented(text))
}

// Editors show what stands above a function in index.d.ts. The root's index.d.ts, the list of modules
// in extensions/README.md and register.go have the same modules.
func TestDeclarationsCarryTheDocs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "extensions", "*", "index.d.ts"))
	require.NoError(t, err)
	var declared []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, undocumented(string(raw)), file)
		module := filepath.Base(filepath.Dir(file))
		require.Regexp(t, `(?s)/\*\*.{200,}?\*/\ndeclare module 'k6/x/`+module+`' \{`, string(raw), "it begins with what the module is")
		declared = append(declared, module)
	}
	require.GreaterOrEqual(t, len(declared), 7)
	slices.Sort(declared)

	all := func(name, pattern string) (modules []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, name), -1) {
			modules = append(modules, found[1])
		}
		slices.Sort(modules)

		return modules
	}
	require.Equal(t, declared, all("index.d.ts", `<reference path="extensions/(\w+)/index\.d\.ts" />`))
	registered := slices.DeleteFunc(all("register.go", `xk6-sweep/extensions/(\w+)"`), func(module string) bool {
		return !strings.Contains(read(t, "extensions/"+module+"/register.go"), "modules.Register(")
	})
	registered = append(registered, "sql") // a module of its own
	slices.Sort(registered)
	require.Equal(t, declared, registered)
	require.Equal(t, declared, all("extensions/README.md", "\n\\| \\[?`k6/x/(\\w+)`"))
}
