package testutil

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// InfluxDBURL returns the address and database of the InfluxDB that all tests share. The test fails
// without one.
func InfluxDBURL(tb testing.TB) string {
	tb.Helper()

	return sharedAddr(tb, "INFLUXDB_URL", "influxdb")
}

// InfluxDB is an InfluxDB 1 of one test.
type InfluxDB struct {
	*Server

	Address string // http://host:port
}

// StartInfluxDB starts an InfluxDB. section are lines for its section [http], such as
// "auth-enabled = true".
func StartInfluxDB(tb testing.TB, section ...string) *InfluxDB {
	tb.Helper()
	dir, addr := tb.TempDir(), freeAddr(tb)
	settings := fmt.Sprintf(`reporting-enabled = false
bind-address = "127.0.0.1:0"
[meta]
  dir = "%[1]s/meta"
[data]
  dir = "%[1]s/data"
  wal-dir = "%[1]s/wal"
[monitor]
  store-enabled = false
[http]
  bind-address = "%[2]s"
  log-enabled = false
  %[3]s
`, dir, addr, strings.Join(section, "\n  "))
	config := filepath.Join(dir, "influxdb.conf")
	require.NoError(tb, os.WriteFile(config, []byte(settings), 0o600))
	s := &Server{
		Addr: addr, tb: tb, program: findProgram(tb, "influxd", "INFLUXDB_PID", "influxdb"), args: []string{"-config", config},
		ready: func() error {
			response, err := http.Get("http://" + addr + "/ping")
			if err != nil {
				return err
			}

			return response.Body.Close()
		},
	}

	return &InfluxDB{s.start(), "http://" + addr}
}
