package testrun

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// asOne is for how long what happens again counts to one mark.
const asOne = time.Second

// mostEvictions is how many marks there are at most when one of an eviction is added: a cache that
// is full evicts all the time, and leaves room for others.
const mostEvictions = report.MostMarks / 2

// mark puts what has happened into a report, of which others may make copies meanwhile.
func (r *Results) mark(rep *report.Report, e happened.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	Mark(rep, e)
}

// Mark puts what has happened into a report. What happens often is one mark a second.
func Mark(rep *report.Report, e happened.Event) {
	for i := len(rep.Marks) - 1; i >= 0 && e.At.Sub(rep.Marks[i].At) < asOne; i-- {
		if m := &rep.Marks[i]; m.Kind == e.Kind && m.Text == e.Text {
			m.Times = max(m.Times, 1) + e.Times

			return
		}
	}
	if n := len(rep.Marks); n == report.MostMarks || e.Kind == happened.Evictions && n >= mostEvictions {
		return
	}
	m := report.Mark{At: e.At, Kind: e.Kind, Text: e.Text}
	if e.Times > 1 {
		m.Times = e.Times
	}
	rep.Marks = append(rep.Marks, m)
}

// LookAtServer tells when the server on this machine has ended, and when it was started again. It
// is called once a second.
func (s *Scenario) LookAtServer() { s.results.lookAtServer(s.Report.Scenario) }

func (r *Results) lookAtServer(scenario string) {
	for _, t := range r.toldOf(scenario) {
		r.mu.Lock()
		server, ended := t.server, t.ended
		url, _ := t.target["url"].(string)
		r.mu.Unlock()
		if server != nil && !ended && !server.Alive() {
			happened.Tell(happened.Restart, "the server has ended", 1)
			ended = true
		}
		if ended {
			if again := host.FindServer(url); again != nil {
				happened.Tell(happened.Restart, "the server was started again", 1)
				server, ended = again, false
			}
		}
		r.mu.Lock()
		t.server, t.ended = server, ended
		r.mu.Unlock()
	}
}

// toldOf is what the script has told of a scenario and of all of them.
func (r *Results) toldOf(scenario string) []*told {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*told
	for _, name := range []string{"", scenario} {
		if t := r.told[name]; t != nil {
			all = append(all, t)
		}
	}

	return all
}
