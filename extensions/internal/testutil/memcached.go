package testutil

import (
	"net"
	"os/user"
	"testing"

	"github.com/stretchr/testify/require"
)

// MemcachedAddr returns the address of the memcached that all tests share. The test fails without
// one.
func MemcachedAddr(tb testing.TB) string {
	tb.Helper()

	return sharedAddr(tb, "MEMCACHED_URL", "memcached")
}

// StartMemcached starts a memcached with additional arguments on a free port.
func StartMemcached(tb testing.TB, args ...string) *Server {
	tb.Helper()
	addr := freeAddr(tb)
	host, port, err := net.SplitHostPort(addr)
	require.NoError(tb, err)

	return startMemcached(tb, addr, append([]string{"-l", host, "-p", port}, args...))
}

// StartMemcachedAtSocket starts a memcached that listens at a unix socket.
func StartMemcachedAtSocket(tb testing.TB, path string, args ...string) *Server {
	tb.Helper()

	return startMemcached(tb, path, append([]string{"-s", path}, args...))
}

func startMemcached(tb testing.TB, addr string, args []string) *Server {
	tb.Helper()
	current, err := user.Current()
	require.NoError(tb, err)
	s := &Server{
		Addr: addr, tb: tb, program: findProgram(tb, "memcached", "MEMCACHED_PID", "memcached"),
		args: append(args, "-U", "0", "-u", current.Username),
	}
	s.ready = s.dial

	return s.start()
}
