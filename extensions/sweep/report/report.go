package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Schema names the version of the JSON. A key never changes its meaning inside a version.
const Schema = "xk6-sweep/1"

// Report is one run of one scenario or, where it has Script, of all scenarios of a script.
type Report struct {
	Schema      string    `json:"schema"`
	Scenario    string    `json:"scenario"`
	Started     time.Time `json:"started"`
	Interrupted bool      `json:"interrupted"` // the user or an abort ended the run before its time
	Host        Host      `json:"host"`        // the machine that k6 ran on
	K6          string    `json:"k6"`          // version, such as "v2.2.0"

	// Fingerprint is nil where the state of the machine is not known.
	Fingerprint *Fingerprint `json:"fingerprint,omitempty"`

	Target    map[string]any `json:"target"` // kind, version, driver, url (without password); what the script told
	Params    map[string]any `json:"params"` // the executor's options and what the script told
	Published []Series       `json:"published,omitempty"`
	Search    *Search        `json:"search,omitempty"` // what `find` looked for and found
	Quiet     *Quiet         `json:"quiet,omitempty"`  // the wait for a target at rest, before the first step was measured
	Steps     []Step         `json:"steps"`            // in the order in which they ran, one for each kind of operation
	Duets     []Duet         `json:"duets,omitempty"`  // of steps in which two variants took turns, one for each kind of operation
	Gates     []Verdict      `json:"gates,omitempty"`  // the gates and thresholds that were judged, in the run or afterwards
	Marks     []Mark         `json:"marks,omitempty"`  // what happened in the run, in the order of time
	Tables    []Table        `json:"tables,omitempty"` // what the script has made of the figures
	Script    *Script        `json:"script,omitempty"` // of a script that is no sweep: the output sweep has made the report

	// SideBySide says which variants the page sets side by side; without it, each beside the first.
	SideBySide []Side `json:"sideBySide,omitempty"`
}

// Step is one kind of operation in one step of the sweep.
type Step struct {
	Clients    int     `json:"clients"`
	Rate       float64 `json:"rate,omitempty"`    // of an open-loop step: operations a second that were asked for
	Repeat     int     `json:"repeat"`            // from 1
	PerClient  uint64  `json:"perClient"`         // operations asked of each client; zero when a time was asked for
	Variant    string  `json:"variant,omitempty"` // what is compared: in steps of its own, or in turns (a duet); of a script, its scenario
	Op         string  `json:"op"`
	Operations int64   `json:"ops"`      // successful ones
	Failed     uint64  `json:"failed"`   // failed ones; never counted in ops
	Complete   bool    `json:"complete"` // every client did its whole share, and it can be measured

	// Timed is how many durations of ops were measured, where operations that a client did together,
	// in a pipeline, have one of all; zero: each has its own.
	Timed int64 `json:"timings,omitempty"`

	// TooShort is of a step with a duration that is not complete because too few operations ended
	// in it: how many, of all kinds together.
	TooShort *uint64 `json:"tooShort,omitempty"`

	// Started is the wall-clock time of the start line; zero in a step whose clients never
	// came to it.
	Started time.Time `json:"started,omitzero"`
	// Overlap is of a step merged from several parts: the part of the shortest one's time, 0 to 1,
	// in which all were at work.
	Overlap *float64 `json:"overlap,omitempty"`

	Seconds      float64 `json:"seconds"` // step time: start line to the last client's end
	OpsPerSecond float64 `json:"opsPerSecond"`

	Client  Clients   `json:"client"`
	Latency LatencyMs `json:"latencyMs"`

	// FailedLatency is of a step with failed operations whose durations are known.
	FailedLatency *FailedLatencyMs `json:"failedLatencyMs,omitempty"`
	// Window is of a step with a duration only.
	Window *Window `json:"window,omitempty"`
	// AllClients is of a step without a duration only, where it was measured by one instance of k6.
	AllClients *AllClients `json:"allClients,omitempty"`
	// OpenLoop is of an open-loop step only.
	OpenLoop *OpenLoop `json:"openLoop,omitempty"`
	// ClientWait is of a step whose clients take turns at event loops.
	ClientWait *ClientWaitMs `json:"clientWaitMs,omitempty"`
	// Witness is nil in a report of any script.
	Witness *Witness `json:"witness,omitempty"`
	// Standstill is nil in a report of any script.
	Standstill *Standstill `json:"standstill,omitempty"`
	// OverTime is what was done over time; nil of all but the first kinds of operations of a step.
	OverTime *OverTime `json:"overTime,omitempty"`
	// Slowest are the slowest successful operations, the slowest first.
	Slowest []Slow `json:"slowest,omitempty"`
	// Intervals say how well the figures are known; nil where that cannot be told.
	Intervals *Intervals `json:"intervals,omitempty"`

	Rows          uint64     `json:"rows"`
	BytesSent     uint64     `json:"bytesSent"`
	BytesReceived uint64     `json:"bytesReceived"`
	CPU           CPUSeconds `json:"cpuSeconds"`

	Histogram string `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
	Extra     Extra  `json:"extra"`
}

// Clients are the client times of a step in seconds: from the start of a client's first operation
// to the end of its last one. They are of all kinds of operations of the step together.
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

// ClientOps is how many successful operations the clients of a step did, each of them.
type ClientOps struct {
	Min       int64  `json:"min"`
	Max       int64  `json:"max"`
	P25       int64  `json:"p25"`
	P50       int64  `json:"p50"`
	P75       int64  `json:"p75"`
	Histogram string `json:"histogram"` // HDR histogram of numbers of operations, one value a client
}

// LatencyMs are the durations of the successful operations in milliseconds. In an open-loop step
// they begin when the operation was due, so that a stall counts for all that had to wait.
type LatencyMs struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// CPUSeconds is the processor time that was spent while the step was measured.
type CPUSeconds struct {
	K6     float64  `json:"k6"`
	Server *float64 `json:"server,omitempty"` // only when the server runs on this machine
}

// Extra holds what only some steps have.
type Extra struct {
	Errors    map[string]uint64 `json:"errors,omitempty"`    // error texts of failed operations and how often each came
	Unstarted uint64            `json:"unstarted,omitempty"` // operations of an open-loop step that were due and never started

	// Counters are what operations have counted beside themselves, by name, all kinds of operations
	// of the step together. A cache's have keys of their own.
	Counters measure.Counters `json:"counters,omitempty"`

	// Of a cache, all kinds of operations of the step together.
	Hits    uint64 `json:"hits,omitempty"`    // keys that were found
	Misses  uint64 `json:"misses,omitempty"`  // keys that were not
	Hot     uint64 `json:"hot,omitempty"`     // accesses to hot keys
	HotHits uint64 `json:"hotHits,omitempty"` // and those of them that found it

	HitRate    *float64 `json:"hitRate,omitempty"`    // percent of the keys that were asked for
	HotHitRate *float64 `json:"hotHitRate,omitempty"` // percent of the accesses to hot keys

	VMHWMBytes       uint64     `json:"vmHwmBytes,omitempty"`       // peak resident memory of the server's processes
	VMHWMSince       *time.Time `json:"vmHwmSince,omitempty"`       // since when; from their start where it is not told
	PerMemoryHitRate *float64   `json:"perMemoryHitRate,omitempty"` // hitRate, scaled down by the memory above the server's limit
	HitsPerSecondMem *float64   `json:"hitsPerSecondMem,omitempty"` // hits by seconds, scaled down as well
	OutMibPerSecond  *float64   `json:"outMibPerSecond,omitempty"`  // hits of average items, 2^20 bits a second
}

// Host is a machine.
type Host struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemBytes uint64 `json:"memBytes"`
	OS       string `json:"os"`
}

// Series is a result that somebody else has published, to be shown beside the measured one as a
// shape.
type Series struct {
	Label   string  `json:"label"`   // what was measured, such as "machgo, statement reuse"
	Source  string  `json:"source"`  // where it was published
	Machine string  `json:"machine"` // on what it was measured, as far as that is known
	Op      string  `json:"op"`      // the kind of operation that it is of
	Points  []Point `json:"points"`
}

// Point is one published figure.
type Point struct {
	Clients      int     `json:"clients"`
	OpsPerSecond float64 `json:"opsPerSecond"`
}

// What a search varies.
const (
	ofClients = "clients"
	ofRate    = "rate"
)

// Search is what `find` looked for, and what it found.
type Search struct {
	Of    string  `json:"of"`    // what was varied: "clients" or "rate"
	Bound string  `json:"bound"` // such as "p99 <= 5ms"
	Max   float64 `json:"max"`   // the most that was tried
	Found float64 `json:"found"` // the highest number that keeps the bound; zero when not even the lowest does

	// Bracket is what is sure of the answer; nil where the search is sure of nothing.
	Bracket *Bracket `json:"bracket,omitempty"`
	// Undecided are the numbers that were tried as often as allowed, and that are as near to the
	// bound as noise brings them; in ascending order.
	Undecided []float64 `json:"undecided,omitempty"`
	// Why says why the lowest of them is undecided, where that is not noise: a neighbour, say.
	Why string `json:"why,omitempty"`
}

// Bracket is between which numbers the answer of a search surely is: numbers that were tried again
// until that was clear.
type Bracket struct {
	// Low is the highest number that surely keeps the bound, at most the one that was found; zero
	// when there is none.
	Low float64 `json:"low"`
	// High is the lowest number above the one that was found that surely breaks the bound; zero
	// when there is none.
	High float64 `json:"high,omitempty"`
}

// JSON renders the report as indented JSON with a line end; a long list of numbers is one line.
func (r *Report) JSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // a gate reads "p99 <= 5ms"
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("report of %s: %w", r.Scenario, err)
	}

	return numbersOnOneLine(out.Bytes()), nil
}
