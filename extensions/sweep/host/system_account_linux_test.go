//go:build !portable

package host

import (
	"net"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func TestMachineTimes(t *testing.T) {
	stat := []byte("cpu  10 20 30 400 5 6 7 8 90 90\ncpu0 1 2 3 4 5 6 7 8 9 9\ncpu1 1 2 3 4 5 6 7 8 9 9\nintr 1 2 3\ncpu9 1\n")
	m := parseMachine(stat, true)
	require.Equal(t, &machineTimes{
		processors: 2, idle: 4050 * time.Millisecond, interrupts: 130 * time.Millisecond, stolen: 80 * time.Millisecond,
	}, m)
	require.Zero(t, parseMachine(stat, false).interrupts)
	old := parseMachine([]byte("cpu  10 20 30 400\ncpu0 10 20 30 400\n"), true)
	require.Equal(t, &machineTimes{processors: 1, idle: 4 * time.Second}, old)
	require.Nil(t, parseMachine(nil, true))
}

func TestThrottledPeriods(t *testing.T) {
	stat := func(periods, throttled string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("usage_usec 1\nnr_periods " + periods + "\nnr_throttled " + throttled + "\n")}
	}
	read := func(periods, throttled string) systemAccount {
		return systemAccount{groups: controlGroups(fstest.MapFS{
			"proc/self/cgroup":                    {Data: []byte("2:memory:/other\n1:cpu,cpuacct:/a\n0::/b/c\n")},
			"sys/fs/cgroup/cpu/a/cpu.stat":        stat("5", "0"),
			"sys/fs/cgroup/cpu/cpu.stat":          {Data: []byte("nonsense\n")},
			"sys/fs/cgroup/b/cpu.stat":            stat(periods, throttled),
			"sys/fs/cgroup/b/c/cpu.stat":          {Data: []byte("usage_usec 1\n")}, // no quota, before Linux 6.0
			"sys/fs/cgroup/memory/other/cpu.stat": stat("0", "0"),
		})}
	}
	begin := read("10", "1")
	require.Len(t, begin.groups, 2)
	for _, tt := range []struct {
		periods, throttled string
		part               float64
	}{{"30", "6", 0.25}, {"13", "4", 1}, {"12", "3", 0}} {
		e, end := witness.Evidence{}, read(tt.periods, tt.throttled)
		end.since(&begin, e, 1)
		require.Equal(t, tt.part, e[witness.Throttled], tt.periods)
	}
}

func TestThreadTimes(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	begin := readAccount([]int32{server.pid})
	server.burn("burn", 100*time.Millisecond)
	end := readAccount([]int32{server.pid})
	e := witness.Evidence{}
	end.since(&begin, e, 0.2)
	require.GreaterOrEqual(t, e[witness.ServerThread], 0.2, "one of its threads had a part of 100 ms in 200")
	require.LessOrEqual(t, e[witness.ServerThread], 1.0)
	require.GreaterOrEqual(t, e[witness.Waited], 0.0)
}

func TestSocketEvidence(t *testing.T) {
	e := witness.Evidence{}
	begin := systemAccount{sockets: map[int]socket{
		3: {port: 1, sent: 100, again: 50, busy: 1e6}, 4: {port: 2, sent: 10, again: 10}, 5: {port: 3, sent: 7, again: 7},
	}}
	end := systemAccount{sockets: map[int]socket{
		3: {port: 1, sent: 200, again: 53, busy: 2e6, blocked: 5e5},
		4: {port: 9, sent: 50, again: 1}, // a new socket with a reused number
		6: {port: 4, sent: 50, again: 4}, // opened in the step
	}}
	end.since(&begin, e, 4)
	require.InDelta(t, 8, e[witness.SentAgain], 1e-9)
	require.InDelta(t, 8.0/200, e[witness.Retransmitted], 1e-9)
	require.InDelta(t, 0.5, e[witness.Blocked], 1e-9)
	e = witness.Evidence{}
	end.since(&begin, e, 11)
	require.NotContains(t, e, witness.Blocked, "they had hardly anything to send")
}

func connect(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })

	return conn
}

func TestPeers(t *testing.T) {
	_, _, known := peers()
	require.False(t, known, "there is no connection")
	server, other := startHelper(t, "127.0.0.1:0"), startHelper(t, "127.0.0.1:0")
	connect(t, server.address)
	pids, here, known := peers()
	require.True(t, known)
	require.True(t, here)
	require.Equal(t, []int32{server.pid}, pids)
	sockets, files := openSockets()
	require.Len(t, sockets, 1)
	require.Greater(t, files, 3)

	connect(t, other.address)
	_, _, known = peers()
	require.False(t, known, "one of each")
	connect(t, other.address)
	pids, _, known = peers()
	require.True(t, known)
	require.Equal(t, []int32{other.pid}, pids)

	own, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer own.Close()
	for range 3 {
		connect(t, own.Addr().String())
	}
	_, _, known = peers()
	require.False(t, known, "k6 is not its own server")
	require.NotContains(t, descendants([]int32{int32(os.Getppid())}), int32(os.Getpid()))
}
