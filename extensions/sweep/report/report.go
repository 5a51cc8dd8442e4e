package report

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Schema names the version of the JSON. A key never changes its meaning inside a version.
const Schema = "xk6-sweep/1"

// Report is one run of one scenario.
type Report struct {
	Schema      string         `json:"schema"`
	Scenario    string         `json:"scenario"`
	Started     time.Time      `json:"started"`
	Interrupted bool           `json:"interrupted"` // the user or an abort ended the run before its time
	Host        Host           `json:"host"`        // the machine that k6 ran on
	K6          string         `json:"k6"`          // version, such as "v2.2.0"
	Target      map[string]any `json:"target"`      // kind, version, driver, url (without password); what the script told
	Params      map[string]any `json:"params"`      // the executor's options and what the script told
	Steps       []Step         `json:"steps"`       // in the order in which they ran, one for each kind of operation
}

// Step is one kind of operation in one step of the sweep.
type Step struct {
	Clients    int    `json:"clients"`
	Repeat     int    `json:"repeat"`    // from 1
	PerClient  uint64 `json:"perClient"` // operations asked of each client; zero when a time was asked for
	Op         string `json:"op"`
	Operations int64  `json:"ops"`      // successful ones
	Failed     uint64 `json:"failed"`   // failed ones; never counted in ops
	Complete   bool   `json:"complete"` // every client did its whole share

	Seconds      float64 `json:"seconds"` // step time: start line to the last client's end
	OpsPerSecond float64 `json:"opsPerSecond"`

	Client  ClientSeconds `json:"client"`
	Latency LatencyMs     `json:"latencyMs"`

	Rows          uint64     `json:"rows"`
	BytesSent     uint64     `json:"bytesSent"`
	BytesReceived uint64     `json:"bytesReceived"`
	CPU           CPUSeconds `json:"cpuSeconds"`

	Histogram string `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
	Extra     Extra  `json:"extra"`
}

// ClientSeconds are the shortest, longest and average client time: from the start of a client's first operation to the
// end of its last one.
type ClientSeconds struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	Avg float64 `json:"avg"`
}

// LatencyMs are the durations of the successful operations in milliseconds.
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
	Errors map[string]uint64 `json:"errors,omitempty"` // error texts of failed operations and how often each came
}

// Host is a machine.
type Host struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemBytes uint64 `json:"memBytes"`
	OS       string `json:"os"`
}

// NewSteps turns the last reading of a step into the report's steps: one for each kind of operation. A step in which
// no client came as far as an operation is reported under the name op, with nothing done.
func NewSteps(reading *measure.Reading, clients, repeat int, perClient uint64, op string, cpu CPUSeconds) ([]Step, error) {
	ops := reading.Ops
	if len(ops) == 0 {
		ops = []measure.Totals{{Op: op}}
	}

	steps := make([]Step, len(ops))
	for i := range ops {
		t := &ops[i]
		histogram, err := t.Durations.Encode()
		if err != nil {
			return nil, fmt.Errorf("step of %d clients, operation %q: %w", clients, t.Op, err)
		}
		steps[i] = Step{
			Clients: clients, Repeat: repeat, PerClient: perClient, Op: t.Op,
			Operations: t.Durations.Count, Failed: t.Failed, Complete: reading.Complete,
			Seconds:      reading.Elapsed.Seconds(),
			OpsPerSecond: Rate(t.Durations.Count, reading.Elapsed),
			Client: ClientSeconds{
				Min: reading.FirstClient.Seconds(),
				Max: reading.LastClient.Seconds(),
				Avg: reading.AverageClient.Seconds(),
			},
			Latency: Latency(&t.Durations),
			Rows:    t.Rows, BytesSent: t.BytesSent, BytesReceived: t.BytesReceived,
			CPU:       cpu,
			Histogram: histogram,
			Extra:     Extra{Errors: reading.Errors},
		}
	}

	return steps, nil
}

// Rate is n operations in elapsed as operations per second; zero when no time has passed.
func Rate(n int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}

	return float64(n) / elapsed.Seconds()
}

// Latency reads the percentiles from a distribution.
func Latency(d *measure.Distribution) LatencyMs {
	return LatencyMs{
		P50:  Ms(d.Quantile(0.5)),
		P90:  Ms(d.Quantile(0.9)),
		P95:  Ms(d.Quantile(0.95)),
		P99:  Ms(d.Quantile(0.99)),
		P999: Ms(d.Quantile(0.999)),
		Max:  Ms(d.Max),
		Mean: Ms(d.Mean()),
	}
}

// Ms is a duration in milliseconds.
func Ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// JSON renders the report as indented JSON with a line end.
func (r *Report) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", r.Scenario, err)
	}

	return append(out, '\n'), nil
}
