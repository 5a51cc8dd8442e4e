//go:build servers

package cmi_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const atOnce = 7 * time.Second

func slowQuery(t *testing.T) (cmi.Config, string) {
	t.Helper()
	table := makeTable(t, tagTable)
	fillTable(t, table, 20_000)
	config := serverConfig(t)
	config.QueryTimeout = 10 * time.Second

	return config, "select count(*) from " + table + " a, " + table + " b where a.value < b.value + a.value"
}

var calls = map[string]func(ctx context.Context, c *cmi.Conn, sql string) error{
	"query": func(ctx context.Context, c *cmi.Conn, sql string) error {
		rows, err := c.Query(ctx, sql)
		if err != nil {
			return err
		}
		for rows.Next() {
			_ = rows.Value(0)
		}

		return rows.Close()
	},
	"exec": func(ctx context.Context, c *cmi.Conn, sql string) error {
		_, err := c.Exec(ctx, sql)

		return err
	},
	"prepared": func(ctx context.Context, c *cmi.Conn, sql string) error {
		s, err := c.Prepare(ctx, sql)
		if err != nil {
			return err
		}
		rows, err := s.Query(ctx)
		if err != nil {
			return err
		}
		for rows.Next() {
			_ = rows.Value(0)
		}

		return rows.Close()
	},
}

func TestDeadline(t *testing.T) {
	config, sql := slowQuery(t)
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			c := connectTo(t, config)
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			began := time.Now()
			err := call(ctx, c, sql)
			require.Less(t, time.Since(began), atOnce)
			require.ErrorContains(t, requireKind(t, cmi.KindTimeout, err), "is closed")
			requireClosedSince(t, c, err)
		})
	}
}

func requireClosedSince(t *testing.T, c *cmi.Conn, why error) {
	t.Helper()
	require.True(t, c.Broken())
	_, err := c.Exec(context.Background(), "select 1 from m$sys_users")
	require.ErrorContains(t, requireKind(t, cmi.KindConnection, err), why.Error())
}

func TestCancel(t *testing.T) {
	config, sql := slowQuery(t)
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			c := connectTo(t, config)
			ctx, cancel := context.WithCancel(context.Background())
			var cancelled time.Time
			time.AfterFunc(50*time.Millisecond, func() {
				cancelled = time.Now()
				cancel()
			})
			err := call(ctx, c, sql)
			require.Less(t, time.Since(cancelled), atOnce)
			require.ErrorContains(t, requireKind(t, cmi.KindCancelled, err), "is closed")
			requireClosedSince(t, c, err)
		})
	}
}

func TestCancelBeforeRowsAreClosed(t *testing.T) {
	c := withPeer(t, cmi.Config{}, func(p *peer) {
		p.request()
		p.answer(message(kindPrepare, 0, result(good), column("N", cmi.Long, 64)))
		p.request()
		p.answer(message(kindExecute, 0, oneColumn(last, 1)))
	})
	s, err := c.Prepare(withTimeout(t), "select n from t")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := s.Query(ctx)
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.False(t, rows.Next())
	cancel()
	require.NoError(t, rows.Close())
	require.True(t, c.Broken())
}

func TestCloseFromAnotherGoroutine(t *testing.T) {
	config, sql := slowQuery(t)
	for how, stop := range map[string]func(c *cmi.Conn){
		"close": func(c *cmi.Conn) { assert.NoError(t, c.Close()) }, "interrupt": (*cmi.Conn).Interrupt,
	} {
		for name, call := range calls {
			t.Run(how+" "+name, func(t *testing.T) {
				c := connectTo(t, config)
				began := make(chan time.Time, 1)
				time.AfterFunc(50*time.Millisecond, func() {
					now := time.Now()
					stop(c)
					assert.Less(t, time.Since(now), atOnce)
					began <- now
				})
				err := call(context.Background(), c, sql)
				require.Less(t, time.Since(<-began), atOnce)
				require.ErrorContains(t, requireKind(t, cmi.KindConnection, err), "was closed during the call")
				requireClosedSince(t, c, err)
			})
		}
	}
}

func TestQueryTimeoutOfTheServer(t *testing.T) {
	config, sql := slowQuery(t)
	config.QueryTimeout = time.Second
	c := connectTo(t, config)
	began := time.Now()
	err := calls["query"](withTimeout(t), c, sql)
	require.Equal(t, 3027, requireKind(t, cmi.KindCancelled, err).Code)
	require.Less(t, time.Since(began), atOnce)
	require.NotEmpty(t, query(t, c, "select name from m$sys_users"))
}

func TestCallsThatAreTooLate(t *testing.T) {
	c := connect(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range calls {
		err := call(ctx, c, "select name from m$sys_users")
		require.ErrorContains(t, requireKind(t, cmi.KindCancelled, err), "before it began", name)
	}
	_, err := cmi.Connect(ctx, serverConfig(t))
	requireKind(t, cmi.KindCancelled, err)
	require.NotEmpty(t, query(t, c, "select name from m$sys_users"), "nothing was sent")

	a, err := c.Append(withTimeout(t), makeTable(t, tagTable), cmi.AppendOptions{})
	require.NoError(t, err)
	requireKind(t, cmi.KindCancelled, a.Append(ctx, "a", start, 1.0))
	require.NoError(t, c.Close())
	require.NoError(t, c.Close(), "twice")
	for name, call := range calls {
		err := call(context.Background(), c, "select 1")
		require.ErrorContains(t, requireKind(t, cmi.KindConnection, err), "is closed", name)
	}
	requireKind(t, cmi.KindConnection, a.Append(context.Background(), "a", start, 1.0))
	_, err = a.Sync(context.Background())
	requireKind(t, cmi.KindConnection, err)
	_, err = a.Close(context.Background())
	requireKind(t, cmi.KindConnection, err)
}

func TestConnectionInUse(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 3000)
	c := connect(t)
	a, err := c.Append(withTimeout(t), table, cmi.AppendOptions{})
	require.NoError(t, err)
	rows, err := c.Query(withTimeout(t), "select value from "+table)
	require.NoError(t, err)
	require.True(t, rows.Next())
	for name, call := range calls {
		err := call(context.Background(), c, "select name from m$sys_users")
		require.ErrorContains(t, requireKind(t, cmi.KindUsage, err), "in use", name)
	}
	requireKind(t, cmi.KindUsage, a.Append(context.Background(), "a", start, 1.0))
	for range 2999 {
		require.True(t, rows.Next())
	}
	require.False(t, rows.Next())
	require.NoError(t, rows.Close())

	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				_, err := c.Exec(context.Background(), "select name from m$sys_users")
				if err != nil {
					assert.ErrorContains(t, err, "in use")
				}
			}
		})
	}
	group.Wait()
	require.Len(t, query(t, c, "select value from "+table), 3000)
}

func TestDeadlineBetweenRows(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 100)
	config := serverConfig(t)
	config.FetchRows = 1
	c := connectTo(t, config)
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := c.Query(ctx, "select value from "+table)
	require.NoError(t, err)
	require.True(t, rows.Next())
	cancel()
	// On a busy machine all rows may arrive before the context's end is noticed, and one row may
	// have arrived earlier.
	require.Eventually(t, c.Broken, patience, time.Millisecond)
	for rows.Next() {
	}
	requireKind(t, cmi.KindCancelled, rows.Err())
	requireKind(t, cmi.KindCancelled, rows.Close())
}

func TestLoginFailures(t *testing.T) {
	config := serverConfig(t)
	config.Password = "not the password"
	_, err := cmi.Connect(withTimeout(t), config)
	require.Equal(t, 2081, requireKind(t, cmi.KindAuth, err).Code)
	require.NotContains(t, err.Error(), config.Password)

	config.User = "nobody"
	_, err = cmi.Connect(withTimeout(t), config)
	require.Equal(t, 2080, requireKind(t, cmi.KindAuth, err).Code)
}

func listen(t *testing.T, serve func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var group sync.WaitGroup
	t.Cleanup(func() {
		assert.NoError(t, l.Close())
		group.Wait()
	})
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})

	return l.Addr().String()
}

func refused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())

	return l.Addr().String()
}

func silent(t *testing.T) string {
	t.Helper()

	return listen(t, func(c net.Conn) {
		for b := make([]byte, 100); ; {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
}

func says(t *testing.T, what string) string {
	t.Helper()

	return listen(t, func(c net.Conn) {
		_, _ = c.Write([]byte(what))
		_, _ = c.Read(make([]byte, 100))
	})
}

func TestAlternatives(t *testing.T) {
	config := serverConfig(t)
	server := config.Addresses[0]
	first := map[string]string{
		"refused":            refused(t),
		"no such host":       "nohost.invalid:5656",
		"silent":             silent(t),
		"garbage":            says(t, "HTTP/1.1 400 Bad Request\r\n\r\n"),
		"half a hello":       says(t, "CMI_RE"),
		"a hello, no more":   says(t, "CMI_READY"),
		"garbage at log-in":  says(t, "CMI_READY"+string(make([]byte, 100))),
		"closed right after": listen(t, func(net.Conn) {}),
	}
	for name, address := range first {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			config.Addresses = []string{address, server}
			c, err := cmi.Connect(ctx, config)
			require.NoError(t, err)
			require.NotEmpty(t, query(t, c, "select name from m$sys_users"))
			require.NoError(t, c.Close())

			config.Addresses = []string{address, refused(t)}
			_, err = cmi.Connect(ctx, config)
			requireKind(t, cmi.KindConnect, err)
		})
	}
	t.Run("all silent", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		config.Addresses = []string{silent(t), silent(t)}
		began := time.Now()
		_, err := cmi.Connect(ctx, config)
		requireKind(t, cmi.KindTimeout, err)
		require.Less(t, time.Since(began), 200*time.Millisecond+atOnce)
	})
	t.Run("a wrong password is not tried elsewhere", func(t *testing.T) {
		wrong := serverConfig(t)
		wrong.Password = "x"
		wrong.Addresses = []string{server, refused(t)}
		_, err := cmi.Connect(withTimeout(t), wrong)
		requireKind(t, cmi.KindAuth, err)
	})
}
