package workload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	phaseLoad = "load"
	phaseRun  = "run"
)

// Counters of a step: total times of the reads and updates in read-modify-writes, and records
// returned by scans.
const (
	countReads   = "readModifyWriteReadMicroseconds"
	countUpdates = "readModifyWriteUpdateMicroseconds"
	countRecords = "scannedRecords"
)

// YCSBShared is the state that all clients of a module share. The zero value is ready to use.
type YCSBShared struct {
	runs Shared

	workloads memo[string, *ycsb.Workload] // workloads by server and options
	loads     memo[loadKey, *ycsb.Load]
}

// loadKey identifies the clients that share a load phase.
type loadKey struct {
	workload *ycsb.Workload
	of       any
}

// Workload returns the workload that clients of a target share if their options have the same text.
func (s *YCSBShared) Workload(target string, text []byte) (*ycsb.Workload, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}

	return s.workloads.of(target+"\n"+string(text), func() (*ycsb.Workload, error) {
		var options ycsb.Options
		if err := json.Unmarshal(text, &options); err != nil {
			return nil, err
		}

		return ycsb.New(options), nil
	})
}

// Load returns the load phase that a group of clients shares.
func (s *YCSBShared) Load(work *ycsb.Workload, of any) *ycsb.Load {
	load, _ := s.loads.of(loadKey{work, of}, func() (*ycsb.Load, error) { return work.NewLoad(), nil })

	return load
}

// phase holds the options of a call of client.ycsb.
type phase struct {
	Phase      string   `json:"phase"`
	Iterations int      `json:"iterations"`
	Tags       k6x.Tags `json:"tags"`
}

func (p *phase) validate() error {
	switch {
	case p.Phase != phaseLoad && p.Phase != phaseRun:
		return fmt.Errorf("option phase must be '%s' or '%s', not %q", phaseLoad, phaseRun, p.Phase)
	case p.Iterations < 0:
		return fmt.Errorf("option iterations must be a number of operations, not %d", p.Iterations)
	case p.Iterations == 0 && p.Phase == phaseRun:
		return errors.New("option iterations must be given: how many operations the call does")
	default:
		return nil
	}
}

// YCSBBench keeps a script client's state between runs. It belongs to one VU.
type YCSBBench struct {
	host   Host
	shared *YCSBShared
	target string
	store  ycsb.Store
	work   map[string]*ycsb.Client

	*observer[ycsb.Op]
	parts [2]part // reads and updates of read-modify-writes
}

// NewYCSB returns a client's bench. All clients of a module pass the same shared. Clients with the
// same target insert into one workload.
func NewYCSB(host Host, shared *YCSBShared, target string, moving Moving, store ycsb.Store) *YCSBBench {
	runs := NewRuns(host, &shared.runs, moving)

	return &YCSBBench{
		host: host, shared: shared, target: target, store: store, work: map[string]*ycsb.Client{},
		observer: newObserver(runs, ycsb.Op.String),
	}
}

// TakeTurns runs operations as jobs at the seat's event loop.
func (b *YCSBBench) TakeTurns(seat *eventloop.Seat) { b.runs.TakeTurns(seat) }

// Run implements client.ycsb(workload, { phase, iterations }).
func (b *YCSBBench) Run(call sobek.FunctionCall) sobek.Value {
	if b.runs.Join() { // a new step restarts the random streams
		clear(b.work)
		b.observer, b.parts = newObserver(b.runs, ycsb.Op.String), [2]part{}
	}
	client, asked, err := b.asked(call)
	if err != nil {
		b.host.Throw(k6x.Misuse("ycsb: %s", err))
	}
	b.host.Tag(asked.Tags)
	defer b.host.Tag(k6x.Tags{})
	var result ycsb.Result
	left := int64(0)
	err = b.runs.Do(func(ctx context.Context) (err error) {
		if asked.Phase == phaseRun {
			result, err = client.Run(ctx, b, asked.Iterations)

			return err
		}
		_, _, of := b.runs.Place()
		load := b.shared.Load(client.Workload(), of)
		result, err = client.RunLoad(ctx, b, load, asked.Iterations)
		left = load.Left()

		return err
	})
	b.count(&result)
	if err != nil {
		fail(b.host, err)
	}
	b.runs.LogFailures(result.Failed, result.Succeeded)
	if asked.Phase == phaseLoad && left == 0 && b.runs.idles(result.Succeeded+result.Failed) {
		b.host.Throw(k6x.Misuse("ycsb: all records are loaded, %s", stepGoesOn))
	}

	return k6x.Plain(b.host.VU().Runtime(), map[string]any{
		"succeeded": result.Succeeded, "failed": result.Failed, "wrong": result.Wrong, "missing": result.Missing,
		"records": result.Records, "bytesReceived": result.BytesReceived, "bytesSent": result.BytesSent,
		"left": left, "seconds": result.Took.Seconds(),
	})
}

// asked returns a call's client and phase.
func (b *YCSBBench) asked(call sobek.FunctionCall) (client *ycsb.Client, p phase, err error) {
	if err := k6x.ReadOptions(call.Argument(1), &p); err != nil {
		return nil, p, err
	}
	if err := p.validate(); err != nil {
		return nil, p, err
	}
	text, err := k6x.OptionsJSON(call.Argument(0))
	if err != nil {
		return nil, p, err
	}
	client = b.work[string(text)]
	if client == nil {
		work, err := b.shared.Workload(b.target, text)
		if err != nil {
			return nil, p, err
		}
		index, _, _ := b.runs.Place()
		client = work.Client(index)
		b.work[string(text)] = client
	}

	return client, p, client.On(b.store)
}

// count adds a run's counters to the step.
func (b *YCSBBench) count(result *ycsb.Result) {
	client := b.runs.Client()
	if client == nil {
		return
	}
	if result.Records > 0 {
		client.Counter(countRecords).Add(result.Records)
	}
	if result.Missing > 0 {
		client.Counter(measure.Misses).Add(result.Missing)
	}
}

// Parts implements ycsb.Observer.
func (b *YCSBBench) Parts(read, update time.Duration) {
	client := b.runs.Client()
	if client == nil {
		return
	}
	if b.parts[0].counter == nil {
		b.parts = [2]part{{counter: client.Counter(countReads)}, {counter: client.Counter(countUpdates)}}
	}
	b.parts[0].add(read)
	b.parts[1].add(update)
}

// part sums up durations in whole microseconds.
type part struct {
	counter *measure.Counter
	rest    time.Duration // less than a microsecond
}

func (p *part) add(took time.Duration) {
	p.rest += took
	p.counter.Add(uint64(p.rest / time.Microsecond))
	p.rest %= time.Microsecond
}
