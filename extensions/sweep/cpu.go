package sweep

import (
	"net"
	"net/url"
	"os"
	"strconv"

	psnet "github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// serverProcess is the target's process when it runs on this machine.
type serverProcess = process.Process

// findServer returns the process that listens at the URL's port on this machine, or nil: the server is elsewhere, or
// this user may not know.
func findServer(target string) *serverProcess {
	u, err := url.Parse(target)
	if err != nil {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil
	}
	connections, err := psnet.Connections("tcp")
	if err != nil {
		return nil
	}
	for _, c := range connections {
		if c.Status == "LISTEN" && strconv.Itoa(int(c.Laddr.Port)) == u.Port() && c.Pid != 0 {
			if p, err := process.NewProcess(c.Pid); err == nil {
				return p
			}
		}
	}

	return nil
}

// cpuMeter reads how much processor time k6 and a local server have used.
type cpuMeter struct {
	self, server *process.Process
	begin        *report.CPUSeconds
}

func newCPUMeter(server *serverProcess) *cpuMeter {
	self, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		self = nil
	}

	return &cpuMeter{self: self, server: server}
}

// start takes the reading from which spent counts.
func (m *cpuMeter) start() {
	begin := m.read()
	m.begin = &begin
}

// spent is the processor time used since start; nothing when there was no start.
func (m *cpuMeter) spent() report.CPUSeconds {
	if m.begin == nil {
		return report.CPUSeconds{}
	}
	end := m.read()
	spent := report.CPUSeconds{K6: end.K6 - m.begin.K6}
	if end.Server != nil && m.begin.Server != nil {
		seconds := *end.Server - *m.begin.Server
		spent.Server = &seconds
	}

	return spent
}

func (m *cpuMeter) read() report.CPUSeconds {
	var r report.CPUSeconds
	if seconds := cpuSeconds(m.self); seconds != nil {
		r.K6 = *seconds
	}
	r.Server = cpuSeconds(m.server)

	return r
}

func cpuSeconds(p *process.Process) *float64 {
	if p == nil {
		return nil
	}
	times, err := p.Times()
	if err != nil {
		return nil
	}
	seconds := times.User + times.System

	return &seconds
}
