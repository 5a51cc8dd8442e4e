package machbase

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestConfig(t *testing.T) {
	with := func(change func(*Config)) Config {
		c := Config{
			Host: "127.0.0.1", Port: 5656, User: "sys", Driver: "native", Timeout: time.Minute, ConnectTimeout: 5 * time.Second,
			StatementCache: "off", FetchRows: 1000,
		}
		change(&c)

		return c
	}

	for _, test := range []struct {
		name, arguments string
		want            Config
	}{
		{"nothing", ``, with(func(*Config) {})},
		{"null", `null`, with(func(*Config) {})},
		{"no options", `{}`, with(func(*Config) {})},
		{"nullish options keep defaults", `{ timeout: null, user: undefined }`, with(func(*Config) {})},
		{"host of a url", `'machbase://db'`, with(func(c *Config) { c.Host = "db" })},
		{"a slash behind a url", `'machbase://db/'`, with(func(c *Config) { c.Host = "db" })},
		{"all of a url", `'machbase://joe:secret@db:1234?timeout=2s&connectTimeout=300ms&statementCache=auto&fetchRows=7&queryTimeout=4s&driver=machgo&alternatives=b:1,c:2'`,
			Config{
				Host: "db", Port: 1234, User: "joe", Password: "secret", Driver: "machgo", Alternatives: []string{"b:1", "c:2"},
				Timeout: 2 * time.Second, QueryTimeout: 4 * time.Second, ConnectTimeout: 300 * time.Millisecond, StatementCache: "auto", FetchRows: 7,
			}},
		{"a user without password", `'machbase://joe@db'`, with(func(c *Config) { c.Host, c.User = "db", "joe" })},
		{"escapes in user and password", `'machbase://j%20e:p%40%2F%3A%23%3Fw@db'`,
			with(func(c *Config) { c.Host, c.User, c.Password = "db", "j e", "p@/:#?w" })},
		{"IPv6", `'machbase://[::1]:99'`, with(func(c *Config) { c.Host, c.Port = "::1", 99 })},
		{"milliseconds in a url", `'machbase://db?timeout=1500'`,
			with(func(c *Config) { c.Host, c.Timeout = "db", 1500*time.Millisecond })},
		{"days in a url", `'machbase://db?timeout=1d2h'`, with(func(c *Config) { c.Host, c.Timeout = "db", 26*time.Hour })},
		{"the last of two in a url", `'machbase://db?fetchRows=1&fetchRows=2'`,
			with(func(c *Config) { c.Host, c.FetchRows = "db", 2 })},
		{"host and port", `'db:77'`, with(func(c *Config) { c.Host, c.Port = "db", 77 })},
		{"several in a string", `'machbase://joe:secret@db:1234,b:1,c'`, with(func(c *Config) {
			c.Host, c.Port, c.User, c.Password, c.Alternatives = "db", 1234, "joe", "secret", []string{"b:1", "c:5656"}
		})},
		{"several in an array", `['machbase://joe:secret@db:1234', 'machbase://joe:secret@b:1']`, with(func(c *Config) {
			c.Host, c.Port, c.User, c.Password, c.Alternatives = "db", 1234, "joe", "secret", []string{"b:1"}
		})},
		{"all options", `{ url: ['db:1234', 'b:1'], user: 'joe', password: 'secret', timeout: '2s', connectTimeout: 300,
			statementCache: 'on', fetchRows: 7, driver: 'machcli', queryTimeout: 1500 }`,
			Config{
				Host: "db", Port: 1234, User: "joe", Password: "secret", Driver: "machcli", Alternatives: []string{"b:1"},
				Timeout: 2 * time.Second, QueryTimeout: 2 * time.Second, ConnectTimeout: 300 * time.Millisecond, StatementCache: "on", FetchRows: 7,
			}},
		{"url as an option", `{ url: 'machbase://db:77' }`, with(func(c *Config) { c.Host, c.Port = "db", 77 })},
		{"options override the url", `'machbase://joe:secret@db:1234?timeout=2s&connectTimeout=2s&statementCache=auto&fetchRows=7',
			{ user: 'u', password: 'p', timeout: '1s', connectTimeout: '4s', statementCache: 'off', fetchRows: 9 }`,
			Config{
				Host: "db", Port: 1234, User: "u", Password: "p", Driver: "native", Timeout: time.Second,
				ConnectTimeout: 4 * time.Second, StatementCache: "off", FetchRows: 9,
			}},
		{"one option overrides the url's", `'machbase://joe:secret@db:1234?timeout=2s', { timeout: '3s' }`,
			with(func(c *Config) {
				*c = Config{
					Host: "db", Port: 1234, User: "joe", Password: "secret", Driver: "native", Timeout: 3 * time.Second,
					ConnectTimeout: c.ConnectTimeout, StatementCache: c.StatementCache, FetchRows: c.FetchRows,
				}
			})},
		{"a first argument that is not there", `undefined, { url: 'db' }`, with(func(c *Config) { c.Host = "db" })},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got Config
			v := newVU(t, &fakeDriver{open: func(c *Config) error { got = *c; return nil }})
			v.Run(`new machbase.Client(` + test.arguments + `).connect()`)
			require.Equal(t, test.want, got)
		})
	}
}

func TestConfigAddress(t *testing.T) {
	require.Equal(t, "db:1", (&Config{Host: "db", Port: 1}).Address())
	require.Equal(t, "[::1]:1", (&Config{Host: "::1", Port: 1}).Address())
}

func TestConfigErrors(t *testing.T) {
	const look = `new Client: the url must look like machbase://user:password@host:port?timeout=5s, ` +
		`where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C`
	known := func(name, value, why string) string {
		return fmt.Sprintf("new Client: option %s in the url cannot be %q: %s", name, value, why)
	}
	for _, test := range []struct{ arguments, want string }{
		{`'sys:secret@db:5656'`, look},
		{`'machbase://sys:a,b@db'`, look},
		{`'ftp://db'`, look},
		{`'machbase:db'`, look},
		{`'machbase://'`, look},
		{`'machbase://:5656'`, look},
		{`'machbase://db/path'`, look},
		{`'machbase://db:port'`, look},
		{`'machbase://db#fragment'`, look},
		{`'machbase://db?timeout=%zz'`, look},
		{`{ url: 'no sense' }`, look},
		{`'machbase://db:0'`, `new Client: port must be from 1 to 65535 in a url such as machbase://user:password@host:port`},
		{`'machbase://db:65536'`, `new Client: port must be from 1 to 65535 in a url such as machbase://user:password@host:port`},
		{`'machbase://a:x@db,machbase://b:x@c'`, `new Client: the urls name different users or passwords: the servers must have the same data`},
		{`'db', { url: 'db' }`, `new Client: the url is given twice: as the first argument and as option url`},
		{`'http://db'`, look},
		{`{ timeout: 5 }`, `new Client: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`},
		{`'db?timeout=5'`, known("timeout", "5", `timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`)},
		{`{ timeout: 0 }`, `new Client: timeout must be more than 0, not 0s`},
		{`{ timeout: '-1s' }`, `new Client: timeout must be more than 0, not -1s`},
		{`'machbase://db?timeout=0'`, `new Client: timeout must be more than 0, not 0s`},
		{`{ connectTimeout: '0s' }`, `new Client: connectTimeout must be more than 0, not 0s`},
		{`{ fetchRows: -5 }`, `new Client: fetchRows must be at least 1, not -5`},
		{`'machbase://db?fetchRows=0'`, `new Client: fetchRows must be at least 1, not 0`},
		{`{ statementCache: 'yes' }`, `new Client: statementCache must be "off", "auto" or "on", not "yes"`},
		{`'machbase://db?statementCache='`, `new Client: statementCache must be "off", "auto" or "on", not ""`},
		{`'machbase://db?tls=on'`,
			`new Client: unknown option "tls" in the url: Machbase's native protocol has no TLS`},
		{`'machbase://db?ssl=on'`,
			`new Client: unknown option "ssl" in the url; known are alternatives, connectTimeout, driver, fetchRows, queryTimeout, statementCache, timeout`},
		{`'machbase://db?timeout=soon'`, known("timeout", "soon", `it must be a time such as 5s or 300ms`)},
		{`'machbase://db?connectTimeout=x'`, known("connectTimeout", "x", `it must be a time such as 5s or 300ms`)},
		{`'machbase://db?fetchRows=many'`, known("fetchRows", "many", `it must be an integer`)},
		{`{ hst: 'db' }`, `new Client: unknown option "hst"; known are url, user, password, driver, ` +
			`timeout, connectTimeout, queryTimeout, statementCache, fetchRows`},
		{`{ fetchRows: '7' }`, `new Client: option fetchRows must be an integer, not a string`},
		{`{ password: 12345 }`, `new Client: option password must be a string, not a number`},
		{`42`, `new Client: options must be an object, not 42`},
		{`'machbase://db', 'machbase://db'`, `new Client: options must be an object, not a url`},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			e := v.fail(`new machbase.Client(` + test.arguments + `)`)
			require.Equal(t, thrown{"MachbaseError", test.want, k6x.KindUsage, 0}, e)
		})
	}
}

// In a wrong URL any part may be the password or a piece of it.
func TestNoErrorShowsThePassword(t *testing.T) {
	for _, url := range []string{
		"machbase://sys:s3cret@@host:x",
		"machbase://sys:s3cret@host:x",
		"machbase://sys:s3cret@ho st",
		"machbase://sys:s3 s3cret@host",
		"machbase://sys:s3cret\x00@host",
		"machbase://sys:s3cret\n@host",
		"machbase://sys:s3cret\t@host\x7f",
		"machbase://sys:%zzs3cret@host",
		"machbase://sys:s3cret@host:99999",
		"machbase://sys:s3cret@host?nonsense=1",
		"machbase://sys:s3cret@host?timeout=x",
		"machbase://sys:12?s3cret@host:5656",
		"machbase://sys:12#s3cret@host:5656",
		"machbase://sys:12/s3cret@host:5656",
		"machbase://sys:1?s3cret=2@host",
		"machbase://sys:1?timeout=s3cret@host",
		"machbase:sys:s3cret@host",
		"ftp://sys:s3cret@host", "http://sys:s3cret@host/path",
		"sys:s3cret@host",
		"machbase://sys:[s3cret@host",
		"machbase://sys:s3cret@[::1",
		"machbase://sys:s3cret",
	} {
		t.Run(url, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			v.Set("url", url)
			for _, script := range []string{`new machbase.Client(url)`, `new machbase.Client({ url })`} {
				require.NotContains(t, v.fail(script).Message, "s3cret")
			}
		})
	}

	for _, arguments := range []string{
		`{ password: ['s3cret'] }`,
		`{ password: { s3cret: 's3cret' } }`,
		`{ password: 's3cret', fetchRows: 'x' }`,
		`{ password: 's3cret', timeout: 'x' }`,
	} {
		t.Run(arguments, func(t *testing.T) {
			require.NotContains(t, newVU(t, &fakeDriver{}).fail(`new machbase.Client(`+arguments+`)`).Message, "s3cret")
		})
	}
}

func TestEveryPasswordSurvivesAURL(t *testing.T) {
	var password string
	driver := &fakeDriver{open: func(c *Config) error { require.Equal(t, password, c.Password); return nil }}
	v := newVU(t, driver)
	opened := 0
	for c := rune(1); c < 0x250; c++ {
		password = "a" + string(c) + "z"
		opened++
		v.Set("password", password)
		v.Run("var c = new machbase.Client(`machbase://sys:${encodeURIComponent(password)}@db`); c.connect(); c.close()")
		require.Len(t, driver.connections(), opened)
	}
}

func TestClientArguments(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	require.Equal(t, "auto", v.Run(`new machbase.Client(undefined, { statementCache: 'auto' }).statementCache`))
	require.Equal(t, "auto", v.Run(`new machbase.Client(null, { statementCache: 'auto' }).statementCache`))
	require.Equal(t, "off", v.Run(`new machbase.Client().statementCache`))
	require.Equal(t, "auto", v.Run(`new machbase.Client('machbase://h?statementCache=auto').statementCache`))
	require.Equal(t, thrown{"MachbaseError", "new Client takes a url and options, or options alone", k6x.KindUsage, 0},
		v.fail(`new machbase.Client({ user: 'h' }, { fetchRows: 1 })`))
}

func TestOptionsOfExec(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	v.Run(`var client = new machbase.Client(); client.exec('x', [], { timeout: '1s' })`)
	for _, options := range []string{`{ rows: 'arrays' }`, `{ expect: { a: 1 } }`, `{ times: 'ns' }`} {
		e := v.fail(`client.exec('x', [], ` + options + `)`)
		require.Equal(t, k6x.KindUsage, e.Kind)
		require.Contains(t, e.Message, "known are timeout, tags")
	}
}
