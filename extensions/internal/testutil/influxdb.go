package testutil

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// InfluxDBRow is a row of a query's result by column; times are in nanoseconds.
type InfluxDBRow map[string]any

// Number returns a numeric column, or 0 without a value.
func (r InfluxDBRow) Number(tb testing.TB, column string) float64 {
	tb.Helper()
	if r[column] == nil {
		return 0
	}
	number, is := r[column].(json.Number)
	require.True(tb, is, column)
	n, err := number.Float64()
	require.NoError(tb, err, column)

	return n
}

// Time returns the row's time in nanoseconds.
func (r InfluxDBRow) Time(tb testing.TB) int64 {
	tb.Helper()
	number, is := r["time"].(json.Number)
	require.True(tb, is)
	n, err := number.Int64()
	require.NoError(tb, err)

	return n
}

// Text returns a text column, or "" without a value.
func (r InfluxDBRow) Text(column string) string {
	text, _ := r[column].(string)

	return text
}

// QueryInfluxDB runs an InfluxQL query on the database at an address such as
// http://host:port/database. Tags of GROUP BY become columns.
func QueryInfluxDB(tb testing.TB, address, query string) (rows []InfluxDBRow) {
	tb.Helper()
	u, err := url.Parse(address)
	require.NoError(tb, err)
	asked := url.Values{"q": {query}, "db": {strings.TrimPrefix(u.Path, "/")}, "epoch": {"ns"}}
	u.Path, u.RawQuery = "/query", ""
	response, err := http.PostForm(u.String(), asked)
	require.NoError(tb, err)
	defer response.Body.Close() //nolint:errcheck // it was only read

	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	var answer struct {
		Error   string
		Results []struct {
			Error  string
			Series []struct {
				Tags    map[string]string
				Columns []string
				Values  [][]any
			}
		}
	}
	require.NoError(tb, decoder.Decode(&answer))
	require.Empty(tb, answer.Error, query)
	require.NotEmpty(tb, answer.Results, query)
	for _, result := range answer.Results {
		require.Empty(tb, result.Error, query)
		for _, series := range result.Series {
			for _, values := range series.Values {
				row := InfluxDBRow{}
				for name, value := range series.Tags {
					row[name] = value
				}
				for i, column := range series.Columns {
					row[column] = values[i]
				}
				rows = append(rows, row)
			}
		}
	}

	return rows
}
