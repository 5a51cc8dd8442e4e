package emulator

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"
)

// maxRecorded is the number of sessions with their own summary; calls of later ones count only in
// the total.
const maxRecorded = 1000

const unknownSession = "unknown"

// Latency is in milliseconds. Percentiles are accurate to 1 %.
type Latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// Calls is a summary of ReadBulk calls, including failed ones. Durations are measured on the
// server, from the arrival of the request to the answer; calls/s are calculated for the time from
// the start of the first call to the end of the last.
type Calls struct {
	Session           string  `json:"session"`
	Client            string  `json:"client,omitempty"`
	DurationMs        float64 `json:"durationMs"`
	TotalCalls        uint64  `json:"totalCalls"`
	SuccessfulCalls   uint64  `json:"successfulCalls"`
	FailedCalls       uint64  `json:"failedCalls"`
	TotalReadResults  uint64  `json:"totalReadResults"`
	CachedReadResults uint64  `json:"cachedReadResults"`
	CallsPerSecond    float64 `json:"callsPerSecond"`
	Latency           Latency `json:"latencyMs"`
}

// Summary covers all ReadBulk calls since the start or the last reset.
type Summary struct {
	Backend  string  `json:"backend"` // contains "emulator"
	Sessions []Calls `json:"sessions"`
	Total    Calls   `json:"total"`
}

// Print writes the summary as a table.
func (s Summary) Print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(w, "%s: ReadBulk on the server's side, latencies in ms\n", s.Backend)
	_, _ = fmt.Fprintln(table, "session\tclient\tcalls/sec\tcalls\tfailed\tcached/total\tp50\tp95\tp99\tmax\t")
	for _, c := range append(s.Sessions, s.Total) {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%.2f\t%d\t%d\t%d/%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n",
			c.Session, c.Client, c.CallsPerSecond, c.TotalCalls, c.FailedCalls, c.CachedReadResults, c.TotalReadResults,
			c.Latency.P50, c.Latency.P95, c.Latency.P99, c.Latency.Max)
	}
	_ = table.Flush()
}

type readCall struct {
	session, client string
	begin, end      time.Duration
	code            string // OK, a status code, or the name of a protocol status
	cached, total   int
}

type recorder struct {
	backend string
	start   time.Time

	mu       sync.Mutex
	log      *bufio.Writer // nil for no log; keeps the first error and writes nothing after it
	order    []string
	sessions map[string]*sums
	total    sums
}

type sums struct {
	client                string
	latency               histogram
	begin, end            time.Duration
	failed, cached, items uint64
}

func newRecorder(backend string, start time.Time, log io.Writer) *recorder {
	r := &recorder{backend: backend, start: start, sessions: map[string]*sums{}}
	if log != nil {
		r.log = bufio.NewWriter(log)
		_, _ = fmt.Fprintln(r.log, "start_us,duration_us,session,code,cached,total")
	}
	return r
}

func (r *recorder) record(call readCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil {
		_, _ = fmt.Fprintf(r.log, "%d,%d,%s,%s,%d,%d\n", r.start.Add(call.begin).UnixMicro(), (call.end - call.begin).Microseconds(),
			call.session, call.code, call.cached, call.total)
	}
	r.total.add(call)
	session := r.sessions[call.session]
	if session == nil {
		if len(r.order) == maxRecorded {
			return
		}
		session = &sums{client: call.client}
		r.sessions[call.session] = session
		r.order = append(r.order, call.session)
	}
	session.add(call)
}

func (s *sums) add(call readCall) {
	if s.latency.total == 0 {
		s.begin = call.begin
	}
	s.begin, s.end = min(s.begin, call.begin), max(s.end, call.end)
	s.latency.add(call.end - call.begin)
	if call.code != "OK" {
		s.failed++
	}
	s.cached += uint64(call.cached)
	s.items += uint64(call.total)
}

// summary also flushes the log.
func (r *recorder) summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.flush()
	summary := Summary{Backend: r.backend, Sessions: []Calls{}, Total: r.total.calls("total")}
	for _, id := range r.order {
		summary.Sessions = append(summary.Sessions, r.sessions[id].calls(id))
	}
	return summary
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.flush()
	r.order, r.sessions, r.total = nil, map[string]*sums{}, sums{}
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.flush(); err != nil {
		return fmt.Errorf("the log of calls is not whole: %w", err)
	}
	return nil
}

func (r *recorder) flush() error {
	if r.log == nil {
		return nil
	}
	return r.log.Flush()
}

func (s *sums) calls(session string) Calls {
	calls := Calls{
		Session: session, Client: s.client, DurationMs: milliseconds(s.end - s.begin),
		TotalCalls: s.latency.total, SuccessfulCalls: s.latency.total - s.failed, FailedCalls: s.failed,
		TotalReadResults: s.items, CachedReadResults: s.cached,
		Latency: Latency{
			P50: s.latency.quantile(0.50), P95: s.latency.quantile(0.95), P99: s.latency.quantile(0.99),
			Max: milliseconds(s.latency.max), Mean: s.latency.mean(),
		},
	}
	if s.end > s.begin {
		calls.CallsPerSecond = float64(s.latency.total) / (s.end - s.begin).Seconds()
	}
	return calls
}
