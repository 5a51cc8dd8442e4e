package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func step(clients, repeat int, op string, change ...func(*Step)) Step {
	n := float64(clients)
	s := Step{
		Clients: clients, Repeat: repeat, PerClient: 10_000, Op: op,
		Operations: int64(clients) * 10_000, Complete: true,
		Seconds: 10 + n/3, OpsPerSecond: n * 10_000 / (10 + n/3),
		Client:    clientsOf(clients, 9+n/4, 10+n/3, 9.5+n*7/24),
		Latency:   LatencyMs{P50: 0.178 * n, P90: 0.3 * n, P95: 0.4 * n, P99: 0.9 * n, P999: 2.5 * n, Max: 40 * n, Mean: 0.3275 * n},
		Rows:      uint64(clients) * 600_000,
		BytesSent: uint64(clients) * 1_000_000, BytesReceived: uint64(clients) * 30_000_000,
		CPU: CPUSeconds{K6: 1.25 * n},
	}
	for _, c := range change {
		c(&s)
	}
	s.Histogram = histogramOf(&s)

	return s
}

func histogramOf(s *Step) string {
	return remembered([]any{s.Operations, s.Latency}, func() string { return newHistogram(s.Operations, &s.Latency) })
}

func newHistogram(ops int64, l *LatencyMs) string {
	bars := []struct {
		upTo, ms float64
	}{{0.5, l.P50}, {0.9, l.P90}, {0.95, l.P95}, {0.99, l.P99}, {0.999, l.P999}, {1, l.Max}}
	h := hdrhistogram.New(1, int64(measure.Highest), 3)
	done := int64(0)
	for _, b := range bars {
		until := int64(math.Ceil(b.upTo * float64(ops)))
		must(h.RecordValues(int64(b.ms*1e6), until-done))
		done = until
	}

	return encode(h)
}

// clientsOf makes clients with evenly spread times.
func clientsOf(clients int, shortest, longest, avg float64) Clients {
	if clients == 1 {
		longest, avg = shortest, shortest
	}
	at := func(q float64) float64 {
		before := max(math.Ceil(q*float64(clients))-1, 0)

		return shortest + (longest-shortest)*before/float64(max(clients-1, 1))
	}
	times := remembered([]any{clients, shortest, longest}, func() string {
		h := hdrhistogram.New(1, int64(measure.Highest), 3)
		for i := range clients {
			must(h.RecordValue(int64(at(float64(i+1)/float64(clients)) * 1e9)))
		}

		return encode(h)
	})
	ops := remembered([]any{clients}, func() string {
		h := hdrhistogram.New(1, int64(measure.Highest), 3)
		must(h.RecordValues(10_000, int64(clients)))

		return encode(h)
	})

	return Clients{
		Min: shortest, P25: at(0.25), P50: at(0.5), P75: at(0.75), Max: longest, Avg: avg, Histogram: times,
		Ops: ClientOps{Min: 10_000, P25: 10_000, P50: 10_000, P75: 10_000, Max: 10_000, Histogram: ops},
	}
}

// histograms caches results of histogramOf, which is slow with the race detector.
var histograms sync.Map

func remembered(of []any, build func() string) string {
	key := fmt.Sprint(of...)
	if known, ok := histograms.Load(key); ok {
		return known.(string)
	}
	text := build()
	histograms.Store(key, text)

	return text
}

func encode(h *hdrhistogram.Histogram) string {
	out, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	must(err)

	return string(out)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func madeUp(change func(*Report)) *Report {
	server := 12.5
	r := &Report{
		Schema: Schema, Scenario: "stock-rollup",
		Started: time.Date(2026, 3, 1, 12, 30, 0, 250_000_000, time.UTC),
		Host:    Host{CPU: "Imaginary 9000", Cores: 8, MemBytes: 64 << 30, OS: "linux/amd64"},
		K6:      "v2.2.0",
		Target:  map[string]any{"kind": "machbase", "version": "8.5.2", "driver": "cmi", "url": "machbase://sys@db:5656"},
		Params:  map[string]any{"clients": []int64{1, 8, 512}, "iterations": int64(10_000), "warmup": "2s"},
		Steps: []Step{
			step(1, 1, "stock-rollup", func(s *Step) { s.CPU.Server = &server }),
			step(8, 1, "stock-rollup"),
			step(512, 1, "stock-rollup"),
		},
	}
	if change != nil {
		change(r)
	}

	return r
}

// reports are the cases of the golden files.
func reports() map[string]*Report {
	return map[string]*Report{
		"whole": madeUp(nil),
		"witness": madeUp(func(r *Report) {
			r.Steps[0] = step(1, 1, "stock-rollup", limited(witness.Clients))
			r.Steps[1] = step(8, 1, "stock-rollup", limited(witness.Neighbour))
			r.Steps[2] = step(512, 1, "stock-rollup", limited(witness.Host))
		}),
		"failed": madeUp(func(r *Report) {
			r.Steps[1] = step(8, 1, "stock-rollup", func(s *Step) {
				s.Failed = 1234
				s.Extra.Errors = map[string]uint64{"timeout after 5s": 34, "connection refused": 1200}
			})
		}),
		"incomplete": madeUp(func(r *Report) {
			r.Steps[2] = step(512, 1, "stock-rollup", func(s *Step) { s.Complete = false })
		}),
		"interrupted": madeUp(func(r *Report) {
			r.Interrupted = true
			r.Steps = []Step{r.Steps[0], step(8, 1, "stock-rollup", func(s *Step) { s.Complete = false })}
		}),
		"noversion": madeUp(func(r *Report) { delete(r.Target, "version") }),
		"duration": madeUp(func(r *Report) {
			for i := range r.Steps {
				r.Steps[i].PerClient = 0
			}
			delete(r.Params, "iterations")
			r.Params["duration"] = "30s"
		}),
		"operations": madeUp(func(r *Report) {
			r.Scenario = "cache"
			r.Steps = []Step{
				step(1, 1, "cache"), step(1, 1, "get"), step(1, 1, "set"),
				step(8, 1, "get", failing), step(8, 1, "set", failing),
				step(8, 2, "get", failing), step(8, 2, "set", failing),
			}
		}),
		"repeats": madeUp(func(r *Report) {
			r.Steps = []Step{
				step(1, 1, "stock-rollup"), step(1, 2, "stock-rollup", slower(2)), step(1, 3, "stock-rollup", slower(1)),
				step(8, 1, "stock-rollup"), step(8, 2, "stock-rollup", slower(40)),
				step(512, 1, "stock-rollup"),
			}
		}),
		"script": madeUp(func(r *Report) {
			r.Scenario, r.Target, r.Params = "shop", map[string]any{}, map[string]any{"scenarios": map[string]any{"buy": map[string]any{"vus": 8}}}
			r.Steps = []Step{
				step(8, 1, "GET https://shop/cart", func(s *Step) { s.Variant = "buy" }), step(8, 1, "iteration", func(s *Step) { s.Variant = "buy" }),
				step(8, 1, "iteration", failing, func(s *Step) { s.Variant, s.Complete, s.Extra.Unstarted = "look", false, 3 }),
			}
			r.Script = madeUpScript(2)
			r.Script.MostOps = 3
		}),
		"rates": madeUp(func(r *Report) {
			r.Steps = []Step{
				step(8, 1, "get", open(0.5, 0)), step(8, 1, "set", open(0.5, 0)),
				step(8, 1, "get", open(1000, 1)), step(8, 1, "set", open(1000, 1)),
				step(8, 1, "get", open(25_000, 1234), failing), step(8, 1, "set", open(25_000, 1234), failing),
			}
			r.Search = &Search{Of: "rate", Bound: "p99 <= 5ms", Max: 25_000, Found: 1000}
		}),
		"search": madeUp(func(r *Report) {
			r.Search = &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 8}
			r.Gates = []Verdict{
				{Gate: "p99 of stock-rollup with 8 clients <= 50ms", Held: true, Detail: "7.200ms", Outcome: "held"},
				{Gate: "ops/s of stock-rollup with 512 clients >= 30,000/s", Detail: "28,339/s", Outcome: "crossed"},
				{Gate: "failed operations == 0", Held: true, Outcome: "held"},
			}
			r.Published = []Series{{
				Label: "machgo, statement reuse", Source: "the store's authors", Machine: "not told", Op: "stock-rollup",
				Points: []Point{{1, 5000}, {8, 30_000}, {512, 40_000}},
			}}
		}),
		"hostile": madeUp(func(r *Report) {
			r.Scenario = "=a|b"
			r.Target["version"] = "8.5 | DROP\r\n| \\|"
			r.Steps = []Step{step(1, 1, "a/b c=|\n", func(s *Step) {
				s.Failed = 1
				s.Extra.Errors = map[string]uint64{"\x1b[31m<b>&\"'\u0000\uffff ü": 1}
			})}
			r.Gates = []Verdict{{Gate: "@a\nb", Detail: "c\r\nd \u0001", Outcome: "crossed"}}
			r.Tables = []Table{{
				Title: "=1|\n", Columns: []TableColumn{{Name: "+|\u0001", Unit: "<b>"}}, Rows: []TableRow{{"@x|\n"}, {"<script>"}},
				Notes: []string{"*a*\n|b|"},
			}}
		}),
		"tables": madeUp(func(r *Report) { r.Tables = made() }),
		"duet":   madeUp(duet),
		"variants": madeUp(func(r *Report) {
			r.Steps = nil
			for repeat := range 2 {
				for _, variant := range []string{"a/b", "a_b"} {
					for _, op := range []string{"get", "set"} {
						of := func(s *Step) { s.Variant, s.PerClient = variant, 0 }
						r.Steps = append(r.Steps, step(8, repeat+1, op, of, open(500, 0)), step(8, repeat+1, op, of, open(500.5, 0)))
					}
				}
			}
		}),
		"empty": madeUp(func(r *Report) { r.Steps, r.Target, r.Params = []Step{}, map[string]any{}, map[string]any{} }),
	}
}

// failing makes a step incomplete, with different failures.
func failing(s *Step) {
	s.Complete = false
	s.Failed = 2
	s.Extra.Errors = map[string]uint64{"SERVER_ERROR out\n\nof memory for " + s.Op: 2}
}

func slower(percent float64) func(*Step) {
	return func(s *Step) {
		x := 1 + percent/100
		s.Seconds *= x
		s.OpsPerSecond /= x
		l := &s.Latency
		for _, ms := range []*float64{&l.P50, &l.P90, &l.P95, &l.P99, &l.P999, &l.Max, &l.Mean} {
			*ms *= x
		}
	}
}

func open(rate float64, unstarted uint64) func(*Step) {
	return func(s *Step) {
		s.Rate, s.PerClient, s.Extra.Unstarted = rate, 0, unstarted
	}
}

func TestGolden(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			for suffix, out := range rendered(t, r) {
				requireGolden(t, name+suffix, out)
			}
		})
	}
}

// Steps of a run differ by name in each format, except repeats in the Go benchmark format.
func TestEveryFormatDistinguishesSteps(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			groups := map[string]int{}
			for _, g := range r.Groups() {
				groups[g.Name()] = len(g.Succeeded().Steps)
			}
			require.Len(t, groups, len(r.Groups()), "names of keys")

			junit, err := r.JUnit()
			require.NoError(t, err)
			var suites junitSuites
			require.NoError(t, xml.Unmarshal(junit, &suites))
			cases := map[string]bool{}
			for _, c := range suites.Suite.Cases {
				require.False(t, cases[c.Class+" "+c.Name], "two test cases %q", c.Name)
				cases[c.Class+" "+c.Name] = true
			}

			samples := map[string]int{}
			for _, result := range parseBench(t, r.GoBench()).results {
				samples[string(result.Name)]++
			}
			counts := slices.DeleteFunc(slices.Collect(maps.Values(groups)), func(n int) bool { return n == 0 })
			require.ElementsMatch(t, counts, slices.Collect(maps.Values(samples)), "samples of each benchmark")

			text, err := r.CSV()
			require.NoError(t, err)
			rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			require.NoError(t, err)
			lines := map[string]bool{}
			for _, row := range rows[1:] {
				key := ""
				for _, column := range []string{"op", "variant", "clients", "rate", "repeat", "total", "table", "table_row", "table_column"} {
					key += "|" + row[slices.Index(rows[0], column)]
				}
				require.False(t, lines[key], "two lines %s", key)
				lines[key] = true
			}
		})
	}
}

func rendered(t *testing.T, r *Report) map[string]string {
	t.Helper()
	csv, err := r.CSV()
	require.NoError(t, err)
	junit, err := r.JUnit()
	require.NoError(t, err)

	return map[string]string{
		".json": jsonOf(t, r), ".md": r.Markdown(), ".csv": string(csv), ".bench.txt": r.GoBench(), ".junit.xml": string(junit),
	}
}

func TestJSONComesBack(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			out, err := r.JSON()
			require.NoError(t, err)
			var back Report
			require.NoError(t, json.Unmarshal(out, &back))
			require.Equal(t, r.Steps, back.Steps)
			require.Equal(t, r.Started, back.Started)
			require.Equal(t, r.Host, back.Host)
			again, err := back.JSON()
			require.NoError(t, err)
			require.Equal(t, string(out), string(again))
		})
	}
}

func TestJSONThatCannotBe(t *testing.T) {
	_, err := madeUp(func(r *Report) { r.Params["fn"] = func() {} }).JSON()
	require.ErrorContains(t, err, "stock-rollup")
}

func TestNewSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := measure.NewStep(2, measure.Plan{Operations: 100}, nil)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				c := s.Client(i)
				get, set := c.Recorder("get"), c.Recorder("set")
				n := 0
				err := c.Run(t.Context(), "op", nil, func() error {
					n++
					time.Sleep(time.Duration(i+1) * 10 * time.Millisecond)
					switch {
					case n%50 == 0:
						set.Fail(errors.New("no memory"))

						return nil
					case n%2 == 0:
						set.Ok(2 * time.Millisecond)
						set.Bytes(100, 10)
					default:
						get.Ok(time.Duration(n) * time.Millisecond)
						get.Rows(3)
					}

					return nil
				})
				if err != nil {
					t.Error(err)
				}
				c.Leave()
			})
		}
		wg.Wait()

		reading := s.Read()
		server := 1.5
		cpu := CPUSeconds{K6: 0.5, Server: &server}
		steps := NewSteps(&reading, Step{Clients: 16, Repeat: 3, PerClient: 100}, "op", cpu)
		require.Len(t, steps, 2)
		get, set := steps[0], steps[1]
		require.Equal(t, []string{"get", "set"}, []string{get.Op, set.Op})
		for _, s := range steps {
			require.Equal(t, 16, s.Clients, "as told: those of all segments")
			require.Equal(t, 3, s.Repeat)
			require.Equal(t, uint64(100), s.PerClient)
			require.True(t, s.Complete)
			require.InDelta(t, 2.0, s.Seconds, 1e-9)
			c := s.Client
			require.Equal(t, []float64{1, 2, 1.5}, []float64{c.Min, c.Max, c.Avg})
			require.InEpsilonSlice(t, []float64{1, 1, 2}, []float64{c.P25, c.P50, c.P75}, 0.001)
			require.Equal(t, []int64{98, 98, 98, 98, 98}, []int64{c.Ops.Min, c.Ops.P25, c.Ops.P50, c.Ops.P75, c.Ops.Max})
			requireCount(t, 2, c.Histogram)
			requireCount(t, 2, c.Ops.Histogram)
			require.Equal(t, cpu, s.CPU)
			requireCount(t, s.Operations, s.Histogram)
			require.NoError(t, s.validate())
		}
		require.Equal(t, map[string]uint64{"no memory": 4}, set.Extra.Errors)
		require.Empty(t, get.Extra.Errors)

		require.Equal(t, int64(100), get.Operations)
		require.Zero(t, get.Failed)
		require.InDelta(t, 50, get.OpsPerSecond, 1e-9)
		require.Equal(t, uint64(300), get.Rows)
		require.InEpsilon(t, 49, get.Latency.P50, 0.001) // the durations are 1, 3, ... 99 ms, each twice
		require.InEpsilon(t, 89, get.Latency.P90, 0.001)
		require.InEpsilon(t, 95, get.Latency.P95, 0.001)
		require.InEpsilon(t, 99, get.Latency.P99, 0.001)
		require.InDelta(t, 99, get.Latency.Max, 1e-9)
		require.InDelta(t, 50, get.Latency.Mean, 1e-9)

		require.Equal(t, int64(96), set.Operations)
		require.Equal(t, uint64(4), set.Failed)
		require.Equal(t, uint64(9600), set.BytesSent)
		require.Equal(t, uint64(960), set.BytesReceived)
		require.InEpsilon(t, 2, set.Latency.P999, 0.001)
	})
}

func requireCount(t *testing.T, want int64, histogram string) {
	t.Helper()
	decoded, err := hdrhistogram.Decode([]byte(histogram))
	require.NoError(t, err)
	require.Equal(t, want, decoded.TotalCount())
}

func TestLatency(t *testing.T) {
	s := measure.NewStep(1, measure.Plan{Operations: 1}, nil)
	c := s.Client(0)
	r := c.Recorder("op")
	require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
		for i := range 10_000 {
			r.Ok(time.Duration(i+1) * time.Millisecond)
		}

		return nil
	}))
	reading := s.Read()
	got := Latency(&reading.Op("op").Durations)
	for _, x := range []struct{ want, got float64 }{
		{5000, got.P50}, {9000, got.P90}, {9500, got.P95}, {9900, got.P99}, {9990, got.P999}, {10_000, got.Max}, {5000.5, got.Mean},
	} {
		require.InEpsilon(t, x.want, x.got, 0.001)
	}
	require.Equal(t, LatencyMs{}, Latency(&measure.Distribution{}))
}

// A step without operations stays in the report.
func TestNewStepsOfNothing(t *testing.T) {
	s := measure.NewStep(2, measure.Plan{Operations: 100}, nil)
	s.Client(0).Leave()
	s.Client(1).Leave()
	reading := s.Read()
	steps := NewSteps(&reading, Step{Clients: 2, Repeat: 1, PerClient: 100}, "op", CPUSeconds{})
	require.Len(t, steps, 1)
	require.Equal(t, "op", steps[0].Op)
	require.False(t, steps[0].Complete)
	require.Zero(t, steps[0].Operations)
	require.Zero(t, steps[0].OpsPerSecond)
	require.NoError(t, steps[0].validate())
}
