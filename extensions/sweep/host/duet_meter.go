package host

import (
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// DuetMeter reads how much processor time each variant of a duet takes: of k6, and of the servers
// on this machine. It is for one goroutine.
//
// Where each variant has a server of its own, all that the server uses in the step is its
// variant's. What both have in common, k6 and a shared server, is read at the borders of slices. A
// reading that came late says nothing of the slices around it: these are left out, and the others
// stand for them.
type DuetMeter struct {
	// servers are those of base and of change; nil where they are not on this machine.
	servers [2]*Server
	// shared tells that both are the same.
	shared bool
	// clocked tells that what they share can be read at each border.
	clocked bool
	// alone are what servers used that are not shared.
	alone [2]*CPUMeter

	last *duetReading
	sums [2]duetSum
}

// duetReading is what was read at a border.
type duetReading struct {
	at time.Time
	// variant is the place of the one whose slice began.
	variant int
	onTime  bool
	reading cpuReading
}

// duetSum is what slices of a variant took whose borders were read in time.
type duetSum struct {
	time, k6, server time.Duration
	knowsServer      bool
}

// NewDuetMeter returns a meter of k6 and of the servers, which may be nil, or the same.
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

// Turn says that a slice begins: of base or of change, in time or late.
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

// Stop says that the step has ended.
func (m *DuetMeter) Stop() {
	for _, alone := range m.alone {
		if alone != nil {
			alone.Stop()
		}
	}
}

// Spent is the processor time of a variant, whose slices took so long together.
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

// same tells whether both are the same processes.
func (p *Server) same(other *Server) bool { return slices.Equal(p.pids, other.pids) }
