package sweep

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// cpuMeter reads how much processor time k6 and a local server use between the start line of a step
// and the end of its last client.
type cpuMeter struct {
	server     *serverProcess // nil: it is not on this machine
	begin, end *cpuReading    // nil: not taken
}

// cpuReading is how much processor time has been used so far.
type cpuReading struct {
	k6, server  time.Duration
	knowsServer bool
}

func newCPUMeter(server *serverProcess) *cpuMeter { return &cpuMeter{server: server} }

// start takes the reading from which spent counts. That of the server comes first: k6 works for it.
func (m *cpuMeter) start() {
	r := &cpuReading{}
	m.readServer(r)
	r.k6 = selfTime()
	m.begin = r
}

// stop takes the reading up to which spent counts.
func (m *cpuMeter) stop() {
	r := &cpuReading{k6: selfTime()}
	m.readServer(r)
	m.end = r
}

func (m *cpuMeter) readServer(r *cpuReading) {
	if m.server != nil {
		r.server, r.knowsServer = m.server.cpuTime()
	}
}

// spent is the processor time used between start and stop; nothing without both.
func (m *cpuMeter) spent() report.CPUSeconds {
	if m.begin == nil || m.end == nil {
		return report.CPUSeconds{}
	}
	spent := report.CPUSeconds{K6: (m.end.k6 - m.begin.k6).Seconds()}
	if m.begin.knowsServer && m.end.knowsServer {
		seconds := max(m.end.server-m.begin.server, 0).Seconds()
		spent.Server = &seconds
	}

	return spent
}
