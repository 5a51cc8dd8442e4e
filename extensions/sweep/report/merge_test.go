package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// mergeReading makes the reading of a segment's clients, and adds it to whole.
var firstStep = time.Date(2026, 3, 1, 12, 30, 1, 0, time.UTC)

func mergeReading(random *rand.Rand, clients int, whole *measure.Reading) measure.Reading {
	r := measure.Reading{
		Complete: true, Unstarted: random.Uint64N(3), StartedOn: firstStep,
		Ops: []measure.Totals{{Op: "get"}, {Op: "set"}},
	}
	record := func(pick func(*measure.Reading) *measure.Distribution, d time.Duration) {
		pick(&r).Record(d)
		pick(whole).Record(d)
	}
	for range clients {
		for i := range r.Ops {
			for range 1 + random.IntN(300) {
				d := time.Duration(math.Exp(random.NormFloat64()*2) * float64(time.Millisecond))
				record(func(r *measure.Reading) *measure.Distribution { return &r.Ops[i].Durations }, d)
			}
			failed, rows, sent, received := random.Uint64N(3), random.Uint64N(1e6), random.Uint64N(1e6), random.Uint64N(1e6)
			for _, t := range []*measure.Totals{&r.Ops[i], &whole.Ops[i]} {
				t.Failed += failed
				t.Rows += rows
				t.BytesSent += sent
				t.BytesReceived += received
				if failed > 0 {
					if t.Errors == nil {
						t.Errors = map[string]uint64{}
					}
					t.Errors["error "+strings.Repeat("!", int(failed))] += failed
				}
			}
		}
		d, n := time.Duration(1+random.Int64N(int64(2*time.Hour))), time.Duration(random.Int64N(1e6))
		r.Elapsed = max(r.Elapsed, d)
		record(func(r *measure.Reading) *measure.Distribution { return &r.ClientTimes }, d)
		record(func(r *measure.Reading) *measure.Distribution { return &r.ClientOps }, n)
	}
	whole.Elapsed = max(whole.Elapsed, r.Elapsed)
	whole.Unstarted += r.Unstarted

	return r
}

func mergePart(segment string) *Report {
	return &Report{
		Schema: Schema, Scenario: "cache", Started: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), K6: "v2.2.0",
		Host:   Host{CPU: "Imaginary 9000", Cores: 8, OS: "linux/amd64"},
		Target: map[string]any{"kind": "memcached", "version": "1.6.38"},
		Params: map[string]any{"warmup": "2s", "clients": []int64{1, 8}, "segment": segment},
		Steps:  []Step{},
	}
}

func TestMergeIsTheWhole(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 7))
		n := 2 + random.IntN(4)
		parts := make([]*Report, n)
		for i := range parts {
			parts[i] = mergePart(fmt.Sprintf("%d/%d:%d/%d", i, n, i+1, n))
		}
		whole := mergePart("0:1")
		delete(whole.Params, "segment")
		for _, asked := range []Step{
			{Repeat: 1, PerClient: 1}, {Repeat: 2, PerClient: 1}, {Repeat: 2, PerClient: 1, Variant: "a"}, {Repeat: 2, PerClient: 1, Variant: "b"},
		} {
			all := measure.Reading{Complete: true, StartedOn: firstStep, Ops: []measure.Totals{{Op: "get"}, {Op: "set"}}}
			each := make([]int, n)
			for i := range each {
				each[i] = 1 + random.IntN(4)
				asked.Clients += each[i]
			}
			for i, part := range parts {
				reading := mergeReading(random, each[i], &all)
				steps := NewSteps(&reading, asked, "", CPUSeconds{K6: 0.25})
				part.Steps = append(part.Steps, steps...)
			}
			steps := NewSteps(&all, asked, "", CPUSeconds{K6: 0.25 * float64(n)})
			whole.Steps = append(whole.Steps, steps...)
		}

		random.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		merged, _, err := Merge(parts...)
		require.NoError(t, err)
		require.Len(t, merged.Steps, len(whole.Steps))
		for i := range whole.Steps {
			want, got := &whole.Steps[i], &merged.Steps[i]
			require.InDelta(t, want.Latency.Mean, got.Latency.Mean, 3e-6, "that of a part is a whole nanosecond")
			require.InDelta(t, want.Client.Avg, got.Client.Avg, 3e-9)
			require.LessOrEqual(t, *got.Overlap, 1.0)
			got.Latency.Mean, got.Client.Avg, got.Overlap = want.Latency.Mean, want.Client.Avg, nil
		}
		require.Equal(t, whole, merged)
	}
}

// mergeHalves makes two parts with steps of 1 and 8 clients; the first part has the only client of
// the first step.
func mergeHalves(t *testing.T) []*Report {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	for _, each := range [][]int{{1, 0}, {4, 4}} {
		all := measure.Reading{Ops: []measure.Totals{{Op: "get"}, {Op: "set"}}}
		for i, part := range parts {
			if each[i] == 0 {
				continue
			}
			reading := mergeReading(random, each[i], &all)
			steps := NewSteps(&reading, Step{Clients: each[0] + each[1], Repeat: 1, PerClient: 1}, "", CPUSeconds{K6: 1})
			part.Steps = append(part.Steps, steps...)
		}
	}

	return parts
}

func TestMergeOfHalves(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		parts := mergeHalves(t)
		server, more := 1.5, 2.5
		parts[0].Steps[2].CPU.Server, parts[1].Steps[0].CPU.Server = &server, &more
		parts[1].Started = parts[1].Started.Add(-time.Second)
		parts[0].Gates = []Verdict{{Gate: "p99", Held: true, Outcome: "held"}}
		parts[1].Interrupted = true
		parts[1].Steps[1].Complete, parts[1].Steps[0].Complete = false, false
		if backwards {
			slices.Reverse(parts)
		}
		merged, _, err := Merge(parts...)
		require.NoError(t, err)
		require.NoError(t, merged.Validate())
		require.Nil(t, merged.Gates)
		require.True(t, merged.Interrupted)
		require.Equal(t, 29, merged.Started.Minute())
		require.Equal(t, map[string]any{"warmup": "2s", "clients": []int64{1, 8}}, merged.Params)
		require.Contains(t, parts[0].Params, "segment", "the parts stay as they are")

		require.Len(t, merged.Steps, 4)
		for i, want := range []struct {
			clients  int
			op       string
			cpu      float64
			complete bool
		}{{1, "get", 1, true}, {1, "set", 1, true}, {8, "get", 2, false}, {8, "set", 2, false}} {
			s := &merged.Steps[i]
			require.Equal(t, want.clients, s.Clients)
			require.Equal(t, want.op, s.Op)
			require.InDelta(t, want.cpu, s.CPU.K6, 1e-9)
			require.Equal(t, want.complete, s.Complete)
			require.InDelta(t, float64(s.Operations)/s.Seconds, s.OpsPerSecond, 1e-6)
		}
		require.InDelta(t, 2.5, *merged.Steps[2].CPU.Server, 1e-9, "of one server, read by both")
	}
}

func TestMergeOfDifferentOperations(t *testing.T) {
	parts := mergeHalves(t)
	whole, _, err := Merge(parts...)
	require.NoError(t, err)
	set := parts[1].Steps[1]
	parts[1].Steps = parts[1].Steps[:1]
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.Len(t, merged.Steps, 4)
	require.Equal(t, whole.Steps[3].Operations-set.Operations, merged.Steps[3].Operations)
	require.Equal(t, whole.Steps[3].Client, merged.Steps[3].Client)
	require.InDelta(t, whole.Steps[3].Seconds, merged.Steps[3].Seconds, 1e-9)
}

func TestMergeOfDifferentHosts(t *testing.T) {
	parts := mergeHalves(t)
	parts[1].Host.MemBytes = 4096
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.NotContains(t, merged.Params, "hosts", "of the same class")

	parts = mergeHalves(t)
	parts[1].Host.Cores = 4
	merged, _, err = Merge(parts...)
	require.NoError(t, err)
	require.Equal(t, parts[0].Host, merged.Host)
	require.Equal(t, []Host{{CPU: "Imaginary 9000", Cores: 4, OS: "linux/amd64"}}, merged.Params["hosts"])
}

// A step may be missing if its segment has less than one client and clients never started.
func TestMergeWithoutStartedClients(t *testing.T) {
	lost := func(steps []Step) {
		for i := range steps {
			steps[i].Complete = false
			steps[i].Client = Clients{Histogram: emptyHistogram(t), Ops: ClientOps{Histogram: emptyHistogram(t)}}
		}
	}
	parts := mergeHalves(t)
	lost(parts[0].Steps[:2])
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.False(t, merged.Steps[0].Complete)

	parts = mergeHalves(t)
	lost(parts[0].Steps[2:])
	parts[1].Steps = nil
	_, _, err = Merge(parts...)
	require.EqualError(t, err, "the step of 8 clients, repeat 1: part 2 lacks it, although clients of it are in its segment, 1/2:1")
}

func emptyHistogram(t *testing.T) string {
	t.Helper()
	encoded := (&measure.Distribution{}).Encode()

	return encoded
}

func startLater(r *Report, by time.Duration) {
	r.Started = r.Started.Add(by)
	for i := range r.Steps {
		r.Steps[i].Started = r.Steps[i].Started.Add(by)
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, tt := range []struct {
		wrong  string
		change func(a, b *Report)
	}{
		{"part 2 has no params.segment: it was not run with an execution segment", func(_, b *Report) { delete(b.Params, "segment") }},
		{`part 1: params.segment is "all": it must be two fractions such as "0:1/2"`, func(a, _ *Report) { a.Params["segment"] = "all" }},
		{"the parts are not the whole run: segment 0:1/2 is missing", func(a, _ *Report) { a.Params["segment"] = "3/4:1" }},
		{"the parts are not the whole run: segment 1/3:1/2 is missing", func(a, _ *Report) { a.Params["segment"] = "0:1/3" }},
		{"the parts are not the whole run: segment 2/3:1 is missing", func(_, b *Report) { b.Params["segment"] = "1/2:2/3" }},
		{"parts 1 and 2 overlap: their segments are 0:2/3 and 1/2:1", func(a, _ *Report) { a.Params["segment"] = "0:2/3" }},
		{"parts 1 and 2 overlap: their segments are 0:1/2 and 0:1/2", func(_, b *Report) { b.Params["segment"] = "0:2/4" }},
		{`parts 1 and 2 are not of one run: scenario differs: "cache" and "queue"`, func(_, b *Report) { b.Scenario = "queue" }},
		{`parts 1 and 2 are not of one run: k6 differs: "v2.2.0" and "v2.1.0"`, func(_, b *Report) { b.K6 = "v2.1.0" }},
		{`parts 1 and 2 are not of one run: target.kind differs: "memcached" and nothing`, func(_, b *Report) { delete(b.Target, "kind") }},
		{`parts 1 and 2 are not of one run: target.version differs: "1.7" and "1.6.38"`, func(a, _ *Report) { a.Target["version"] = "1.7" }},
		{`parts 1 and 2 are not of one run: params.warmup differs: "2s" and "5s"`, func(_, b *Report) { b.Params["warmup"] = "5s" }},
		{"parts 1 and 2 are not of one run: one is of a search, whose steps depend on what it measured itself", func(_, b *Report) { b.Search = &Search{} }},
		{"parts 1 and 2 did not run at the same time: they started 24h0m0s apart, and at most 1m0s is right", func(_, b *Report) { startLater(b, -24*time.Hour) }},
		{"the step of 8 clients, repeat 1: part 2 does not tell when it began", func(_, b *Report) {
			b.Steps[0].Started, b.Steps[0].Seconds = time.Time{}, 1
		}},
		{"the step of 8 clients, repeat 1: part 2 has 7 operations of each client, others have 1", func(_, b *Report) { b.Steps[0].PerClient = 7 }},
		{"the step of 8 clients, repeat 1: part 1 lacks it, although clients of it are in its segment, 0:1/2", func(a, _ *Report) { a.Steps = a.Steps[:2] }},
		{"the step of 8 clients at 5.5/s, repeat 2: part 1 lacks it, although clients of it are in its segment, 0:1/2", func(_, b *Report) {
			for i := range b.Steps {
				b.Steps[i].Rate, b.Steps[i].Repeat = 5.5, 2
			}
		}},
		{`the step of 8 clients, repeat 1: part 2, operation "get": histogram: not an HDR histogram`, func(_, b *Report) { b.Steps[0].Histogram = "-" }},
		{`the step of 8 clients, repeat 1: part 2, operation "get": histogram counts `, func(_, b *Report) { b.Steps[0].Operations++ }},
		{"the step of 8 clients, repeat 1: part 2: client.histogram: not an HDR histogram", func(_, b *Report) { b.Steps[0].Client.Histogram = "-" }},
		{"the step of 8 clients, repeat 1: part 2: client.ops.histogram: not an HDR histogram", func(_, b *Report) { b.Steps[0].Client.Ops.Histogram = "-" }},
		{"the step of 8 clients, repeat 1: part 2: client.histogram and client.ops.histogram are of different numbers of clients", func(a, b *Report) {
			b.Steps[0].Client.Histogram = a.Steps[0].Client.Histogram
		}},
		{"the parts do not fit together: get, 1 client", func(a, b *Report) { b.Steps = slices.Concat(a.Steps[:2], b.Steps) }},
	} {
		parts := mergeHalves(t)
		tt.change(parts[0], parts[1])
		_, _, err := Merge(parts...)
		require.ErrorContains(t, err, tt.wrong)
	}
	_, _, err := Merge(mergePart("0:1"))
	require.EqualError(t, err, "a merge needs at least 2 parts")
}

// Counters take 256 kB for each kind of operation, so only one is in memory at a time.
func TestMergeOfManyOperationsIsBounded(t *testing.T) {
	const kinds, bound = 100, 12 << 20
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	for i, part := range parts {
		var reading measure.Reading
		reading.Elapsed, reading.StartedOn = time.Second, part.Started
		reading.ClientTimes.Record(time.Second)
		reading.ClientOps.Record(kinds)
		steps := NewSteps(&reading, Step{Clients: 2, Repeat: 1}, "", CPUSeconds{})
		var one measure.Distribution
		one.Record(time.Duration(i+1) * time.Millisecond)
		only := newStep(&reading, &measure.Totals{Op: "op", Durations: one}, Step{Clients: 2, Repeat: 1}, steps[0].Client, CPUSeconds{})
		for kind := range kinds {
			only.Op = fmt.Sprintf("op %03d", kind)
			part.Steps = append(part.Steps, only)
		}
	}

	merged, most := atMost(func() (*Report, error) {
		merged, _, err := Merge(parts...)

		return merged, err
	})
	require.NoError(t, merged.err)
	require.Len(t, merged.report.Steps, kinds)
	require.Equal(t, int64(2), merged.report.Steps[kinds-1].Operations)
	require.Less(t, most, uint64(bound), "bytes in use")
}

type mergeResult struct {
	report *Report
	err    error
}

// atMost returns the result of merge, and the most additional memory in use.
func atMost(merge func() (*Report, error)) (result mergeResult, most uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // collect garbage often
	runtime.GC()
	inUse := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(inUse)
	before := inUse[0].Value.Uint64()
	done := make(chan struct{})
	go func() {
		defer close(done)
		result.report, result.err = merge()
	}()
	for {
		select {
		case <-done:
			return result, most
		case <-time.After(time.Millisecond):
			metrics.Read(inUse)
			most = max(most, inUse[0].Value.Uint64()-min(before, inUse[0].Value.Uint64()))
		}
	}
}

func TestParseSegment(t *testing.T) {
	for text, want := range map[string]string{
		"0:1": "0:1", "0:1/2": "0:1/2", "2/4:1": "1/2:1", "1/3:2/3": "1/3:2/3",
	} {
		s, err := parseSegment(text)
		require.NoError(t, err)
		require.Equal(t, want, s.String())
	}
	for text, wrong := range map[string]string{
		"":             "two fractions",
		"0":            "two fractions",
		"0:":           "two fractions",
		"0:1:1":        "two fractions",
		"-1/2:1":       "two fractions",
		"0:0.5":        "two fractions",
		"0:1e99999999": "two fractions",
		"0:" + string(slices.Repeat([]byte("1"), 300)): "two fractions",
		"0/0:1":   "divided by zero",
		"0:1/0":   "divided by zero",
		"1/2:0":   "before its end",
		"1/2:1/2": "before its end",
		"0:2":     "at most 1",
	} {
		_, err := parseSegment(text)
		require.ErrorContains(t, err, wrong, text)
	}
}

func FuzzParseSegment(f *testing.F) {
	for _, text := range []string{"0:1/2", "1/2:1", "0:1e9", "1/0:1", "2:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSegment(text)
		if err != nil {
			return
		}
		again, err := parseSegment(s.String())
		require.NoError(t, err)
		require.Equal(t, s.String(), again.String())
	})
}
