//go:build servers && linux && !portable

package cmi_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// relay is a Dial whose connections, those of TCP, read what the server says as say gives it on.
func relay(t *testing.T, say func(to net.Conn, from io.Reader)) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		server, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		client, err := new(net.Dialer).DialContext(ctx, network, listener.Addr().String())
		if err != nil {
			return nil, err
		}
		between, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		go func() {
			defer server.Close()
			_, _ = io.Copy(server, between)
		}()
		go func() {
			defer between.Close()
			say(between, server)
		}()

		return client, nil
	}
}

// posting does queries in turns, so many of them, and calls each with what came of it.
type posting struct {
	*cmi.Conn

	seat   *eventloop.Seat
	sql    string
	posted int
	each   func(rows [][]any, err error) (more bool)
}

func (p *posting) run(ctx context.Context, t *testing.T, args ...any) {
	t.Helper()
	waits := false
	assert.NoError(t, p.seat.Turns(0, func() (bool, error) {
		p.Use(p.seat)
		for {
			rows, err := (*cmi.Rows)(nil), error(nil)
			if waits {
				waits = false
				p.posted++
				rows, err = p.Posted(ctx)
			} else if waits, err = p.Post(ctx, p.sql, args); waits {
				return true, nil
			} else if err == nil {
				rows, err = p.Query(ctx, p.sql, args...)
			}
			var all [][]any
			if err == nil {
				all = readAll(t, rows)
			}
			if !p.each(all, err) {
				p.Use(nil)

				return false, nil
			}
		}
	}))
}

// Queries that are posted have the rows that others have, however the network cuts them.
func TestPostedQueries(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 40)
	sql := "select value from " + table + " where name = ?"
	want := query(t, connect(t), sql, "a")
	require.Len(t, want, 40)
	for name, say := range map[string]func(net.Conn, io.Reader){
		"whole": func(to net.Conn, from io.Reader) { _, _ = io.Copy(to, from) },
		"in pieces": func(to net.Conn, from io.Reader) {
			piece := make([]byte, 700)
			for {
				n, err := from.Read(piece)
				if n > 0 {
					_, _ = to.Write(piece[:n])
					time.Sleep(time.Millisecond)
				}
				if err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, fetch := range []int64{0, 7} { // in one answer, and in several
				config := serverConfig(t)
				config.StatementCache, config.FetchRows, config.Dial = cmi.CacheAuto, fetch, relay(t, say)
				var loops eventloop.Loops
				done := 0
				p := &posting{Conn: connectTo(t, config), seat: loops.Seat(), sql: sql}
				p.each = func(rows [][]any, err error) bool {
					assert.NoError(t, err)
					assert.Equal(t, want, rows)
					done++

					return done < 20
				}
				p.run(withTimeout(t), t, "a")
				require.Equal(t, 18, p.posted, "all but those that prepare it")
				require.Equal(t, want, query(t, p.Conn, sql, "a"), "as others do afterwards")
			}
		})
	}
}

// What is wrong with an argument, or with the server, is an error as that of Query.
func TestPostedQueriesThatFail(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 4)
	sql := "select value from " + table + " where value > ?"
	config := serverConfig(t)
	config.StatementCache = cmi.CacheOn
	cut := make(chan struct{})
	config.Dial = relay(t, func(to net.Conn, from io.Reader) {
		go func() {
			<-cut
			_ = to.Close()
		}()
		_, _ = io.Copy(to, from)
	})
	var loops eventloop.Loops
	var errs []error
	done := 0
	p := &posting{Conn: connectTo(t, config), seat: loops.Seat(), sql: sql}
	p.each = func(_ [][]any, err error) bool {
		if done++; err != nil {
			errs = append(errs, err)
		}

		return done < 5 && err == nil
	}
	p.run(withTimeout(t), t, 1.0)
	require.Empty(t, errs)
	require.Equal(t, 4, p.posted)
	p.run(withTimeout(t), t, 1.0, 2.0)
	require.Len(t, errs, 1)
	requireKind(t, cmi.KindUsage, errs[0])
	require.False(t, p.Broken())

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.run(ctx, t, 1.0)
	require.Len(t, errs, 2)
	requireKind(t, cmi.KindCancelled, errs[1])

	done = -1 << 30
	p.each = func(_ [][]any, err error) bool {
		if done++; done == -1<<30+100 {
			close(cut)
		}
		if err != nil {
			errs = append(errs, err)
		}

		return err == nil
	}
	p.run(withTimeout(t), t, 1.0)
	require.Len(t, errs, 3)
	requireKind(t, cmi.KindConnection, errs[2])
	require.True(t, p.Broken())
}

// A deadline ends the wait for the answer to what was posted.
func TestPostedQueryThatIsTooLate(t *testing.T) {
	table := makeTable(t, tagTable)
	fillTable(t, table, 4)
	config := serverConfig(t)
	config.StatementCache = cmi.CacheOn
	stop := make(chan struct{})
	config.Dial = relay(t, func(to net.Conn, from io.Reader) {
		said := make([]byte, 64<<10)
		for {
			n, err := from.Read(said)
			select {
			case <-stop: // it says nothing more
			default:
				_, _ = to.Write(said[:n])
			}
			if err != nil {
				return
			}
		}
	})
	var loops eventloop.Loops
	done := 0
	p := &posting{Conn: connectTo(t, config), seat: loops.Seat(), sql: "select value from " + table + " where value > ?"}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var failed error
	p.each = func(_ [][]any, err error) bool {
		if done++; done == 5 {
			close(stop)
			time.AfterFunc(30*time.Millisecond, cancel)
		}
		failed = err

		return err == nil
	}
	p.run(ctx, t, 1.0)
	requireKind(t, cmi.KindCancelled, failed)
	require.Equal(t, 6, done)
}
