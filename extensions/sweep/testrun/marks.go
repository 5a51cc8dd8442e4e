package testrun

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// asOne is the time within which repeated events become one mark.
const asOne = time.Second

func (r *Results) mark(rep *report.Report, e measure.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	Mark(rep, e)
}

// Mark adds an event to a report. Repeated events are one mark a second.
func Mark(rep *report.Report, e measure.Event) {
	for i := len(rep.Marks) - 1; i >= 0 && e.At.Sub(rep.Marks[i].At) < asOne; i-- {
		if m := &rep.Marks[i]; m.Kind == e.Kind && m.Text == e.Text {
			m.Times = max(m.Times, 1) + e.Times

			return
		}
	}
	if len(rep.Marks) == report.MostMarks {
		return
	}
	m := report.Mark{At: e.At, Kind: e.Kind, Text: e.Text}
	if e.Times > 1 {
		m.Times = e.Times
	}
	rep.Marks = append(rep.Marks, m)
}

// CheckServer detects the exit and restart of a server on this machine. Call it once a second.
func (s *Scenario) CheckServer() { s.results.checkServer(s.Report.Scenario) }

func (r *Results) checkServer(scenario string) {
	r.mu.Lock()
	all := r.metaOf(scenario)
	r.mu.Unlock()
	for _, t := range all {
		r.mu.Lock()
		server, ended := t.server, t.ended
		url, _ := t.target["url"].(string)
		r.mu.Unlock()
		if server != nil && !ended && !server.Alive() {
			measure.TellEvent(measure.EventRestart, "the server has ended", 1)
			ended = true
		}
		if ended {
			if again := host.FindServer(url); again != nil {
				measure.TellEvent(measure.EventRestart, "the server was started again", 1)
				server, ended = again, false
			}
		}
		r.mu.Lock()
		t.server, t.ended = server, ended
		r.mu.Unlock()
	}
}

// metaOf returns the facts for all scenarios, then for this one. The caller holds the mutex.
func (r *Results) metaOf(scenario string) (all []*scriptMeta) {
	for _, name := range []string{"", scenario} {
		if t := r.meta[name]; t != nil {
			all = append(all, t)
		}
	}

	return all
}
