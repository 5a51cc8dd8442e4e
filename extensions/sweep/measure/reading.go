package measure

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Reading is what a step has come to so far. It may be taken at any time, by any goroutine.
type Reading struct {
	Started bool          // the start line was opened
	Elapsed time.Duration // since the start line; up to the last client's end once all have ended
	Ended   int           // clients that have ended
	Ops     []Totals      // by kind of operation, in the order of their names

	Complete       bool              // all clients have done their whole share
	FirstClient    time.Duration     // shortest client time: from its first operation's start to its last one's end
	LastClient     time.Duration     // longest
	AverageClient  time.Duration     // mean over the clients that started
	Errors         map[string]uint64 // error texts of failed operations, with how often each came
	ClientsStarted int
}

// Read takes a reading of the step.
func (s *Step) Read() Reading {
	r := Reading{Started: s.line.isOpen(), Complete: true, Errors: map[string]uint64{}}
	totals := map[string]*Totals{}

	var last, sum time.Duration
	for _, c := range s.clients {
		c.mu.Lock()
		recorders := c.recorders
		for message, n := range c.errors {
			r.Errors[message] += n
		}
		c.mu.Unlock()

		for _, rec := range recorders {
			t := totals[rec.op]
			if t == nil {
				t = &Totals{Op: rec.op}
				totals[rec.op] = t
			}
			t.add(rec)
		}

		r.Complete = r.Complete && c.complete.Load()
		started, ended := time.Duration(c.started.Load()), time.Duration(c.ended.Load())
		if ended != 0 {
			if r.Ended == 0 || ended > last {
				last = ended
			}
			r.Ended++
		}
		if started == 0 || ended == 0 {
			continue
		}
		took := max(ended-started, 0)
		if r.ClientsStarted == 0 {
			r.FirstClient = took
		}
		r.FirstClient = min(r.FirstClient, took)
		r.LastClient = max(r.LastClient, took)
		sum += took
		r.ClientsStarted++
	}
	if r.ClientsStarted > 0 {
		r.AverageClient = sum / time.Duration(r.ClientsStarted)
	}

	foldRarest(r.Errors)
	r.Elapsed = s.elapsed(r.Ended, last)
	for _, op := range slices.Sorted(maps.Keys(totals)) {
		r.Ops = append(r.Ops, *totals[op])
	}

	return r
}

// MostFrequent returns the texts in the order of their counts, the most frequent first.
func MostFrequent(counts map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// foldRarest counts all but the most frequent error texts under otherErrors: clients whose errors all differ, such as by
// a local port, would otherwise make a report of thousands of texts.
func foldRarest(errors map[string]uint64) {
	texts := slices.DeleteFunc(MostFrequent(errors), func(text string) bool { return text == otherErrors })
	for _, text := range texts[min(maxMessages, len(texts)):] {
		errors[otherErrors] += errors[text]
		delete(errors, text)
	}
}

// elapsed is the step time: from the start line to the last client's end, or to now while clients are at work.
func (s *Step) elapsed(ended int, last time.Duration) time.Duration {
	if !s.line.isOpen() {
		return 0
	}
	if ended < len(s.clients) {
		last = now()
	}

	return max(last-s.line.openedAt, 0)
}

// Op returns the totals of one kind of operation, or nil when there are none.
func (r *Reading) Op(name string) *Totals {
	for i := range r.Ops {
		if r.Ops[i].Op == name {
			return &r.Ops[i]
		}
	}

	return nil
}
