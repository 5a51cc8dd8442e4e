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
		"geheim",
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
		"?timeout=0":                   `option timeout ` + prefix + `"0": it must be more than 0, such as 500ms or 5s`,
		"?timeout=5":                   `option timeout ` + prefix + `"5": timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		"?queryTimeout=30":             `option queryTimeout ` + prefix + `"30": queryTimeout 30 could be seconds or milliseconds: write '30s' or '30ms'`,
		"?timeout=-5s":                 `option timeout ` + prefix + `"-5s": it must be more than 0, such as 500ms or 5s`,
		"?timeout=NaN":                 `option timeout ` + prefix + `"NaN": it must be more than 0, such as 500ms or 5s`,
		"?timeout=1e300":               `option timeout ` + prefix + `"1e300": it must be more than 0, such as 500ms or 5s`,
		"?timeout=d":                   `option timeout ` + prefix + `"d": it must be more than 0, such as 500ms or 5s`,
		"?timeout=1d-1h":               `option timeout ` + prefix + `"1d-1h": it must be more than 0, such as 500ms or 5s`,
		"?timeout=200000d":             `option timeout ` + prefix + `"200000d": it must be more than 0, such as 500ms or 5s`,
		"?timeout=2000000h":            `option timeout ` + prefix + `"2000000h": it must be more than 0, such as 500ms or 5s`,
		"?connectTimeout=soon":         `option connectTimeout ` + prefix + `"soon": it must be more than 0, such as 500ms or 5s`,
		"?queryTimeout=-1":             `option queryTimeout ` + prefix + `"-1": it must be more than 0, such as 5s, or 0 for none`,
		"?statementCache=perhaps":      `option statementCache ` + prefix + `"perhaps": it must be "off", "auto" or "on"`,
		"?fetchRows=0":                 `option fetchRows ` + prefix + `"0": it must be an integer of at least 1`,
		"?fetchRows=many":              `option fetchRows ` + prefix + `"many": it must be an integer of at least 1`,
		"?alternatives=host":           `option alternatives ` + prefix + `"host": it must be host:port, or several with commas between them`,
		"?alternatives=a:1,":           `option alternatives ` + prefix + `"a:1,": it must be host:port, or several with commas between them`,
		"?driver=machgo":               `option driver ` + prefix + `"machgo": database/sql has only "native"`,
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
