package host

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFindServer(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(server.address)
	require.NoError(t, err)

	for _, host := range []string{"127.0.0.1", "localhost", "user:secret@127.0.0.1", "[::ffff:127.0.0.1]"} {
		found := FindServer("cache://" + host + ":" + port + "/db")
		require.NotNil(t, found, host)
		require.Equal(t, []int32{server.pid}, found.pids, host)
	}
	for name, target := range map[string]string{
		"elsewhere":           "cache://192.0.2.1:" + port,
		"a name":              "cache://db.example:" + port,
		"another own address": "cache://127.0.0.2:" + port,
		"no port":             "cache://127.0.0.1",
		"no URL":              "://",
		"empty":               "",
	} {
		require.Nil(t, FindServer(target), name)
	}
}

func TestFindServerAmongThoseOfOnePort(t *testing.T) {
	first := startHelper(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(first.address)
	require.NoError(t, err)
	second := startHelper(t, "127.0.0.2:"+port)

	require.Equal(t, []int32{first.pid}, FindServer("cache://127.0.0.1:"+port).pids)
	require.Equal(t, []int32{second.pid}, FindServer("cache://127.0.0.2:"+port).pids)
	require.Nil(t, FindServer("cache://127.0.0.3:"+port))
}

func TestFindServerAtAllAddresses(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0"} {
		server := startHelper(t, address)
		_, port, err := net.SplitHostPort(server.address)
		require.NoError(t, err)
		found := FindServer("cache://127.0.0.7:" + port)
		require.NotNil(t, found, server.address)
		require.Equal(t, []int32{server.pid}, found.pids, server.address)
	}
}

func TestListenersPreferExactAddress(t *testing.T) {
	at := netip.MustParseAddrPort
	all := []listener{
		{at("[::]:5"), []int32{4}},
		{at("0.0.0.0:5"), []int32{3}},
		{at("127.0.0.1:5"), []int32{2}},
		{at("127.0.0.1:5"), []int32{1, 2}}, // workers with separate sockets
		{at("127.0.0.1:6"), []int32{9}},
		{at("127.0.0.1:7"), nil},
	}
	require.Equal(t, []int32{1, 2}, listeningAt(all, at("127.0.0.1:5")))
	require.Equal(t, []int32{3}, listeningAt(all, at("127.0.0.2:5")))
	require.Equal(t, []int32{4}, listeningAt(all, at("[::1]:5")))
	require.Empty(t, listeningAt(all, at("127.0.0.1:7")))
	require.Empty(t, listeningAt(all, at("[::1]:6")))
}

func TestServerTimeIncludesAllProcesses(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	process := FindServer("tcp://" + server.address)
	require.NotNil(t, process)
	read := func() time.Duration {
		used, ok := process.CPUTime()
		require.True(t, ok)

		return used
	}

	before := read()
	burnt := server.burn("burn", 30*time.Millisecond)
	alone := read()
	require.GreaterOrEqual(t, alone-before, burnt-time.Millisecond)

	burnt = server.burn("child", 100*time.Millisecond)
	withChild := read()
	require.GreaterOrEqual(t, withChild-alone, burnt-time.Millisecond, "a child that is there")

	server.end()
	_, ok := process.CPUTime()
	require.False(t, ok)
}
