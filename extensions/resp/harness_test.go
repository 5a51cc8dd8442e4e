package resp

import (
	"net"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// vu is a VU with the module as `resp` and the tests' server as `url`.
type vu struct {
	*testutil.Runner

	t *testing.T
}

func redisURL(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("REDIS_URL"); url != "" {
		return url
	}
	addr, err := startStub()
	require.NoError(t, err)

	return "redis://" + addr
}

var startStub = sync.OnceValues(runStub)

func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.Start(0)

	return v
}

func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{testutil.NewRunner(t, ImportPath, root), t}
	v.Set("url", redisURL(t))

	return v
}

type result struct {
	Succeeded, Failed, Wrong, Hits, Misses, HotAccesses, HotHits, Refused, BytesReceived, BytesSent, Left int
	Seconds                                                                                               float64
}

func (v *vu) bench(expression string) (r result) {
	v.t.Helper()
	v.Decode(expression, &r)

	return r
}

type thrown struct{ Message, Kind string }

func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "RespError", e.Name, "%v", e)

	return thrown{e.Message, e.Kind}
}

func step(t *testing.T, n int, plan measure.Plan, before, during string) measure.Reading {
	t.Helper()
	root := New()

	return testutil.Step(t, n, plan, "step", func() *testutil.Runner {
		v := newInitVU(t, root)
		v.Start(0)

		return v.Runner
	}, before, during)
}

func fake(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wait sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		wait.Wait()
	})
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})

	return listener.Addr().String()
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	testutil.RequireNoneLeft(t, "resp.(*client)", "resp/wire")
}
