package testrun

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestMarksAreFew(t *testing.T) {
	results, rep := &Results{}, &report.Report{}
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	for i := range 3000 {
		e := measure.Event{At: at.Add(time.Duration(i) * time.Millisecond), Kind: "reconnect", Text: "a client connected", Times: 2}
		results.mark(rep, e)
		if i%1000 == 500 {
			results.mark(rep, measure.Event{At: e.At, Text: "failover", Times: 1})
		}
	}
	require.Len(t, rep.Marks, 6)
	require.Equal(t, report.Mark{At: at, Kind: "reconnect", Text: "a client connected", Times: 2000}, rep.Marks[0])
	require.Equal(t, report.Mark{At: at.Add(500 * time.Millisecond), Text: "failover"}, rep.Marks[1])
	require.Equal(t, at.Add(time.Second), rep.Marks[2].At)
	for i := range 2000 {
		results.mark(rep, measure.Event{At: at.Add(time.Minute), Text: fmt.Sprint(i), Times: 1})
	}
	require.Len(t, rep.Marks, report.MostMarks)
}

// A server that exits and starts again gives one mark each, and is then watched again.
func TestLookAtServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	url := "tcp://" + listener.Addr().String()
	server := host.FindServer(url)
	require.NotNil(t, server, "it is this process")

	results := &Results{meta: map[string]*scriptMeta{}}
	results.Meta(&Facts{Target: map[string]any{"url": url}})
	var all []string
	defer measure.OnEvent(func(e measure.Event) { all = append(all, e.Kind+": "+e.Text) })()
	results.checkServer("hot")
	require.Empty(t, all)

	results.meta[""].server = endedServer(t)
	results.meta[""].target["url"] = "tcp://127.0.0.1:1"
	results.checkServer("hot")
	results.checkServer("hot")
	require.Equal(t, []string{"restart: the server has ended"}, all)
	results.meta[""].target["url"] = url
	results.checkServer("hot")
	require.Equal(t, []string{"restart: the server has ended", "restart: the server was started again"}, all)
	results.checkServer("hot")
	require.Len(t, all, 2)
	require.Equal(t, server, results.meta[""].server)
}

func endedServer(t *testing.T) *host.Server {
	t.Helper()
	command := exec.Command("perl", "-MIO::Socket::INET", "-e",
		`$|=1; $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); print $s->sockport, "\n"; <STDIN>`)
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	buffer := make([]byte, 16)
	n, err := out.Read(buffer)
	require.NoError(t, err)
	server := host.FindServer("tcp://127.0.0.1:" + strings.TrimSpace(string(buffer[:n])))
	require.NotNil(t, server)
	require.True(t, server.Alive())
	require.NoError(t, in.Close())
	require.NoError(t, command.Wait())
	require.False(t, server.Alive())

	return server
}
