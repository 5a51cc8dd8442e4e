package machbase

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

type vu struct {
	*testutil.Runner

	t *testing.T
}

func newVU(t *testing.T, driver Driver) *vu {
	t.Helper()
	v := newInitVU(t, driver)
	v.Start(1)

	return v
}

// With nil, the option driver selects the driver.
func newInitVU(t *testing.T, driver Driver) *vu {
	t.Helper()
	root := New()
	if driver != nil {
		root = newModule(func(string) (Driver, error) { return driver, nil })
	}

	return &vu{testutil.NewRunner(t, ImportPath, root), t}
}

type thrown struct {
	Name, Message, Kind string
	Code                int64
}

func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "MachbaseError", e.Name, "%v", e)

	return thrown(e)
}

func serverURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("MACHBASE_URL")
	if url == "" {
		t.Fatal("MACHBASE_URL is not set; run scripts/servers.sh with machbase -- go test ./machbase/...")
	}

	return url
}

func newServerVU(t *testing.T) *vu {
	t.Helper()
	url := serverURL(t)
	t.Cleanup(func() { requireNoneLeft(t) })
	v := newVU(t, nil)
	v.Set("url", url)
	v.Run(`var client = new machbase.Client(url)`)

	return v
}

// TABLE in the statement stands for the name.
func (v *vu) table(create string) string {
	v.t.Helper()
	tables++
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), tables)
	v.Run(`client.exec(` + quote(strings.ReplaceAll(create, "TABLE", name)) + `)`)
	v.Set("table", name)
	v.t.Cleanup(func() {
		v.Run(`client.close()`)
		require.Eventually(v.t, func() bool {
			return v.Run(`attempt(() => client.exec('drop table ` + name + `'))?.kind !== 'busy'`).(bool)
		}, 20*time.Second, 50*time.Millisecond)
		v.Run(`client.close()`)
	})

	return name
}

var tables int

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}

	return string(raw)
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	testutil.RequireNoneLeft(t, "machbase.connect")
}
