package sweep

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestFindServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)

	for _, host := range []string{"127.0.0.1", "localhost", "user:secret@127.0.0.1"} {
		server := findServer("cache://" + host + ":" + port + "/db")
		require.NotNil(t, server, host)
		require.Equal(t, int32(os.Getpid()), server.Pid, "this test is the server")
	}
	for name, target := range map[string]string{
		"elsewhere": "cache://192.0.2.1:" + port,
		"a name":    "cache://db.example:" + port,
		"no port":   "cache://127.0.0.1",
		"no URL":    "://",
		"empty":     "",
	} {
		require.Nil(t, findServer(target), name)
	}
}

func TestCPUMeter(t *testing.T) {
	require.Equal(t, report.CPUSeconds{}, newCPUMeter(nil).spent(), "without a start there is nothing to count from")

	m := newCPUMeter(nil)
	m.start()
	for m.spent().K6 == 0 { //nolint:revive // until the kernel's clock has ticked
	}
	require.Nil(t, m.spent().Server)
	before := m.spent()
	m.start()
	require.Less(t, m.spent().K6, before.K6+1e-9)

	m = newCPUMeter(m.self)
	m.start()
	require.NotNil(t, m.spent().Server)
	require.GreaterOrEqual(t, *m.spent().Server, 0.0)
}
