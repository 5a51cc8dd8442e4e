package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// These tests need the real server at MACHBASE_URL.

func each(t *testing.T, test func(t *testing.T, cfg *machbase.Config)) {
	t.Helper()
	for name, change := range map[string]func(*machbase.Config){
		"machcli": func(cfg *machbase.Config) { cfg.Driver = "machcli" },
		"machgo":  func(cfg *machbase.Config) { cfg.Driver = "machgo" },
		"machgo keeps": func(cfg *machbase.Config) {
			cfg.Driver, cfg.StatementCache, cfg.FetchRows = "machgo", cmi.CacheAuto, 7
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t)
			change(cfg)
			test(t, cfg)
		})
	}
}

func config(t *testing.T) *machbase.Config {
	t.Helper()
	u, err := url.Parse(os.Getenv("MACHBASE_URL"))
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err, "MACHBASE_URL must be the address of a Machbase")
	password, _ := u.User.Password()

	return &machbase.Config{
		Host: u.Hostname(), Port: port, User: u.User.Username(), Password: password, Driver: "machcli",
		Timeout: time.Minute, ConnectTimeout: 5 * time.Second, StatementCache: cmi.CacheOff, FetchRows: cmi.DefaultFetchRows,
	}
}

func connect(t *testing.T, cfg *machbase.Config) (machbase.Conn, error) {
	t.Helper()
	driver, err := machbase.DriverNamed(cfg.Driver)
	require.NoError(t, err)

	return driver.Open(t.Context(), cfg, new(net.Dialer).DialContext)
}

func open(t *testing.T, cfg *machbase.Config) machbase.Conn {
	t.Helper()
	conn, err := connect(t, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(background)) })

	return conn
}

var tables atomic.Int64

func table(t *testing.T, conn machbase.Conn, create string) string {
	t.Helper()
	name := fmt.Sprintf("drivers_%d_%d", os.Getpid(), tables.Add(1))
	_, err := conn.Exec(background, strings.ReplaceAll(create, "TABLE", name), nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		own := open(t, config(t))
		require.Eventually(t, func() bool {
			_, err := own.Exec(background, "drop table "+name, nil)

			return err == nil
		}, 20*time.Second, 50*time.Millisecond)
	})

	return name
}

type querier func(ctx context.Context, args []any, read func(machbase.Rows) error) error

func all(t *testing.T, query querier, args ...any) [][]any {
	t.Helper()
	var rows [][]any
	require.NoError(t, query(background, args, func(r machbase.Rows) error {
		for r.Next() {
			rows = append(rows, r.Values())
		}

		return r.Err()
	}))

	return rows
}

func on(conn machbase.Conn, sql string) querier {
	return func(ctx context.Context, args []any, read func(machbase.Rows) error) error {
		return conn.Query(ctx, sql, args, read)
	}
}

func kind(t *testing.T, err error) string {
	t.Helper()
	var e *cmi.Error
	require.True(t, errors.As(err, &e), "%v", err)

	return e.Kind
}

func numbered(t *testing.T, conn machbase.Conn, n int) string {
	t.Helper()
	name := table(t, conn, `create table TABLE (n integer, text varchar(20))`)
	appender, err := conn.Append(background, name, cmi.AppendOptions{Columns: []string{"n"}})
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, appender.Append(background, []any{int64(i)}...))
	}
	receipt, err := appender.Close(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: int64(n)}, receipt)
	untilCount(t, conn, name, n)

	return name
}

// untilCount waits until a query finds this many rows: the server inserts appended rows later.
func untilCount(t *testing.T, conn machbase.Conn, name string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return machbase.Equal(all(t, on(conn, "select count(*) from "+name))[0][0], int64(n))
	}, 20*time.Second, 5*time.Millisecond)
}

func TestQueries(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		conn := open(t, cfg)
		name := numbered(t, conn, 2*fetchedAtOnce+10)
		sql := "-- who\nselect/*+ FULL(" + name + ") */ n, n * 2 as Twice from " + name + " where n < ? order by n"
		statement, err := conn.Prepare(background, sql)
		require.NoError(t, err)
		for _, query := range []querier{on(conn, sql), statement.Query} {
			for _, n := range []int{0, 1, fetchedAtOnce - 1, fetchedAtOnce, fetchedAtOnce + 1, 2*fetchedAtOnce + 10} {
				rows := all(t, query, int64(n))
				require.Len(t, rows, n)
				for i, row := range rows {
					require.True(t, machbase.Equal(row[0], int64(i)) && machbase.Equal(row[1], int64(2*i)), "%d: %v", i, row)
				}
			}
			require.NoError(t, query(background, []any{int64(1)}, func(r machbase.Rows) error {
				require.Equal(t, []machbase.Column{{Name: "n", Type: "integer"}, {Name: "Twice", Type: "long"}}, r.Columns())
				require.Equal(t, 1, r.Index("TWICE"))
				require.Equal(t, -1, r.Index("thrice"))
				require.True(t, r.Next())
				require.True(t, r.Equal(0, 0.0))
				require.False(t, r.Equal(0, int64(1)))
				require.False(t, r.Next())

				return r.Err()
			}))
			stop := errors.New("enough")
			for range 3 {
				require.ErrorIs(t, query(background, []any{int64(1000)}, func(r machbase.Rows) error {
					r.Next()

					return stop
				}), stop)
			}
			require.Len(t, all(t, query, int64(5)), 5)
		}
		require.NoError(t, statement.Close(background))
		received, sent := conn.Traffic()
		require.Equal(t, cfg.Driver == "machgo", received+sent > 0, "machcli does not count")
	})
}

func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		conn := open(t, cfg)
		name := table(t, conn, `create tag table TABLE (name varchar(20) primary key, time datetime basetime, value double)`)
		insert := func(text string) {
			_, err := conn.Exec(background, "insert into "+name+" values (?, ?, ?)", []any{text, time.Unix(1, 0), 1.0})
			require.NoError(t, err)
		}
		insert("a")
		_, err := conn.Exec(background, "exec table_flush("+name+")", nil)
		require.NoError(t, err)
		for _, test := range []struct {
			sql  string
			args []any
			code int
			kind string
		}{
			{"selct 1", nil, 2010, cmi.KindSyntax},
			{"select * from no_such_table", nil, 2025, cmi.KindNotFound},
			{"drop table no_such_table", nil, 2025, cmi.KindNotFound},
			{"select nope from " + name, nil, 2056, cmi.KindNotFound},
			{"select 1/(value-?) from " + name, []any{1.0}, 2061, cmi.KindServer},
			{"select * from " + name + " where name = ?", nil, 0, cmi.KindUsage},
			{"select * from " + name + " where name = ?", []any{"a", "b"}, 0, cmi.KindUsage},
			{"select * from " + name + " where name = ?", []any{true}, 0, cmi.KindUsage},
			{"", nil, 0, cmi.KindUsage},
			{"/* nothing */", nil, 0, cmi.KindUsage},
		} {
			for call, run := range map[string]func() error{
				"query": func() error {
					return conn.Query(background, test.sql, test.args, func(r machbase.Rows) error {
						for r.Next() {
						}

						return r.Err()
					})
				},
				"exec": func() error {
					_, err := conn.Exec(background, test.sql, test.args)

					return err
				},
			} {
				if call == "exec" && test.code == 2061 {
					continue
				}
				err := run()
				var e *cmi.Error
				require.ErrorAs(t, err, &e, "%s %s", call, test.sql)
				require.Equal(t, test.kind, e.Kind, "%s %s: %v", call, test.sql, err)
				require.Equal(t, test.code, e.Code, "%s %s", call, test.sql)
				if cfg.Driver == "machgo" && test.code == 2061 && conn.Broken() { // within the rows
					conn = open(t, cfg)
				}
				require.False(t, conn.Broken(), "%s %s", call, test.sql)
			}
		}
		_, err = conn.Prepare(background, "selct ?")
		require.Equal(t, cmi.KindSyntax, kind(t, err))
		require.Len(t, all(t, on(conn, "select * from "+name)), 1, "none of these breaks the connection")
	})
}

func TestConnecting(t *testing.T) {
	for name, test := range map[string]struct {
		drivers string
		change  func(*machbase.Config)
		kind    string
	}{
		"a wrong password":      {"machcli machgo", func(c *machbase.Config) { c.Password = "s3cret" }, cmi.KindAuth},
		"an unknown user":       {"machcli machgo", func(c *machbase.Config) { c.User, c.Password = "nobody", "s3cret" }, cmi.KindAuth},
		"nobody there":          {"machcli machgo", func(c *machbase.Config) { c.Port, c.Password = 1, "s3cret" }, cmi.KindConnect},
		"nobody there, IPv6":    {"machgo", func(c *machbase.Config) { c.Host, c.Port = "::1", 1 }, cmi.KindConnect},
		"no such host":          {"machcli machgo", func(c *machbase.Config) { c.Host, c.Password = "no-such-host.invalid", "s3cret" }, cmi.KindConnect},
		"a semicolon":           {"machcli machgo", func(c *machbase.Config) { c.Password = "s3cret;" }, cmi.KindUsage},
		"statements are kept":   {"machcli", func(c *machbase.Config) { c.StatementCache = cmi.CacheAuto }, cmi.KindUsage},
		"rows to fetch":         {"machcli", func(c *machbase.Config) { c.FetchRows = 7 }, cmi.KindUsage},
		"one alternative":       {"machgo", func(c *machbase.Config) { c.Alternatives = []string{"a:1"} }, cmi.KindUsage},
		"two alternatives":      {"machcli", func(c *machbase.Config) { c.Alternatives = []string{"a:1", "b:2"} }, cmi.KindUsage},
		"a bad alternative":     {"machcli", func(c *machbase.Config) { c.Alternatives = []string{"a:nope"} }, cmi.KindUsage},
		"a portless one":        {"machcli", func(c *machbase.Config) { c.Alternatives = []string{"a"} }, cmi.KindUsage},
		"an alternative as bad": {"machcli", func(c *machbase.Config) { c.Port, c.Alternatives = 1, []string{"127.0.0.1:2"} }, cmi.KindConnect},
	} {
		for _, driver := range strings.Fields(test.drivers) {
			t.Run(driver+", "+name, func(t *testing.T) {
				cfg := config(t)
				cfg.Driver = driver
				test.change(cfg)
				_, err := connect(t, cfg)
				require.Error(t, err)
				require.Equal(t, test.kind, kind(t, err), "%v", err)
				require.NotContains(t, err.Error(), "s3cret")
			})
		}
	}
}

func TestQueryTimeout(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		cfg.QueryTimeout = time.Second
		conn := open(t, cfg)
		name := table(t, conn, `create table TABLE (n integer, k integer)`)
		appender, err := conn.Append(background, name, cmi.AppendOptions{})
		require.NoError(t, err)
		_, err = appender.AppendColumns(background, []any{make([]int32, 3000), make([]int32, 3000)}...)
		require.NoError(t, err)
		_, err = appender.Close(background)
		require.NoError(t, err)
		untilCount(t, conn, name, 3000)

		begin := time.Now()
		slow := fmt.Sprintf("select count(*) from %[1]s a, %[1]s b, %[1]s c where a.k = b.k and b.k = c.k", name)
		err = conn.Query(background, slow, nil, func(r machbase.Rows) error {
			r.Next()

			return r.Err()
		})
		require.Equal(t, cmi.KindCancelled, kind(t, err), "%v", err)
		require.Less(t, time.Since(begin), 10*time.Second)
		require.Len(t, all(t, on(conn, "select n from "+name+" limit 5")), 5, "the connection stays")
	})
}

func TestRowsChanged(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		conn := open(t, cfg)
		name := table(t, conn, `create volatile table TABLE (n integer primary key, text varchar(10))`)
		insert := "insert into " + name + " values (?, 'x')"
		statement, err := conn.Prepare(background, insert)
		require.NoError(t, err)
		for n := range 4 {
			exec := func(args []any) (int64, error) { return conn.Exec(background, insert, args) }
			if n >= 2 {
				exec = func(args []any) (int64, error) { return statement.Exec(background, args) }
			}
			changed, err := exec([]any{int64(n)})
			require.NoError(t, err)
			require.Equal(t, int64(1), changed, "insert %d", n)
		}
		changed, err := conn.Exec(background, "delete from "+name+" where n = 1", nil)
		require.NoError(t, err)
		require.Equal(t, int64(1), changed)
	})
}

func TestTypesOfMachcli(t *testing.T) {
	conn := open(t, config(t))
	name := table(t, conn, `create tag table TABLE (name varchar(20) primary key, time datetime basetime, s short, us ushort,
		i integer, ui uinteger, l long, ul ulong, f float, d double, v varchar(40), at datetime, b binary, i4 ipv4, i6 ipv6)`)
	at := time.Unix(0, 1234567890123456789)
	i4, i6 := netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("2001:db8:0:1::12")
	plain := []any{int64(-1), int64(2), int64(-3), int64(4), int64(-5), int64(6), 0.5, 0.1, "text 😀", at, []byte{0, 255, 0}, i4, i6}

	const columns = "select s, us, i, ui, l, ul, f, d, v, at from "

	appender, err := conn.Append(background, name, cmi.AppendOptions{})
	require.NoError(t, err)
	require.NoError(t, appender.Append(background, append([]any{"appended", time.Unix(5, 0)}, plain...)...))
	require.NoError(t, appender.Append(background, append([]any{"null", time.Unix(6, 0)}, make([]any, len(plain))...)...))
	receipt, err := appender.Close(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 2}, receipt)
	_, err = conn.Exec(background, "insert into "+name+" values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", append([]any{"bound", time.Unix(7, 0)}, plain...))
	require.NoError(t, err)
	_, err = conn.Exec(background, "exec table_flush("+name+")", nil)
	require.NoError(t, err)

	for _, written := range []string{"appended", "bound"} {
		rows := all(t, on(conn, columns+name+" where name = ?"), written)
		require.Len(t, rows, 1)
		for i, want := range plain[:len(plain)-3] {
			require.True(t, machbase.Equal(rows[0][i], want), "%s, column %d: %v (%T), not %v", written, i, rows[0][i], rows[0][i], want)
		}
	}
	require.Equal(t, make([]any, len(plain)-3), all(t, on(conn, columns+name+" where name = ?"), "null")[0])
	for _, condition := range []string{"i4 = '1.2.3.4'", "i6 = '2001:db8:0:1::12'"} {
		require.Len(t, all(t, on(conn, columns+name+" where "+condition)), 2, condition)
	}
	for _, column := range []string{"b", "i4", "i6"} {
		err := conn.Query(background, "select "+column+" from "+name, nil, func(machbase.Rows) error { return nil })
		require.Equal(t, cmi.KindUsage, kind(t, err))
	}
}

func TestAppenderOfMachcli(t *testing.T) {
	conn := open(t, config(t))
	name := table(t, conn, `create tag table TABLE (name varchar(20) primary key, time datetime basetime, value double)`)
	appender, err := conn.Append(background, name, cmi.AppendOptions{Columns: []string{"VALUE", "name", "Time"}})
	require.NoError(t, err)
	require.NoError(t, appender.Append(background, []any{1.0, "a", time.Unix(1, 0)}...))
	for want, row := range map[string][]any{
		"takes 3 values, not 1":                    {1.0},
		`column "VALUE" (double) cannot take abc`:  {"abc", "a", time.Unix(1, 0)},
		`column "NAME" (varchar) cannot take 5`:    {1.0, int64(5), time.Unix(1, 0)},
		`column "TIME" (datetime) cannot take now`: {1.0, "a", "now"},
	} {
		require.ErrorContains(t, appender.Append(background, row...), want)
	}
	receipt, err := appender.Sync(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 1}, receipt)

	const more = 2*appendedAtOnce + 1
	values, names, times := make([]float64, more), make([]string, more), make([]time.Time, more)
	for i := range more {
		values[i], names[i], times[i] = float64(i), "b", time.Unix(int64(i+2), 0)
	}
	rows, err := appender.AppendColumns(background, []any{values, names, times}...)
	require.NoError(t, err)
	require.Equal(t, more, rows)
	_, err = appender.AppendColumns(background, []any{values, 5, times}...)
	require.Equal(t, cmi.KindUsage, kind(t, err))
	require.NoError(t, appender.Flush(background))
	require.NoError(t, appender.Append(background, []any{1.0, "x", nil}...)) // the server rejects it
	require.NotEmpty(t, all(t, on(conn, "select * from v$version")), "other operations go on meanwhile")
	receipt, err = appender.Close(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: more + 1, Rejected: 1, Other: 1}, receipt)
	_, err = conn.Exec(background, "exec table_flush("+name+")", nil)
	require.NoError(t, err)
	untilCount(t, conn, name, more+1)

	requireMisplaced(t, conn, name)
}

func comparableRows(rows [][]any) [][]any {
	for _, row := range rows {
		for i, value := range row {
			if at, ok := value.(time.Time); ok {
				row[i] = at.UnixNano()
			} else if number := reflect.ValueOf(value); number.CanInt() {
				row[i] = number.Int()
			} else if number.CanUint() {
				row[i] = int64(number.Uint())
			}
		}
	}

	return rows
}

// machgo and the native driver write and read the same values, up to the limits of each type.
func TestTypesOfMachgo(t *testing.T) {
	cfg := config(t)
	cfg.Driver = "native"
	native := open(t, cfg)
	at, v4, v6 := time.Unix(0, 1234567890123456789), netip.MustParseAddr("255.254.0.1"), netip.MustParseAddr("2001:db8:0:1::12")
	values := [][]any{
		{int64(-2), int64(3), int64(-4), int64(5), int64(-6), int64(7), 1.5, 0.1, at, "text", v4, v6, "a longer text", []byte{0, 1, 255}, `{"a":1}`, "clob", []byte("blob")},
		{int64(math.MaxInt16), int64(math.MaxUint16 - 1), int64(math.MaxInt32), int64(math.MaxUint32 - 1), int64(math.MaxInt64), int64(math.MaxInt64),
			1e38, 1e308, time.Unix(0, math.MaxInt64), "h€llo 😀", netip.MustParseAddr("0.0.0.0"), netip.IPv6Unspecified(), "😀", []byte{0}, `[]`, "😀", []byte{0}},
		{int64(math.MinInt16 + 1), int64(0), int64(math.MinInt32 + 1), int64(0), int64(math.MinInt64 + 1), int64(0), -1e38, -1e308, time.Unix(0, 0), "'",
			netip.MustParseAddr("255.255.255.255"), netip.MustParseAddr("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), "x", []byte("bytes"), `{}`, "y", []byte("z")},
		make([]any, 17),
	}
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		if cfg.Driver != "machgo" {
			return
		}
		conn := open(t, cfg)
		name := table(t, native, `create table TABLE (way integer, id integer, s short, us ushort, i integer, ui uinteger, l long, ul ulong,
			f float, d double, at datetime, vc varchar(100), v4 ipv4, v6 ipv6, tx text, bi binary, js json, cl clob, bl blob)`)
		appenders := make([]machbase.Appender, 2)
		for way, conn := range []machbase.Conn{native, conn} {
			var err error
			appenders[way], err = conn.Append(background, name, cmi.AppendOptions{})
			require.NoError(t, err)
		}
		for id, row := range values {
			for way, appender := range appenders {
				require.NoError(t, appender.Append(background, append([]any{int64(way), int64(id)}, row...)...))
			}
		}
		for _, appender := range appenders {
			receipt, err := appender.Close(background)
			require.NoError(t, err)
			require.Equal(t, cmi.Receipt{Accepted: int64(len(values))}, receipt)
		}
		for id, row := range values {
			_, err := conn.Exec(background, "insert into "+name+" values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", append([]any{int64(2), int64(id)}, row...))
			require.NoError(t, err)
		}
		untilCount(t, native, name, 3*len(values))

		for id := range values {
			sql := fmt.Sprintf("select s, us, i, ui, l, ul, f, d, at, vc, v4, v6, tx, bi, js, cl, bl from %s where id = %d and way = ?", name, id)
			want := comparableRows(all(t, on(native, sql), int64(0)))
			require.Len(t, want, 1)
			for way := range int64(3) {
				require.Equal(t, want, comparableRows(all(t, on(native, sql), way)), "way %d", way)
				require.Equal(t, want, comparableRows(all(t, on(conn, sql), way)), "way %d", way)
			}
		}
	})
}

func TestManyRowsOfMachgo(t *testing.T) {
	const rows = 100_000

	cfg := config(t)
	cfg.Driver = "native"
	native := open(t, cfg)
	name := numbered(t, native, rows)
	sql := "select n, _arrival_time, text from " + name
	want := comparableRows(all(t, on(native, sql)))
	require.Len(t, want, rows)
	cfg.Driver = "machgo"
	require.Equal(t, want, comparableRows(all(t, on(open(t, cfg), sql))))
}

func TestArrivalTime(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		conn := open(t, cfg)
		begun := time.Now()
		name := numbered(t, conn, 3)
		for _, row := range all(t, on(conn, "select _arrival_time, text from "+name)) {
			require.WithinDuration(t, begun, row[0].(time.Time), time.Minute)
			require.Nil(t, row[1])
		}
	})
}

type proxy struct {
	net.Listener

	stalled atomic.Bool
	conns   chan net.Conn
}

func newProxy(t *testing.T, cfg *machbase.Config) *proxy {
	t.Helper()
	server := cfg.Address()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{Listener: listener, conns: make(chan net.Conn, 100)}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				_ = from.Close()

				continue
			}
			p.conns <- from
			p.conns <- to
			go p.forward(to, from)
			go p.forward(from, to)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
	})
	cfg.Port = listener.Addr().(*net.TCPAddr).Port
	cfg.Host = "127.0.0.1"

	return p
}

func (p *proxy) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if p.stalled.Load() {
			continue // discarded
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	for len(p.conns) > 0 {
		_ = (<-p.conns).Close()
	}
}

func workers() int {
	buffer := make([]byte, 1<<20)

	return strings.Count(string(buffer[:runtime.Stack(buffer, true)]), "(*worker).work(")
}

// untilNoWorkers waits for the workers of closed connections: C logs out in the background.
func untilNoWorkers(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return workers() == 0 }, time.Minute, 5*time.Millisecond)
}

func TestAppenderOfMachgo(t *testing.T) {
	cfg := config(t)
	cfg.Driver = "machgo"
	conn := open(t, cfg)
	name := table(t, conn, `create tag table TABLE (name varchar(20) primary key, time datetime basetime, value double)`)
	appender, err := conn.Append(background, name, cmi.AppendOptions{Columns: []string{"value", "name", "time"}})
	require.NoError(t, err)

	times := []time.Time{time.Unix(1, 0), time.Unix(2, 0), time.Unix(3, 0)}
	rows, err := appender.AppendColumns(background, []float64{1, 2, 3}, []string{"a", "b", "c"}, times)
	require.NoError(t, err)
	require.Equal(t, 3, rows)
	receipt, err := appender.Sync(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 3}, receipt)

	for want, columns := range map[string][]any{
		"column 2 has 1 values, but the ones before it have 3": {[]float64{1, 2, 3}, []string{"a"}, times},
		"column 1 must be a slice of values, not float64":      {1.0, []string{"a"}, times},
		"takes 3 values, not 2":                                {[]float64{1}, []string{"a"}},
	} {
		rows, err := appender.AppendColumns(background, columns...)
		require.ErrorContains(t, err, want)
		require.Equal(t, cmi.KindUsage, kind(t, err))
		require.Zero(t, rows)
	}
	require.NoError(t, appender.Append(background, []any{4.0, "d", time.Unix(4, 0)}...))
	require.NoError(t, appender.Flush(background))
	receipt, err = appender.Close(background)
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 4}, receipt, "of all since it was opened")
	_, err = conn.Exec(background, "exec table_flush("+name+")", nil)
	require.NoError(t, err)
	untilCount(t, conn, name, 4)
	requireMisplaced(t, conn, name)
}

func requireMisplaced(t *testing.T, conn machbase.Conn, name string) {
	t.Helper()
	for _, test := range []struct {
		table   string
		options cmi.AppendOptions
		kind    string
	}{
		{"no_such_table", cmi.AppendOptions{}, cmi.KindNotFound},
		{name, cmi.AppendOptions{Columns: []string{"nope"}}, cmi.KindNotFound},
		{name, cmi.AppendOptions{Columns: []string{"name", "NAME"}}, cmi.KindUsage},
		{name, cmi.AppendOptions{Batch: cmi.Batch{Rows: 1}}, cmi.KindUsage},
		{table(t, conn, `create volatile table TABLE (n integer primary key)`), cmi.AppendOptions{}, cmi.KindUsage},
	} {
		_, err := conn.Append(background, test.table, test.options)
		require.Equal(t, test.kind, kind(t, err), "%s %v: %v", test.table, test.options, err)
	}
}

func TestServerThatStallsMachgo(t *testing.T) {
	for call, run := range map[string]func(context.Context, machbase.Conn) error{
		"query": func(ctx context.Context, conn machbase.Conn) error {
			return conn.Query(ctx, "select * from v$version", nil, func(machbase.Rows) error { return nil })
		},
		"exec": func(ctx context.Context, conn machbase.Conn) error {
			_, err := conn.Exec(ctx, "drop table no_such_table", nil)

			return err
		},
	} {
		t.Run(call, func(t *testing.T) {
			cfg := config(t)
			cfg.Driver = "machgo"
			p := newProxy(t, cfg)
			conn, err := connect(t, cfg)
			require.NoError(t, err)
			p.stalled.Store(true)
			ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
			defer cancel()
			require.Equal(t, cmi.KindConnection, kind(t, run(ctx, conn)))
			require.Equal(t, cmi.KindConnection, kind(t, run(background, conn)), "it is of no use any more")
			_ = conn.Close(background) // it cannot log out either
		})
	}
}

func TestContextEndsACallOfMachgo(t *testing.T) {
	cfg := config(t)
	cfg.Driver = "machgo"
	conn, err := connect(t, cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for deadline := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(deadline); {
		err = conn.Query(ctx, `select name from v$tables`, nil, func(rows machbase.Rows) error {
			for rows.Next() {
			}

			return rows.Err()
		})
	}
	require.True(t, kind(t, err) == cmi.KindConnection || conn.Broken(), "%v", err)
	_ = conn.Close(background) // it may be unable to log out
}

func TestServerThatStallsMachcli(t *testing.T) {
	cfg := config(t)
	p := newProxy(t, cfg)
	untilNoWorkers(t)
	conn := open(t, cfg)
	p.stalled.Store(true)
	ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	err := conn.Query(ctx, "select * from v$version", nil, func(machbase.Rows) error { return nil })
	require.Equal(t, cmi.KindConnection, kind(t, err))
	require.Equal(t, cmi.KindConnection, kind(t, conn.Query(background, "select 1", nil, func(machbase.Rows) error { return io.EOF })))
	_, err = conn.Exec(background, "drop table no_such_table", nil)
	require.Equal(t, cmi.KindConnection, kind(t, err))
	require.NoError(t, conn.Close(background))
	require.Equal(t, 1, workers(), "the call is still under way")

	p.cut()
	untilNoWorkers(t)
}

func TestServerThatBreaksTheConnection(t *testing.T) {
	each(t, func(t *testing.T, cfg *machbase.Config) {
		t.Helper()
		p := newProxy(t, cfg)
		conn, err := connect(t, cfg)
		require.NoError(t, err)
		p.cut()
		err = conn.Query(background, "select * from v$version", nil, func(machbase.Rows) error { return nil })
		require.Equal(t, cmi.KindConnection, kind(t, err))
		require.ErrorContains(t, err, map[string]string{
			"machcli": "the connection broke: Communication link failure", "machgo": "the connection broke: EOF",
		}[cfg.Driver])
		require.NotContains(t, err.Error(), "MACHCLI")
		if err := conn.Close(background); cfg.Driver == "machcli" {
			require.Equal(t, cmi.KindConnection, kind(t, err))
		} else {
			require.NoError(t, err)
		}
	})
}

func TestARowThatTheClientRefuses(t *testing.T) {
	conn, err := connect(t, config(t))
	require.NoError(t, err)
	name := table(t, conn, `create tag table TABLE (name varchar(20) primary key, time datetime basetime, value double)`)
	appender, err := conn.Append(background, name, cmi.AppendOptions{})
	require.NoError(t, err)
	require.NoError(t, appender.Append(background, []any{strings.Repeat("x", 200), time.Unix(9, 0), 1.0}...))
	err = appender.Flush(background)
	require.Equal(t, cmi.KindAppend, kind(t, err))
	require.ErrorContains(t, err, "Column(1:NAME:20) truncated")
	require.NotContains(t, err.Error(), "the connection broke")
	_, _ = appender.Close(background) // any result: the connection is discarded
	_ = conn.Close(background)
}

func TestContextThatEndedBeforeTheFirstCall(t *testing.T) {
	conn := open(t, config(t))
	ended, cancel := context.WithCancel(background)
	cancel()
	_, err := conn.Prepare(ended, "select 1")
	require.Equal(t, cmi.KindConnection, kind(t, err))
	require.NoError(t, conn.Close(background))
	untilNoWorkers(t)
}

func TestPanicsAreErrors(t *testing.T) {
	require.EqualError(t, guard(func() error { panic("boom") }), "machcli failed: boom")
}
