package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	declaredType = regexp.MustCompile(`^\s*(?:export )?(?:class|interface) (\w+)`)
	declaredCall = regexp.MustCompile(`^\s+(?:export )?(?:function )?(\w+)\??(?:<[^>]*>)?\(`)
)

// undocumented returns the functions and methods without a doc comment. Further overloads need
// none.
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

// Editors show the comments in index.d.ts.
func TestDeclarationsCarryTheDocs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "extensions", "*", "index.d.ts"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 8)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, undocumented(string(raw)), file)
		module := filepath.Base(filepath.Dir(file))
		require.Regexp(t, `(?s)/\*\*.{200,}?\*/\ndeclare module 'k6/x/`+module+`' \{`, string(raw))
	}
}
