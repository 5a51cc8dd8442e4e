package nats

import (
	"context"
	"testing"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestPanicsInOtherGoroutines(t *testing.T) {
	v := newInitVU(t, New())
	own, _ := New().NewModuleInstance(v.VU).(*k6x.Module)
	v.Start(1)
	var c *client
	conn := &connection{over: make(chan struct{})}
	func() {
		defer conn.contain("a callback")
		_ = c.config
	}()
	require.Equal(t, []string{k6x.KindInternal}, conn.failures)

	stopped := 0
	made := func() *feed[*natsio.Msg] {
		c := &client{module: &module{Module: own, shared: &sharedByAll{idle: idle{after: idleHint}}}}
		f := newFeed(c, conn, source[*natsio.Msg]{}, 1, nil)
		f.stop = func() { stopped++ }
		f.come <- &natsio.Msg{}

		return f
	}
	f := made()
	f.data = func(*natsio.Msg) []byte { return []byte(c.config.Name) }
	v.Set("begin", func() {
		f.push(func(sobek.Value, ...sobek.Value) (sobek.Value, error) { return sobek.Undefined(), nil })
	})
	_, err := v.RunOnEventLoop(`begin()`)
	require.ErrorContains(t, err, "a fault in k6's extensions or in a library")
	require.Positive(t, stopped)
	require.True(t, f.isOver())

	conn.in.Store(1)
	bounded := &boundedConn{into: conn}
	_, err = bounded.Read(make([]byte, 1))
	require.Equal(t, k6x.KindInternal, scriptError(err).Kind)
	d := &dialer{life: context.Background(), into: conn}
	_, err = d.Dial("tcp", "a:1")
	require.Equal(t, k6x.KindInternal, scriptError(err).Kind)
}
