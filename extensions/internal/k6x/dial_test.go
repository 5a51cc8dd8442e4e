package k6x

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"
)

func TestDial(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(conn, conn)
		_ = conn.Close()
	}()

	dialer := netext.NewDialer(net.Dialer{}, nil)
	dialer.Blacklist = []*lib.IPNet{{IPNet: net.IPNet{IP: net.IPv4(127, 0, 0, 9), Mask: net.CIDRMask(32, 32)}}}
	dialer.Hosts, err = types.NewHosts(map[string]types.Host{"db.example": {IP: net.IPv4(127, 0, 0, 1)}})
	require.NoError(t, err)
	dial := Dial(&modulestest.VU{CtxField: t.Context(), StateField: &lib.State{Dialer: dialer}})

	_, err = dial(t.Context(), "tcp", "127.0.0.9:1")
	require.EqualError(t, err, "IP (127.0.0.9) is in a blacklisted range (127.0.0.9/32)")

	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	conn, err := dial(t.Context(), "tcp", net.JoinHostPort("db.example", port))
	require.NoError(t, err)
	_, err = conn.Write([]byte("hello"))
	require.NoError(t, err)
	echo := make([]byte, 5)
	_, err = io.ReadFull(conn, echo)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, "hello", string(echo))
	require.Zero(t, dialer.BytesRead+dialer.BytesWritten)
}
