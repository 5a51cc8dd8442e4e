package influx

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

var noon = time.Unix(1_800_000_000, 7)

func distribution(each ...time.Duration) *measure.Distribution {
	d := &measure.Distribution{}
	for _, took := range each {
		d.Record(took)
	}

	return d
}

func step() stream.Step {
	return stream.Step{Scenario: "cache-sweep", Target: "memcached", Clients: 8, Repeat: 2}
}

func textOf(t *testing.T, f *stream.Figures) string {
	t.Helper()
	lines, err := newPoints(map[string]string{"testid": "a b", "op": "of the run"}, "here").lines(f)
	require.NoError(t, err)
	var all strings.Builder
	for _, line := range lines {
		all.Write(line)
	}

	return all.String()
}

const tags = `,clients=8,instance=here,op=get,phase=measure,repeat=2,scenario=cache-sweep,target=memcached,testid=a\ b `

func TestPointOfASecond(t *testing.T) {
	f := &stream.Figures{Step: step(), At: noon, Done: 3, Seconds: []stream.Second{{
		Phase: stream.Measure, Elapsed: 2 * time.Second, Op: "get", Ops: 4, Failed: 1, BytesSent: 100, BytesReceived: 200,
		Durations: distribution(1*time.Millisecond, 1*time.Millisecond, 1*time.Millisecond, 2*time.Millisecond),
		Counters:  measure.Counters{measure.Hits: 3, measure.Misses: 1, measure.Hot: 2, measure.Messages: 7},
	}}}
	require.Equal(t, "sweep"+tags+"ops=4i,failed=1i,ops_per_second=2,p50=1.000447,p90=2,p95=2,p99=2,p999=2,max=2,mean=1.25,"+
		"clients_done=3i,bytes_sent=100i,bytes_received=200i,hits=3i,misses=1i,messages=7i 1800000000000000007\n", textOf(t, f))
}

func TestPointOfAPartialSecond(t *testing.T) {
	f := &stream.Figures{Step: step(), At: noon, Done: 8, Seconds: []stream.Second{{
		Phase: stream.Measure, Elapsed: time.Millisecond, Op: "get", Failed: 1, Durations: distribution(),
	}}}
	require.Equal(t, "sweep"+tags+"ops=0i,failed=1i,clients_done=8i 1800000000000000007\n", textOf(t, f))
}

func TestPointOfAWarmUp(t *testing.T) {
	f := &stream.Figures{Step: step(), At: noon, Seconds: []stream.Second{
		{Phase: stream.Warmup, Elapsed: time.Second, Op: "get", Ops: 4, Failed: 1},
		{Phase: stream.Warmup, Elapsed: time.Second, Op: "set", Ops: 2},
	}}
	f.Step.Rate, f.Step.Target = 0.5, ""
	require.Equal(t, `sweep,clients=8,instance=here,op=get,phase=warmup,rate=0.5,repeat=2,scenario=cache-sweep,testid=a\ b `+
		"ops=4i,failed=1i,ops_per_second=4 1800000000000000007\n"+
		`sweep,clients=8,instance=here,op=set,phase=warmup,rate=0.5,repeat=2,scenario=cache-sweep,testid=a\ b `+
		"ops=2i,failed=0i,ops_per_second=2 1800000000000000007\n", textOf(t, f))
}

func TestPointOfAStep(t *testing.T) {
	server, rate := 1.5, 75.0
	ended := report.Step{
		Op: "get", Operations: 4, Failed: 1, Complete: true, Seconds: 2, OpsPerSecond: 2, BytesSent: 100, BytesReceived: 200,
		Latency: report.LatencyMs{P50: 1, P90: 2, P95: 3, P99: 4, P999: 5, Max: 6, Mean: 1.25},
		CPU:     report.CPUSeconds{K6: 0.5, Server: &server}, Extra: report.Extra{Hits: 3, Misses: 1, HitRate: &rate, Counters: measure.Counters{"messages": 7}},
	}
	f := &stream.Figures{Step: step(), At: noon, Done: 8, Ended: []report.Step{ended}}
	require.Equal(t, "sweep_step"+tags+"ops=4i,failed=1i,ops_per_second=2,p50=1,p90=2,p95=3,p99=4,p999=5,max=6,mean=1.25,"+
		"clients_done=8i,bytes_sent=100i,bytes_received=200i,seconds=2,complete=true,cpu_k6=0.5,cpu_server=1.5,hit_rate=75,"+
		"hits=3i,misses=1i,messages=7i 1800000000000000007\n", textOf(t, f))

	f.Ended = []report.Step{{Op: "get", Seconds: 2, CPU: report.CPUSeconds{K6: 0.5}}}
	require.Equal(t, "sweep_step"+tags+"ops=0i,failed=0i,ops_per_second=0,clients_done=8i,"+
		"seconds=2,complete=false,cpu_k6=0.5 1800000000000000007\n", textOf(t, f))
}

func TestInvalidPoint(t *testing.T) {
	f := &stream.Figures{Step: step(), At: noon, Ended: []report.Step{{Op: "bad", OpsPerSecond: math.Inf(1)}, {Op: "good"}}}
	lines, err := newPoints(nil, "here").lines(f)
	require.ErrorContains(t, err, "the field ops_per_second of sweep_step cannot be written: +Inf")
	require.Len(t, lines, 1)
	require.Contains(t, string(lines[0]), "op=good,")
}

func TestNamesThatEndInABackslash(t *testing.T) {
	f := &stream.Figures{Step: step(), At: noon}
	want := map[string]string{`a`: `a`, `a\`: `a%5C`, `a\\`: `a\%5C`, `\`: `%5C`, `a\ b`: `a\\ b`, `\a`: `\a`}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		f.Seconds = append(f.Seconds, stream.Second{Phase: stream.Warmup, Op: name, Ops: 1})
	}
	lines, err := newPoints(map[string]string{"testid": `run\`}, "here").lines(f)
	require.NoError(t, err)
	require.Len(t, lines, len(want))
	for i, name := range slices.Sorted(maps.Keys(want)) {
		require.Contains(t, string(lines[i]), ",op="+want[name]+",phase=warmup,", name)
		require.Contains(t, string(lines[i]), `,testid=run%5C ops=1i`)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"get", "a b", "a,b=c", `back\slash\`, "two\nlines", "\xff", "\x00", "é", "", `\`, "=", "\u0085"} {
		f.Add(name, name)
	}
	f.Fuzz(func(t *testing.T, scenario, op string) {
		s := step()
		s.Scenario = scenario
		lines, err := newPoints(map[string]string{"testid": op}, "here").lines(&stream.Figures{
			Step: s, At: noon, Seconds: []stream.Second{{Phase: stream.Warmup, Op: op, Ops: 1}},
		})
		require.NoError(t, err)
		require.Len(t, lines, 1)
		decoder := lineprotocol.NewDecoderWithBytes(lines[0])
		require.True(t, decoder.Next())
		_, err = decoder.Measurement()
		require.NoError(t, err)
		read := map[string]string{}
		for {
			key, value, err := decoder.NextTag()
			require.NoError(t, err)
			if key == nil {
				break
			}
			read[string(key)] = string(value)
		}
		require.Equal(t, clean(op), read["op"])
		require.Equal(t, clean(scenario), read["scenario"])
		if !strings.ContainsFunc(op, func(r rune) bool { return r < 0x20 || r >= 0x7f }) && !strings.HasSuffix(op, `\`) {
			require.Equal(t, op, read["op"])
		}
		for {
			key, _, err := decoder.NextField()
			require.NoError(t, err)
			if key == nil {
				break
			}
		}
		at, err := decoder.Time(lineprotocol.Nanosecond, time.Time{})
		require.NoError(t, err)
		require.Equal(t, noon.UnixNano(), at.UnixNano())
		require.False(t, decoder.Next())
	})
}

// InfluxDB would refuse these points, or overwrite the user's value.
func TestInvalidRunTags(t *testing.T) {
	for _, name := range append(slices.Clone(ownTags), "", "a\nb", `a\`) {
		logger, _ := logtest.NewNullLogger()
		_, err := New(output.Params{
			ConfigArgument: "http://127.0.0.1:1/db", Logger: logger,
			ScriptOptions: lib.Options{RunTags: map[string]string{"testid": "1", name: "x"}},
		})
		require.ErrorContains(t, err, fmt.Sprintf("-o %s: the run's tag %q ", Name, name))
	}
	require.NoError(t, checkRunTags(map[string]string{"testid": "1", "a b,=": "x", "instance": "i", "run_target": "staging"}))
}
