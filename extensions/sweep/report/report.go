// Package report has the results of a run as data, and renders them: JSON to keep and compare,
// tables and a page to read. It does not depend on k6.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Schema is the version of the JSON. Keys keep their meaning within a version.
const Schema = "xk6-sweep/1"

// Report is one run of one scenario or, with Script, of all scenarios of a script.
type Report struct {
	Schema      string    `json:"schema"`
	Scenario    string    `json:"scenario"`
	Started     time.Time `json:"started"`
	Interrupted bool      `json:"interrupted"` // the run was stopped early by the user or an abort
	Host        Host      `json:"host"`        // the machine that k6 ran on
	K6          string    `json:"k6"`          // version, such as "v2.2.0"

	// Command is k6's command line without secrets; empty if unknown.
	Command string `json:"command,omitempty"`

	// Fingerprint is nil if unknown.
	Fingerprint *Fingerprint `json:"fingerprint,omitempty"`

	Target    map[string]any `json:"target"` // kind, version, driver, url (without password) from the script
	Params    map[string]any `json:"params"` // the executor's options and the script's parameters
	Published []Series       `json:"published,omitempty"`
	Search    *Search        `json:"search,omitempty"` // goal and result of find
	Quiet     *Quiet         `json:"quiet,omitempty"`  // the wait for an idle server before the first step
	Steps     []Step         `json:"steps"`            // in run order, one for each kind of operation
	Duets     []Duet         `json:"duets,omitempty"`  // one for each kind of operation of a duet
	Gates     []Verdict      `json:"gates,omitempty"`  // gates and thresholds, judged during the run or later
	Marks     []Mark         `json:"marks,omitempty"`  // events in order of time
	Tables    []Table        `json:"tables,omitempty"` // tables that the script made
	Script    *Script        `json:"script,omitempty"` // only in a report of -o sweep
}

// Step is one kind of operation in one step of the sweep.
type Step struct {
	Clients    int     `json:"clients"`
	Rate       float64 `json:"rate,omitempty"`    // operations a second asked for, in an open loop
	Repeat     int     `json:"repeat"`            // from 1
	PerClient  uint64  `json:"perClient"`         // operations asked of each client; zero for a step with a duration
	Variant    string  `json:"variant,omitempty"` // a variant's name; in a report of -o sweep, the scenario
	Op         string  `json:"op"`
	Operations int64   `json:"ops"`      // successful operations
	Failed     uint64  `json:"failed"`   // failed operations; never counted in ops
	Complete   bool    `json:"complete"` // every client did its whole share, and the step is long enough

	// Timed is the number of measured durations, if several operations share one, as in a pipeline;
	// else zero.
	Timed int64 `json:"timings,omitempty"`

	// TooShort is the number of finished operations of all kinds, if they are too few for a step with
	// a duration.
	TooShort *uint64 `json:"tooShort,omitempty"`

	// Started is the time of the start line; zero if no client reached it.
	Started time.Time `json:"started,omitzero"`
	// Overlap is the share of the shortest part's time in which all parts ran, 0 to 1, for a merged
	// step.
	Overlap *float64 `json:"overlap,omitempty"`

	Seconds      float64 `json:"seconds"` // from the start line to the last client's end
	OpsPerSecond float64 `json:"opsPerSecond"`

	Client  Clients   `json:"client"`
	Latency LatencyMs `json:"latencyMs"`

	// FailedLatency is nil without failed operations of known duration.
	FailedLatency *FailedLatencyMs `json:"failedLatencyMs,omitempty"`
	// Window is nil for a step without a duration.
	Window *Window `json:"window,omitempty"`
	// AllClients is nil for a step with a duration, and for a merged step.
	AllClients *AllClients `json:"allClients,omitempty"`
	// OpenLoop is nil for a closed loop.
	OpenLoop *OpenLoop `json:"openLoop,omitempty"`
	// ClientWait is the time from the arrival of an answer at the machine until its client read it,
	// for a sample of the answers. It is nil unless the clients run on event loops.
	ClientWait *AnswersMs `json:"clientWaitMs,omitempty"`
	// Requests is the total time of an operation's HTTP requests and gRPC calls. The script spent the
	// rest of the latency.
	Requests *AnswersMs `json:"requestMs,omitempty"`
	// Witness is nil in a report of -o sweep.
	Witness *Witness `json:"witness,omitempty"`
	// Standstill is nil in a report of -o sweep.
	Standstill *Standstill `json:"standstill,omitempty"`
	// OverTime is kept for the first kinds of operations of a step only.
	OverTime *OverTime `json:"overTime,omitempty"`
	// Slowest are the slowest successful operations, slowest first.
	Slowest   []Slow     `json:"slowest,omitempty"`
	Intervals *Intervals `json:"intervals,omitempty"`

	Rows          uint64     `json:"rows"`
	BytesSent     uint64     `json:"bytesSent"`
	BytesReceived uint64     `json:"bytesReceived"`
	CPU           CPUSeconds `json:"cpuSeconds"`

	Histogram string `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
	Extra     Extra  `json:"extra"`
}

// Clients are the client times of a step in seconds, from the start of a client's first operation
// to the end of its last one, for all kinds of operations.
type Clients struct {
	Min       float64   `json:"min"`
	Max       float64   `json:"max"`
	Avg       float64   `json:"avg"`
	P25       float64   `json:"p25"`
	P50       float64   `json:"p50"`
	P75       float64   `json:"p75"`
	Histogram string    `json:"histogram"` // HDR histogram of ns, one value a client
	Ops       ClientOps `json:"ops"`
}

// ClientOps is the distribution of successful operations per client.
type ClientOps struct {
	Min       int64  `json:"min"`
	Max       int64  `json:"max"`
	P25       int64  `json:"p25"`
	P50       int64  `json:"p50"`
	P75       int64  `json:"p75"`
	Histogram string `json:"histogram"` // HDR histogram of operations, one value a client
}

// LatencyMs are the durations of successful operations in milliseconds. In an open loop they start
// at the due time.
type LatencyMs struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// CPUSeconds is the CPU time used during the measured phase.
type CPUSeconds struct {
	K6     float64  `json:"k6"`
	Server *float64 `json:"server,omitempty"` // only if the server runs on this machine
}

// Extra has figures that only some steps have.
type Extra struct {
	Errors    map[string]uint64 `json:"errors,omitempty"`    // error texts of failed operations, with counts
	Unstarted uint64            `json:"unstarted,omitempty"` // due operations of an open loop that never started

	// Counters are the counters of operations by name, for all kinds of operations. A cache's counters
	// have their own keys.
	Counters measure.Counters `json:"counters,omitempty"`

	// For a cache, all kinds of operations together.
	Hits    uint64 `json:"hits,omitempty"`    // keys found
	Misses  uint64 `json:"misses,omitempty"`  // keys not found
	Hot     uint64 `json:"hot,omitempty"`     // accesses to hot keys
	HotHits uint64 `json:"hotHits,omitempty"` // hot keys found

	HitRate    *float64 `json:"hitRate,omitempty"`    // percent of the requested keys
	HotHitRate *float64 `json:"hotHitRate,omitempty"` // percent of the accesses to hot keys

	VMHWMBytes       uint64     `json:"vmHwmBytes,omitempty"`       // peak resident memory of the server's processes
	VMHWMSince       *time.Time `json:"vmHwmSince,omitempty"`       // since when; nil: since their start
	PerMemoryHitRate *float64   `json:"perMemoryHitRate,omitempty"` // hitRate, scaled down by memory above the server's limit
	HitsPerSecondMem *float64   `json:"hitsPerSecondMem,omitempty"` // hits a second, scaled down in the same way
	OutMibPerSecond  *float64   `json:"outMibPerSecond,omitempty"`  // hits times average item, in MiB/s
}

// Host describes the machine that k6 ran on.
type Host struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemBytes uint64 `json:"memBytes"`
	OS       string `json:"os"`
}

// Series is a published result, which the page shows scaled to this run.
type Series struct {
	Label   string  `json:"label"` // such as "machgo, statement reuse"
	Source  string  `json:"source"`
	Machine string  `json:"machine"` // as far as known
	Op      string  `json:"op"`      // kind of operation
	Points  []Point `json:"points"`
}

// Point is one published figure.
type Point struct {
	Clients      int     `json:"clients"`
	OpsPerSecond float64 `json:"opsPerSecond"`
}

// The values of Search.Of.
const (
	ofClients = "clients"
	ofRate    = "rate"
)

// Search is the goal and the result of find.
type Search struct {
	Of    string  `json:"of"`    // "clients" or "rate"
	Bound string  `json:"bound"` // such as "p99 <= 5ms"
	Max   float64 `json:"max"`   // highest number allowed
	Found float64 `json:"found"` // highest number that meets the bound; zero if none does, or if undecided

	// Bracket is nil if no bound is certain.
	Bracket *Bracket `json:"bracket,omitempty"`
	// Undecided are the numbers too close to the bound to decide, in ascending order.
	Undecided []float64 `json:"undecided,omitempty"`
	// Why is the reason for the lowest of them, if it is not noise.
	Why string `json:"why,omitempty"`
}

// Bracket has the certain bounds of a search's result, from numbers that were measured until clear.
type Bracket struct {
	// Low is the highest number that certainly meets the bound, at most the result; zero if none.
	Low float64 `json:"low"`
	// High is the lowest number above the result that certainly misses the bound; zero if none.
	High float64 `json:"high,omitempty"`
}

// numberList matches a list of numbers in indented JSON, and nothing in a string: those have no
// line breaks.
var numberList = regexp.MustCompile(`\[\n[-+0-9.eE,\s]+\]`)

// longList is the length, in characters, from which a list of numbers is put on one line.
const longList = 100

// JSON renders the report as indented JSON with a final newline. A long list of numbers is one
// line.
func (r *Report) JSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // gates contain "<="
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("report of %s: %w", r.Scenario, err)
	}

	return numbersOnOneLine(out.Bytes()), nil
}

func numbersOnOneLine(indented []byte) []byte {
	return numberList.ReplaceAllFunc(indented, func(list []byte) []byte {
		if len(list) <= longList {
			return list
		}

		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
}

// sameClass reports whether figures of both machines are comparable. Memory is ignored, because
// what a system reports depends on its kernel.
func (h Host) sameClass(other Host) bool {
	return h.CPU == other.CPU && h.Cores == other.Cores && h.OS == other.OS
}

// ThisHost describes this machine. Unknown fields stay empty.
func ThisHost() Host {
	h := Host{Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH}
	if info, err := cpu.Info(); err == nil && len(info) > 0 {
		h.CPU = info[0].ModelName
	}
	if memory, err := mem.VirtualMemory(); err == nil {
		h.MemBytes = memory.Total
	}

	return h
}

// Quiet is the result of waiting for an idle server.
type Quiet struct {
	// Reached reports whether the server was idle when the first step began.
	Reached bool `json:"reached"`
	// WaitedSeconds is the length of the wait or, for a remote server, of the additional warm-up.
	WaitedSeconds float64 `json:"waitedSeconds"`
	// ServerCores is the last CPU use of a server on this machine; nil for a remote server.
	ServerCores *float64 `json:"serverCores,omitempty"`
}

// Note returns a sentence if the server was not idle.
func (q *Quiet) Note() string {
	why := "its latency still changed"
	if q.ServerCores != nil {
		why = fmt.Sprintf("its server still used %.2f of a core", *q.ServerCores)
	}

	return fmt.Sprintf("The target was not quiet when the sweep began: after %s of waiting, %s.", Span(q.WaitedSeconds), why)
}

// worstQuiet returns the result of the part that did not reach an idle server or, among equal
// parts, waited longest. It returns nil if no part waited.
func worstQuiet(parts []*Report) (worst *Quiet) {
	for _, part := range parts {
		switch q := part.Quiet; {
		case q == nil:
		case worst == nil, worst.Reached && !q.Reached, worst.Reached == q.Reached && q.WaitedSeconds > worst.WaitedSeconds:
			worst = q
		}
	}

	return worst
}

// Mark is an event in a run.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Kind is the source of the mark; empty for sweep.mark of the script.
	Kind string `json:"kind,omitempty"`
	// Times counts repetitions within a short time; zero for a single event.
	Times uint64 `json:"times,omitempty"`
}

// MostMarks is the most marks in a report.
const MostMarks = 1000

// Shown returns the text with its count.
func (m *Mark) Shown() string {
	text := oneLineOf(m.Text)
	if m.Times > 1 {
		text += fmt.Sprintf(" (%s times)", Thousands(int64(m.Times)))
	}

	return text
}

// mergedMarks returns the marks of all parts in order of time, without duplicates.
func mergedMarks(parts []*Report) []Mark {
	var all []Mark
	for _, part := range parts {
		all = append(all, part.Marks...)
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return a.At.Compare(b.At) })
	all = slices.CompactFunc(all, func(a, b Mark) bool { return a.At.Equal(b.At) && a.Text == b.Text && a.Kind == b.Kind })

	return all[:min(len(all), MostMarks)]
}
