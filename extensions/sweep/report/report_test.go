package report

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
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

// step makes up a step of a number of clients.
func step(clients, repeat int, op string, change ...func(*Step)) Step {
	n := float64(clients)
	s := Step{
		Clients: clients, Repeat: repeat, PerClient: 10_000, Op: op,
		Operations: int64(clients) * 10_000, Complete: true,
		Seconds: 10 + n/3, OpsPerSecond: n * 10_000 / (10 + n/3),
		Client:    ClientSeconds{Min: 9 + n/4, Max: 10 + n/3, Avg: 9.5 + n/3.5},
		Latency:   LatencyMs{P50: 0.178 * n, P90: 0.3 * n, P95: 0.4 * n, P99: 0.9 * n, P999: 2.5 * n, Max: 40 * n, Mean: 0.2 * n},
		Rows:      uint64(clients) * 600_000,
		BytesSent: uint64(clients) * 1_000_000, BytesReceived: uint64(clients) * 30_000_000,
		CPU:       CPUSeconds{K6: 1.25 * n},
		Histogram: "HISTFAAAAA==",
	}
	for _, c := range change {
		c(&s)
	}

	return s
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

// reports are those of the golden files: what people and their tools are shown.
func reports() map[string]*Report {
	return map[string]*Report{
		"whole": madeUp(nil),
		"failed": madeUp(func(r *Report) {
			r.Steps[1] = step(8, 1, "stock-rollup", func(s *Step) {
				s.Failed, s.Operations = 1234, 80_000-1234
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
		"empty": madeUp(func(r *Report) { r.Steps, r.Target, r.Params = []Step{}, map[string]any{}, map[string]any{} }),
	}
}

// failing is what all operations of a step share.
func failing(s *Step) {
	s.Complete = false
	s.Failed = 2
	s.Extra.Errors = map[string]uint64{"SERVER_ERROR out\n\nof memory": 4}
}

func TestGolden(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			out, err := r.JSON()
			require.NoError(t, err)
			requireGolden(t, name+".json", string(out))
			requireGolden(t, name+".md", r.Markdown())
		})
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

// The table is one for Markdown renderers and for the eye: each line has the same width and number of cells.
func TestMarkdownTable(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			table, _, _ := strings.Cut(r.Markdown(), "\n\n")
			lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
			require.Len(t, lines, 2+len(r.Steps))
			for _, line := range lines {
				require.Equal(t, len(columns)+1, strings.Count(line, "|"), line)
				require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(line), line)
			}
		})
	}
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
						set.Fail()

						return errors.New("no memory")
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
		steps, err := NewSteps(&reading, 16, 3, 100, "op", cpu)
		require.NoError(t, err)
		require.Len(t, steps, 3)
		get, op, set := steps[0], steps[1], steps[2]
		require.Equal(t, []string{"get", "op", "set"}, []string{get.Op, op.Op, set.Op})
		for _, s := range steps {
			require.Equal(t, 16, s.Clients, "as told: those of all segments")
			require.Equal(t, 3, s.Repeat)
			require.Equal(t, uint64(100), s.PerClient)
			require.True(t, s.Complete)
			require.InDelta(t, 2.0, s.Seconds, 1e-9)
			require.Equal(t, ClientSeconds{Min: 1, Max: 2, Avg: 1.5}, s.Client)
			require.Equal(t, cpu, s.CPU)
			require.Equal(t, map[string]uint64{"no memory": 4}, s.Extra.Errors)

			decoded, err := hdrhistogram.Decode([]byte(s.Histogram))
			require.NoError(t, err)
			require.Equal(t, s.Operations, decoded.TotalCount())
		}

		require.Equal(t, int64(100), get.Operations)
		require.Zero(t, get.Failed)
		require.InDelta(t, 50, get.OpsPerSecond, 1e-9)
		require.Equal(t, uint64(300), get.Rows)
		require.InEpsilon(t, 49, get.Latency.P50, 0.001) // of 1, 3, ... 99 ms, twice
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

		require.Zero(t, op.Operations)
		require.Equal(t, LatencyMs{}, op.Latency)
	})
}

// Each percentile is the one it is called.
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

// A step that never came to an operation is still in the report: a missing row would look like one never asked for.
func TestNewStepsOfNothing(t *testing.T) {
	s := measure.NewStep(2, measure.Plan{Operations: 100}, nil)
	s.Client(0).Leave()
	s.Client(1).Leave()
	reading := s.Read()
	steps, err := NewSteps(&reading, 2, 1, 100, "op", CPUSeconds{})
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, "op", steps[0].Op)
	require.False(t, steps[0].Complete)
	require.Zero(t, steps[0].Operations)
	require.Zero(t, steps[0].OpsPerSecond)
	require.NotEmpty(t, steps[0].Histogram)
}
