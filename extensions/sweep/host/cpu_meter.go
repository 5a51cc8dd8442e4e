package host

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// CPUMeter reads how much processor time k6 and a local server use between the start line of a step
// and the end of its last client.
type CPUMeter struct {
	// server is nil when it is not on this machine.
	server *Server
	// begin and end are nil until they are taken.
	begin, end *cpuReading
}

// cpuReading is how much processor time has been used so far.
type cpuReading struct {
	k6, server  time.Duration
	knowsServer bool
}

// NewCPUMeter returns a meter of k6 and of the server, which may be nil.
func NewCPUMeter(server *Server) *CPUMeter { return &CPUMeter{server: server} }

// Start takes the reading from which Spent counts. That of the server comes first: k6 works for it.
func (m *CPUMeter) Start() {
	r := &cpuReading{}
	m.readServer(r)
	r.k6 = selfTime()
	m.begin = r
}

// Stop takes the reading up to which Spent counts.
func (m *CPUMeter) Stop() {
	r := &cpuReading{k6: selfTime()}
	m.readServer(r)
	m.end = r
}

// ReadsServer tells whether the server is on this machine.
func (m *CPUMeter) ReadsServer() bool { return m.server != nil }

func (m *CPUMeter) readServer(r *cpuReading) {
	if m.server != nil {
		r.server, r.knowsServer = m.server.CPUTime()
	}
}

// Spent is the processor time used between Start and Stop; nothing without both.
func (m *CPUMeter) Spent() report.CPUSeconds {
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
