package main

import (
	"bufio"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	codepb "google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

// logHeader names the columns of the log: the start in microseconds since 1970, the duration on the
// server in microseconds, and so on.
const logHeader = "start_us,duration_us,session,code,cached,total"

// calls counts ReadBulk calls, including failed ones.
type calls struct {
	Session           string `json:"session,omitempty"`
	Client            string `json:"client,omitempty"`
	TotalCalls        int    `json:"totalCalls"`
	SuccessfulCalls   int    `json:"successfulCalls"`
	FailedCalls       int    `json:"failedCalls"`
	TotalReadResults  int    `json:"totalReadResults"`
	CachedReadResults int    `json:"cachedReadResults"`
}

func (c *calls) add(failed bool, cached, results int) {
	c.TotalCalls++
	if failed {
		c.FailedCalls++
	} else {
		c.SuccessfulCalls++
	}
	c.CachedReadResults += cached
	c.TotalReadResults += results
}

// timed has durations on the server, from the arrival of the request to the answer. CallsPerSecond
// is for the time from the start of the first call to the end of the last.
type timed struct {
	calls

	DurationMs     float64 `json:"durationMs"`
	CallsPerSecond float64 `json:"callsPerSecond"`
	LatencyMs      latency `json:"latencyMs"`
}

// latency is in milliseconds. Percentiles are accurate to 1 %.
type latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// summary covers all calls since the start or the last reset.
type summary struct {
	Backend  string   `json:"backend"` // contains "emulator"
	Sessions []*calls `json:"sessions"`
	Total    timed    `json:"total"`
}

type recorder struct {
	backend string
	log     *bufio.Writer // nil for no log; keeps the first error and writes nothing after it

	mu         sync.Mutex
	sessions   []*calls
	known      map[string]*calls
	total      calls
	latencies  *hdrhistogram.Histogram // microseconds
	begin, end time.Time
}

func (r *recorder) record(s *session, begin time.Time, reply *pb.MxCommandReply, err error) {
	end, id, client := time.Now(), "unknown", ""
	if s != nil {
		id, client = s.id, s.client
	}
	cached, results := 0, reply.GetBulkRead().GetResults()
	for _, result := range results {
		if result.GetWasCached() {
			cached++
		}
	}
	code := outcome(reply, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil {
		fmt.Fprintf(r.log, "%d,%d,%s,%s,%d,%d\n", begin.UnixMicro(), end.Sub(begin).Microseconds(), id, code, cached, len(results))
	}
	if r.known[id] == nil {
		r.known[id] = &calls{Session: id, Client: client}
		r.sessions = append(r.sessions, r.known[id])
	}
	r.known[id].add(code != "OK", cached, len(results))
	r.total.add(code != "OK", cached, len(results))
	_ = r.latencies.RecordValue(end.Sub(begin).Microseconds())
	if r.begin.IsZero() || begin.Before(r.begin) {
		r.begin = begin
	}
	r.end = end
}

// outcome returns OK, a status code, or the name of a protocol status.
func outcome(reply *pb.MxCommandReply, err error) string {
	if err != nil {
		return codepb.Code(status.Code(err)).String()
	}
	if code := reply.GetProtocolStatus().GetCode(); code != pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_OK {
		return code.String()
	}
	return "OK"
}

// summary also flushes the log.
func (r *recorder) summary() summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.flush()
	took, h := r.end.Sub(r.begin), r.latencies
	s := summary{Backend: r.backend, Sessions: []*calls{}, Total: timed{
		calls: r.total, DurationMs: float64(took.Microseconds()) / 1000,
		LatencyMs: latency{
			float64(h.ValueAtQuantile(50)) / 1000, float64(h.ValueAtQuantile(95)) / 1000, float64(h.ValueAtQuantile(99)) / 1000,
			float64(h.Max()) / 1000, h.Mean() / 1000,
		},
	}}
	for _, one := range r.sessions {
		s.Sessions = append(s.Sessions, new(*one))
	}
	if took > 0 {
		s.Total.CallsPerSecond = float64(r.total.TotalCalls) / took.Seconds()
	}
	return s
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions, r.known, r.total, r.begin, r.end = nil, map[string]*calls{}, calls{}, time.Time{}, time.Time{}
	r.latencies = hdrhistogram.New(1, time.Hour.Microseconds(), 2)
}

func (r *recorder) flush() error {
	if r.log == nil {
		return nil
	}
	if err := r.log.Flush(); err != nil {
		return fmt.Errorf("-log: the log of calls is not whole: %w", err)
	}
	return nil
}
