package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func eachStart(file *ast.File, found func(fn ast.Expr)) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			found(n.Call.Fun)
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			switch {
			case !ok || len(n.Args) == 0:
			case called.Sel.Name == "AfterFunc", called.Sel.Name == "Go" && len(n.Args) == 1, called.Sel.Name == "SetClosedHandler":
				found(n.Args[len(n.Args)-1])
			}
		}

		return true
	})
}

// make test runs these rooms without the race detector.
func TestSequentialRoomsStartNoGoroutine(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?m)^sequential := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	require.NotNil(t, list)
	rooms := strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", ""))
	require.Greater(t, len(rooms), 5)
	for _, room := range rooms {
		files, err := filepath.Glob(filepath.Join("../..", room, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, room)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			require.NoError(t, err)
			eachStart(file, func(fn ast.Expr) {
				t.Errorf("%s: a goroutine begins here: take %s from the Makefile's sequential", set.Position(fn.Pos()), room)
			})
		}
	}
}
