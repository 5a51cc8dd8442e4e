package host

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// CPUMeter measures the processor time of k6 and a local server during a step.
type CPUMeter struct {
	server     *Server
	begin, end cpuReading
}

type cpuReading struct {
	k6, server         time.Duration
	known, knowsServer bool
}

// NewCPUMeter returns a meter. server may be nil.
func NewCPUMeter(server *Server) *CPUMeter { return &CPUMeter{server: server} }

// Start begins the measurement. It reads the server first, so that the work of Start itself counts
// for k6.
func (m *CPUMeter) Start() {
	m.begin = m.readServer()
	m.begin.k6 = selfTime()
}

// Stop ends the measurement.
func (m *CPUMeter) Stop() {
	k6 := selfTime()
	m.end = m.readServer()
	m.end.k6 = k6
}

func (m *CPUMeter) readServer() cpuReading {
	r := cpuReading{known: true}
	if m.server != nil {
		r.server, r.knowsServer = m.server.CPUTime()
	}

	return r
}

// ReadsServer reports whether the server is local.
func (m *CPUMeter) ReadsServer() bool { return m.server != nil }

// Spent returns the processor time between Start and Stop; zero without both.
func (m *CPUMeter) Spent() report.CPUSeconds {
	if !m.begin.known || !m.end.known {
		return report.CPUSeconds{}
	}
	spent := report.CPUSeconds{K6: (m.end.k6 - m.begin.k6).Seconds()}
	if m.begin.knowsServer && m.end.knowsServer {
		seconds := max(m.end.server-m.begin.server, 0).Seconds()
		spent.Server = &seconds
	}

	return spent
}
