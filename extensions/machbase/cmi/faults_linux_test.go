//go:build servers

package cmi_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestServerKilledDuringQueries(t *testing.T) {
	server := startServer(t)
	server.table("t")
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	var done, failed, after atomic.Int64
	var restarted atomic.Bool
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var c *cmi.Conn
			for ctx.Err() == nil && after.Load() < 40 {
				late := restarted.Load()
				var err error
				if c == nil || c.Broken() {
					if c, err = cmi.Connect(ctx, server.config()); err != nil {
						c = nil
					}
				}
				if err == nil {
					_, err = c.Exec(ctx, "select count(*) from t where name = ?", "a")
				}
				switch {
				case err == nil && late:
					after.Add(1)
				case err == nil:
					done.Add(1)
				default:
					var e *cmi.Error
					if assert.ErrorAs(t, err, &e) {
						assert.Contains(t, []string{cmi.KindConnect, cmi.KindConnection, cmi.KindProtocol}, e.Kind, e.Error())
					}
					failed.Add(1)
				}
			}
			if c != nil {
				assert.NoError(t, c.Close())
			}
		})
	}
	require.Eventually(t, func() bool { return done.Load() > 50 }, patience, time.Millisecond)
	server.kill()
	require.Eventually(t, func() bool { return failed.Load() > 4 }, patience, time.Millisecond)
	server.start()
	restarted.Store(true)
	group.Wait()
	require.NoError(t, ctx.Err())
	require.GreaterOrEqual(t, after.Load(), int64(40))
}

func TestServerKilledDuringAppends(t *testing.T) {
	server := startServer(t)
	server.table("t")
	for range 3 {
		ctx := withTimeout(t)
		c := connectTo(t, server.config())
		was := count(t, c, "t")
		var acknowledged, appended atomic.Int64
		ended := make(chan error, 1)
		go func() {
			a, err := c.Append(ctx, "t", cmi.AppendOptions{})
			for i := int64(0); err == nil; i++ {
				appended.Store(i + 1)
				if err = a.Append(ctx, "a", start+i, float64(i)); err == nil && i%500 == 0 {
					var receipt cmi.Receipt
					receipt, err = a.Sync(ctx)
					acknowledged.Store(receipt.Accepted)
				}
			}
			ended <- err
		}()
		require.Eventually(t, func() bool { return acknowledged.Load() > 10_000 }, patience, time.Millisecond)
		server.kill()
		requireKind(t, cmi.KindConnection, <-ended)
		require.True(t, c.Broken())

		server.start()
		there := count(t, connectTo(t, server.config()), "t") - was
		require.GreaterOrEqual(t, there, acknowledged.Load())
		require.LessOrEqual(t, there, appended.Load())
	}
}

func TestServerStopped(t *testing.T) {
	server := startServer(t)
	server.table("t")
	patient := connectTo(t, server.config())
	a := openAppender(t, patient, "t")
	require.NoError(t, a.Append(withTimeout(t), "a", start, 1.0))
	hasty := map[string]*cmi.Conn{}
	for name := range calls {
		hasty[name] = connectTo(t, server.config())
	}
	server.stop()

	const deadline = 50 * time.Millisecond
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		requireKind(t, cmi.KindTimeout, call(ctx, hasty[name], "select count(*) from t"))
		cancel()
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	_, err := cmi.Connect(ctx, server.config())
	cancel()
	requireKind(t, cmi.KindTimeout, err)

	var receipt cmi.Receipt
	synced := make(chan error, 1)
	go func(ctx context.Context) {
		var err error
		receipt, err = a.Sync(ctx)
		synced <- err
	}(withTimeout(t))
	select {
	case err := <-synced:
		require.Fail(t, "the server is stopped, and answers", "%v", err)
	case <-time.After(deadline):
	}
	server.goOn()
	require.NoError(t, <-synced)
	require.EqualValues(t, 1, receipt.Accepted)
	closeAppender(t, a)
	require.EqualValues(t, 1, count(t, patient, "t"))
}
