//go:build servers

package machbase

import (
	"context"
	"net"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type watchedDriver struct {
	nativeDriver

	// passed holds files and functions, such as "machbase/native.go Query".
	passed map[string]bool
}

func (d *watchedDriver) Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error) {
	return d.nativeDriver.Open(ctx, cfg, func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)

		return &watchedConn{conn, d}, err
	})
}

type watchedConn struct {
	net.Conn

	driver *watchedDriver
}

func (c *watchedConn) Write(b []byte) (int, error) {
	c.driver.note()

	return c.Conn.Write(b)
}

func (c *watchedConn) Read(b []byte) (int, error) {
	c.driver.note()

	return c.Conn.Read(b)
}

var (
	functionName = regexp.MustCompile(`(\w+)(\[\.\.\.\])?(\.func\d+|\.\d+|-fm)*$`)
	walkRow      = regexp.MustCompile("(?m)^\\| \\[`[^`]+`\\]\\(([^)]+)\\) \\| ([^|]+) \\|")
)

func (d *watchedDriver) note() {
	var passed []string
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		frame, more := frames.Next()
		_, file, ours := strings.Cut(frame.File, "/extensions/")
		if ours && !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "internal/testutil/") {
			passed = append(passed, file+" "+functionName.FindStringSubmatch(frame.Function)[1])
		}
		if !more {
			break
		}
	}
	if slices.Contains(passed, "machbase/cmi/rows.go Close") {
		return
	}
	for _, p := range passed {
		d.passed[p] = true
	}
}

// README.md lists exactly the files that a query passes.
func TestServerWalkOfAQuery(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	told := map[string][]string{}
	for _, row := range walkRow.FindAllStringSubmatch(string(page), -1) {
		told[path.Join("machbase", row[1])] = regexp.MustCompile(`\w+`).FindAllString(row[2], -1)
	}
	require.NotEmpty(t, told)

	driver := &watchedDriver{passed: map[string]bool{}}
	v := newVU(t, driver)
	v.Set("url", serverURL(t))
	v.Run(`var client = new machbase.Client(url); client.connect()`)
	t.Cleanup(func() { v.Run(`client.close()`) })
	clear(driver.passed)
	v.Run("for (let i = 0; i < 3; i++) client.query('select name from m$sys_tables where name = ? limit 1', ['none'])")

	seen := map[string]bool{}
	for passed := range driver.passed {
		file, function, _ := strings.Cut(passed, " ")
		require.Contains(t, told, file, "%s is on the way", passed)
		seen[file] = true
		if slices.Contains(told[file], function) {
			seen[passed] = true
		}
	}
	for file, functions := range told {
		if !seen[file] {
			require.Equal(t, "machbase/cmi/request.go", file, "it is on the way, and on no stack: it fills the buffer")

			continue
		}
		if driver.passed[file+" Methods"] { // a function in a method of a generic type has the name of the type
			continue
		}
		require.True(t, slices.ContainsFunc(functions, func(name string) bool { return seen[file+" "+name] }), "%s: %v", file, functions)
	}
}
