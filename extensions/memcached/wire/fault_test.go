package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

var getK = wire.Request{Verb: wire.Get, Key: b("k")}

func TestServerThatNeverAnswers(t *testing.T) {
	c := dial(t, wire.Config{Address: testutil.SilentServer(t), Timeout: 50 * time.Millisecond})
	begin := time.Now()
	err := c.Do(&getK, &wire.Reply{})
	require.Equal(t, "no answer within timeout (50ms)", requireKind(t, wire.KindTimeout, err).Message)
	require.Less(t, time.Since(begin), 5*time.Second)
	require.True(t, c.Broken())
}

// The timeout applies to the whole call, even if it sends its requests in several parts.
func TestServerThatAnswersSlowly(t *testing.T) {
	addr := testutil.FakeServer(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line == "set "+strings.Repeat("k", 250)+" 0 0 32768\r\n" {
				time.Sleep(50 * time.Millisecond)
				_, _ = conn.Write(b("STORED\r\n"))
			}
		}
	})
	c := dial(t, wire.Config{Address: addr, Timeout: 500 * time.Millisecond})
	requests := make([]wire.Request, 100)
	for i := range requests {
		requests[i] = wire.Request{Verb: wire.Set, Key: bytes.Repeat(b("k"), 250), Value: make([]byte, 32<<10)}
	}
	replies := make([]wire.Reply, len(requests))
	requireKind(t, wire.KindTimeout, c.Pipeline(requests, replies))
	require.Equal(t, wire.OK, replies[0].Status)
	requireKind(t, wire.KindTimeout, replies[99].Err)
}

func waiting(t *testing.T) (addr string, reached chan struct{}) {
	t.Helper()
	reached = make(chan struct{})

	return testutil.FakeServer(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1000))
		close(reached)
		_, _ = conn.Read(make([]byte, 1))
	}), reached
}

func TestInterrupt(t *testing.T) {
	addr, reached := waiting(t)
	c := dial(t, wire.Config{Address: addr, Timeout: time.Hour})
	go func() {
		<-reached
		c.Interrupt()
	}()
	requireKind(t, wire.KindCancelled, c.Do(&getK, &wire.Reply{}))
	require.True(t, c.Broken())
	c.Interrupt()
	requireKind(t, wire.KindConnection, c.Do(&getK, &wire.Reply{}))
}

func TestInterruptBeforeTheCall(t *testing.T) {
	c := dial(t, wire.Config{Address: testutil.SilentServer(t), Timeout: time.Hour})
	c.Interrupt()
	require.True(t, c.Broken())
	requireKind(t, wire.KindCancelled, c.Do(&getK, &wire.Reply{}))
}

func TestCloseWhileACallIsUnderWay(t *testing.T) {
	addr, reached := waiting(t)
	c := dial(t, wire.Config{Address: addr, Timeout: time.Hour})
	failed := make(chan error)
	go func() { failed <- c.Do(&getK, &wire.Reply{}) }()
	<-reached
	c.Close()
	require.Equal(t, "the connection was closed", requireKind(t, wire.KindConnection, <-failed).Message)
	c.Close()
}

func TestConnectingThatIsCancelledOrTooSlow(t *testing.T) {
	silent := testutil.SilentServer(t)
	login := wire.Config{Address: silent, User: "ann", Password: "s3cret", ConnectTimeout: 50 * time.Millisecond}
	_, err := wire.Dial(context.Background(), &login)
	require.Equal(t, "cannot connect to "+silent+": no answer within connectTimeout (50ms)", requireKind(t, wire.KindConnect, err).Message)

	login.ConnectTimeout = time.Hour
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = wire.Dial(ctx, &login)
	requireKind(t, wire.KindConnect, err)

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = wire.Dial(ctx, &login)
	requireKind(t, wire.KindCancelled, err)

	_, err = wire.Dial(context.Background(), &wire.Config{Address: testutil.AnsweringServer(t, "HTTP/1.1 400 Bad Request\r\n"), User: "ann"})
	requireKind(t, wire.KindConnect, err)
	_, err = wire.Dial(context.Background(), &wire.Config{Address: "no-such-host.invalid:1"})
	require.Equal(t, "cannot connect to no-such-host.invalid:1: there is no such host", requireKind(t, wire.KindConnect, err).Message)
}

func TestAnnouncedSizeIsNotAllocated(t *testing.T) {
	for name, answer := range map[string]string{"text": "VALUE k 0 1000000000\r\nxyz", "meta": "VA 1000000000 f0 O1\r\nxyz"} {
		c, _ := answers(t, protocols[name], answer, 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		requireKind(t, wire.KindConnection, c.Do(&getK, &wire.Reply{}))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}
