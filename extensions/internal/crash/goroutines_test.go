package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All code in k6 must start goroutines, timers and context callbacks with crash.Contain or
// crash.Go.
func TestGoroutinesAreContained(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if isElsewhere(entry.Name()) {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files++
			for _, place := range uncontained(t, path) {
				t.Errorf("%s: a panic on this goroutine would end k6: begin it with defer crash.Contain", place)
			}
		}

		return nil
	}))
	require.Greater(t, files, 100)
}

// isElsewhere reports whether a folder's code is not in k6 or cannot import crash.
func isElsewhere(folder string) bool {
	return slices.Contains([]string{
		"drivers", "examples",
		"e2e", "testdata", "crash", "generate", "gatewaytest", "umemtest",
		"testutil",
	}, folder)
}

func uncontained(t *testing.T, path string) (places []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	require.NoError(t, err)
	methods := map[string]*ast.BlockStmt{}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			methods[fn.Name.Name] = fn.Body
		}
	}
	eachStart(file, func(fn ast.Expr) {
		if !isContained(fn, methods) {
			places = append(places, set.Position(fn.Pos()).String())
		}
	})

	return places
}

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

// isContained reports whether a function literal, or a function in the same file, defers
// crash.Contain.
func isContained(fn ast.Expr, methods map[string]*ast.BlockStmt) bool {
	var body *ast.BlockStmt
	switch f := fn.(type) {
	case *ast.FuncLit:
		body = f.Body
	case *ast.Ident:
		body = methods[f.Name]
	case *ast.SelectorExpr:
		body = methods[f.Sel.Name]
	}

	return body != nil && slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		deferred, ok := s.(*ast.DeferStmt)
		if !ok {
			return false
		}
		called, ok := deferred.Call.Fun.(*ast.SelectorExpr)

		return ok && called.Sel.Name == "Contain"
	})
}
