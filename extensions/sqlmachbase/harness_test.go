package sqlmachbase_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

const (
	patience = 30 * time.Second
	soon     = 100 * time.Millisecond
)

func serverURL(t *testing.T, options string) *url.URL {
	t.Helper()
	u, err := url.Parse(os.Getenv("MACHBASE_URL"))
	require.NoError(t, err)
	require.NotEmpty(t, u.Host, "MACHBASE_URL must name a server: scripts/servers.sh with machbase -- go test ...")
	u.RawQuery = options

	return u
}

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)

	return ctx
}

func openURL(t *testing.T, name string) *sql.DB {
	t.Helper()
	connector, err := sqlmachbase.NewConnector(name)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })

	return db
}

func open(t *testing.T, options string) *sql.DB {
	t.Helper()

	return openURL(t, serverURL(t, options).String())
}

func exec(t *testing.T, db *sql.DB, query string, args ...any) int64 {
	t.Helper()
	result, err := db.ExecContext(withTimeout(t), query, args...)
	require.NoError(t, err, query)
	changed, err := result.RowsAffected()
	require.NoError(t, err)

	return changed
}

var tables atomic.Int64

func makeTable(t *testing.T, columns string) string {
	t.Helper()
	db := open(t, "")
	name := fmt.Sprintf("sqlmachbase_%d_%d", os.Getpid(), tables.Add(1))
	exec(t, db, fmt.Sprintf("create table %s (%s)", name, columns))
	t.Cleanup(func() {
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			_, err := db.ExecContext(context.Background(), "drop table "+name)
			assert.NoError(t, err)
		}, patience, 20*time.Millisecond)
	})

	return name
}

func readAll(t *testing.T, rows *sql.Rows) [][]any {
	t.Helper()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var all [][]any
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, rows.Scan(into...))
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())

	return all
}

func query(t *testing.T, db *sql.DB, text string, args ...any) [][]any {
	t.Helper()
	rows, err := db.QueryContext(withTimeout(t), text, args...)
	require.NoError(t, err, text)

	return readAll(t, rows)
}

type proxy struct {
	listener net.Listener
	server   string
	stalled  atomic.Bool
	accepted atomic.Int64
	asked    atomic.Int64
	running  sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: listener, server: serverURL(t, "").Host}
	p.running.Go(p.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
		p.running.Wait()
	})

	return p
}

func (p *proxy) open(t *testing.T, options string) *sql.DB {
	t.Helper()
	u := serverURL(t, options)
	u.Host = p.listener.Addr().String()

	return openURL(t, u.String())
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()

			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.accepted.Add(1)
		p.running.Go(func() { p.forward(server, client, false) })
		p.running.Go(func() { p.forward(client, server, true) })
	}
}

// A stalled proxy discards the server's bytes.
func (p *proxy) forward(to, from net.Conn, answers bool) {
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if answers && p.stalled.Load() {
			continue
		}
		if !answers {
			p.asked.Add(1)
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

func (p *proxy) stallNext(t *testing.T) (wait func()) {
	t.Helper()
	before := p.asked.Load()
	p.stalled.Store(true)

	return func() {
		require.Eventually(t, func() bool { return p.asked.Load() > before }, patience, time.Millisecond)
	}
}

func listen(t *testing.T, peer func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			peer(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})

	return "machbase://me:" + secret + "@" + listener.Addr().String()
}

func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

const secret = "geheim"

func requireOneLine(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), secret)
}

func requireNothingLeft(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 },
			patience, time.Millisecond, "%s", lazyStacks{})
	})
}

type lazyStacks struct{}

func (lazyStacks) String() string {
	buf := make([]byte, 1<<20)

	return strings.TrimSpace(string(buf[:runtime.Stack(buf, true)]))
}
