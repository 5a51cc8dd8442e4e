package host

import (
	"slices"
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

// DuetMeter measures the processor time of each variant of a duet, for k6 and local servers. One
// goroutine uses it.
//
// If each variant has its own server, the server's time in the step belongs to its variant. The
// time of k6 and of a shared server is read at slice borders. Slices next to a late reading are
// left out and extrapolated from the others.
type DuetMeter struct {
	servers [2]*Server
	shared  bool
	// clocked is true if shared time can be read at each border.
	clocked bool
	// alone measures servers that are not shared.
	alone [2]*CPUMeter

	last *duetReading
	sums [2]duetSum
}

type duetReading struct {
	at      time.Time
	variant int
	onTime  bool
	reading cpuReading
}

type duetSum struct {
	time, k6, server time.Duration
	knowsServer      bool
}

// NewDuetMeter returns a meter. The servers may be nil or equal.
func NewDuetMeter(base, change *Server) *DuetMeter {
	m := &DuetMeter{servers: [2]*Server{base, change}}
	m.shared = base != nil && change != nil && base.same(change)
	m.clocked = m.shared && !base.forks()
	for i, server := range m.servers {
		if !m.shared {
			m.alone[i] = NewCPUMeter(server)
			m.alone[i].Start()
		}
	}

	return m
}

// Turn notes the start of a slice of base or change.
func (m *DuetMeter) Turn(variant string, onTime bool) {
	r := &duetReading{at: time.Now(), onTime: onTime}
	if variant == report.Change {
		r.variant = 1
	}
	r.reading.k6 = selfTime()
	if m.clocked {
		r.reading.server, r.reading.knowsServer = m.servers[0].clock()
	}
	if before := m.last; before != nil && before.onTime && onTime {
		s := &m.sums[before.variant]
		s.time += r.at.Sub(before.at)
		s.k6 += r.reading.k6 - before.reading.k6
		s.server += r.reading.server - before.reading.server
		s.knowsServer = before.reading.knowsServer && r.reading.knowsServer
	}
	m.last = r
}

// Stop notes the end of the step.
func (m *DuetMeter) Stop() {
	for _, alone := range m.alone {
		if alone != nil {
			alone.Stop()
		}
	}
}

// Spent returns the processor time of a variant. together is the total length of its slices.
func (m *DuetMeter) Spent(variant string, together time.Duration) report.CPUSeconds {
	i := 0
	if variant == report.Change {
		i = 1
	}
	s := &m.sums[i]
	spent := report.CPUSeconds{}
	if s.time > 0 {
		part := together.Seconds() / s.time.Seconds()
		spent.K6 = part * s.k6.Seconds()
		if s.knowsServer {
			server := part * s.server.Seconds()
			spent.Server = &server
		}
	}
	if m.alone[i] != nil {
		spent.Server = m.alone[i].Spent().Server
	}

	return spent
}

func (p *Server) same(other *Server) bool { return slices.Equal(p.pids, other.pids) }
