package k6x

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Dial connects as k6's own protocols do, with the test's hosts, DNS and blocked addresses. Modules
// count the bytes themselves, because k6 would do so only at the end of an iteration. A connection
// that a client makes after its step has started is reported as a reconnect.
func Dial(vu modules.VU) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer, session := vu.State().Dialer, SessionOf(vu)
	if turns, is := dialer.(*turnDialer); is {
		dialer = turns.DialContexter
	}

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err == nil && session != nil && session.Client.Started() {
			measure.TellEvent(measure.EventReconnect, "a client connected", 1)
		}
		if counted, ok := conn.(*netext.Conn); ok {
			return counted.Conn, err
		}

		return conn, err
	}
}

var errLate = errors.New("a relative path works only in the init context, like open(): call it there")

// ReadFile reads a file that an option names, as open() does: the path is relative to the script,
// and archives include the file. After the init context it reads absolute paths only.
func ReadFile(vu modules.VU, path string) ([]byte, error) {
	env := vu.InitEnv()
	switch {
	case env == nil && !filepath.IsAbs(path):
		return nil, errLate
	case env == nil:
		return os.ReadFile(path)
	}
	file, err := env.FileSystems["file"].Open(env.GetAbsFilePath(path))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read

	return io.ReadAll(file)
}

// TakeTurns makes the connections that other modules of the VU open from now on yield after each
// request, before they read. Otherwise a library that reads on its caller's goroutine, such as the
// one in k6/x/redis, would run many operations in a row while other clients wait.
//
// It cannot be undone, because a module's goroutines may dial after the step. Modules that use Dial
// yield in package eventloop.
func TakeTurns(state *lib.State) {
	if state == nil {
		return
	}
	if _, taken := state.Dialer.(*turnDialer); !taken {
		state.Dialer = &turnDialer{state.Dialer}
	}
}

type turnDialer struct{ lib.DialContexter }

// DialContext implements lib.DialContexter. It returns k6's own connection type.
func (d *turnDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.DialContexter.DialContext(ctx, network, address)
	if counted, is := conn.(*netext.Conn); is {
		counted.Conn = &turnConn{Conn: counted.Conn}
	}

	return conn, err
}

func (d *turnDialer) ResolveAddr(address string) (net.IP, int, error) {
	return d.DialContexter.(lib.AddrResolver).ResolveAddr(address) //nolint:forcetypeassert // k6's dialer is one
}

// turnConn is a connection that yields. Unlike eventloop.Conn it supports concurrent use.
type turnConn struct {
	net.Conn

	// asked is set by a write since the last read.
	asked atomic.Bool
}

func (c *turnConn) Read(b []byte) (int, error) {
	if c.asked.Load() && c.asked.Swap(false) {
		runtime.Gosched()
	}

	return c.Conn.Read(b)
}

func (c *turnConn) Write(b []byte) (int, error) {
	c.asked.Store(true)

	return c.Conn.Write(b)
}
