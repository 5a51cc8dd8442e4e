package sqlmachbase_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func TestMalformedNames(t *testing.T) {
	for _, name := range []string{
		"",
		"machbase://",
		"machbase:sys:geheim@host",
		"postgres://sys:geheim@host",
		"sys:geheim@host:5656",
		"machbase://sys:geheim@",
		"machbase://sys:geheim@:5656",
		"machbase://sys:geheim@host:port",
		"machbase://sys:12/geheim@host",
		"machbase://sys:12?geheim@host",
		"machbase://sys:12?timeout=geheim@host",
		"machbase://sys:12#geheim@host",
		"machbase://sys:geh%eim@host",
		"machbase://sys:geheim\n@host",
		"machbase://sys:geheim@host/database",
		"machbase://sys:geheim@host?timeout=%zz",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sqlmachbase.NewConnector(name)
			require.ErrorContains(t, err, "the url must look like machbase://user:password@host:port?timeout=5s, where")
			requireOneLine(t, err)
			_, err = sqlmachbase.Driver{}.Open(name)
			require.ErrorContains(t, err, "the url must look like")
		})
	}
}

func TestBadOptions(t *testing.T) {
	const prefix = "in the url cannot be "
	const port = "port must be from 1 to 65535 in a url such as machbase://user:password@host:port"
	for options, want := range map[string]string{
		":0?":                          port,
		":65536":                       port,
		"?sslmode=off":                 `unknown option "sslmode" in the url; known are alternatives, connectTimeout, driver, fetchRows, queryTimeout, statementCache, timeout`,
		"?timeout=0":                   `timeout must be more than 0, not 0s`,
		"?timeout=5":                   `option timeout ` + prefix + `"5": timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		"?queryTimeout=30":             `option queryTimeout ` + prefix + `"30": queryTimeout 30 could be seconds or milliseconds: write '30s' or '30ms'`,
		"?timeout=-5s":                 `timeout must be more than 0, not -5s`,
		"?timeout=NaN":                 `option timeout ` + prefix + `"NaN": it must be a time such as 5s or 300ms`,
		"?timeout=1e300":               `option timeout ` + prefix + `"1e300": it must be a time such as 5s or 300ms`,
		"?timeout=d":                   `option timeout ` + prefix + `"d": it must be a time such as 5s or 300ms`,
		"?timeout=1d-1h":               `option timeout ` + prefix + `"1d-1h": it must be a time such as 5s or 300ms`,
		"?timeout=200000d":             `option timeout ` + prefix + `"200000d": it must be a time such as 5s or 300ms`,
		"?timeout=2000000h":            `option timeout ` + prefix + `"2000000h": it must be a time such as 5s or 300ms`,
		"?connectTimeout=soon":         `option connectTimeout ` + prefix + `"soon": it must be a time such as 5s or 300ms`,
		"?connectTimeout=0":            `connectTimeout must be more than 0, not 0s`,
		"?queryTimeout=-1":             `queryTimeout must be more than 0, or 0 for none, not -1ms`,
		"?statementCache=perhaps":      `statementCache must be "off", "auto" or "on", not "perhaps"`,
		"?fetchRows=0":                 `fetchRows must be at least 1, not 0`,
		"?fetchRows=many":              `option fetchRows ` + prefix + `"many": it must be an integer`,
		"?alternatives=host":           `alternatives must be host:port, not "host"`,
		"?alternatives=a:1,":           `alternatives must be host:port, not ""`,
		"?driver=machgo":               `database/sql has only the driver "native", not "machgo"`,
		"?driver=machgo&driver=native": "",
	} {
		t.Run(options, func(t *testing.T) {
			_, err := sqlmachbase.NewConnector("machbase://sys:geheim@host" + options)
			if want == "" {
				require.NoError(t, err)

				return
			}
			require.EqualError(t, err, want)
		})
	}
}

// The context has already ended, so nothing is looked up; the error names the address.
func TestAddresses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, want := range map[string]string{
		"machbase://host.invalid":                     "host.invalid:5656",
		"machbase://sys:geheim@host.invalid:1/":       "host.invalid:1",
		"machbase://sys:geh@eim@host.invalid:1":       "host.invalid:1",
		"machbase://sys:geheim@[::1]:2?timeout=1d12h": "[::1]:2",
		"machbase://sys:geheim@[::1]?timeout=1d&connectTimeout=1500&queryTimeout=0.5s&fetchRows=7&statementCache=auto": "[::1]:5656",
	} {
		t.Run(name, func(t *testing.T) {
			connector, err := sqlmachbase.Driver{}.OpenConnector(name)
			require.NoError(t, err)
			require.Equal(t, sqlmachbase.Driver{}, connector.Driver())
			_, err = connector.Connect(ctx)
			require.EqualError(t, err, "the call was cancelled: cannot connect to "+want)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())

	return listener.Addr().String()
}

func FuzzNewConnector(f *testing.F) {
	for _, seed := range []string{"", "@", "/", "?", "#", "%", "%zz", ":", "@host?timeout=", "@host/?x=1&", "\n", "\x00", "[", "@[::1", "?a=%40", ";", "\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, middle string) {
		if _, err := sqlmachbase.NewConnector("machbase://user:" + secret + middle + secret + "@host"); err != nil {
			requireOneLine(t, err)
		}
		if _, err := sqlmachbase.NewConnector(middle); err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
		_, err := sqlmachbase.NewConnector("machbase://host?timeout=" + middle + "&queryTimeout=" + middle + "&fetchRows=" + middle)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
