package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func read(t *testing.T, json string) *Config {
	t.Helper()
	c, err := Read("rollup", []byte(json))
	require.NoError(t, err)

	return c
}

func TestConfigDefaults(t *testing.T) {
	c := read(t, `{"executor": "client-sweep", "clients": [1, 8], "iterations": 100}`)
	require.Empty(t, c.Validate())
	require.Equal(t, "rollup", c.GetName())
	require.Equal(t, "client-sweep", c.GetType())
	require.Equal(t, "default", c.GetExec())
	require.Equal(t, []int64{1, 8}, c.Clients)
	require.Equal(t, int64(100), c.Iterations.Int64)
	require.False(t, c.Duration.Valid)
	require.Zero(t, c.Warmup.TimeDuration())
	require.Zero(t, c.Pause.TimeDuration())
	require.Equal(t, int64(1), c.Repeats.Int64)
	require.Equal(t, 10*time.Minute, c.MaxDuration.TimeDuration())
	require.Equal(t, 30*time.Second, c.GetGracefulStop())
	require.Equal(t, "rollup", c.OpOf(Step{}), "the scenario's name")
	require.True(t, c.IsDistributable())
}

func TestConfigOfAll(t *testing.T) {
	c := read(t, `{"executor": "client-sweep", "clients": [64, 1], "duration": "30s", "warmup": "2s", "repeats": 3,
		"pause": "1s", "maxDuration": "5m", "gracefulStop": "7s", "op": "get", "exec": "read", "startTime": "1m",
		"env": {"A": "b"}, "tags": {"team": "db"}}`)
	require.Empty(t, c.Validate())
	require.Equal(t, []int64{64, 1}, c.Clients, "in the order asked for")
	require.Equal(t, 30*time.Second, c.Duration.TimeDuration())
	require.Equal(t, 2*time.Second, c.Warmup.TimeDuration())
	require.Equal(t, int64(3), c.Repeats.Int64)
	require.Equal(t, time.Second, c.Pause.TimeDuration())
	require.Equal(t, 5*time.Minute, c.MaxDuration.TimeDuration())
	require.Equal(t, 7*time.Second, c.GetGracefulStop())
	require.Equal(t, "get", c.OpOf(Step{}))
	require.Equal(t, "read", c.GetExec())
	require.Equal(t, time.Minute, c.GetStartTime())
	require.Equal(t, map[string]string{"A": "b"}, c.GetEnv())
	require.Equal(t, map[string]string{"team": "db"}, c.GetTags())
}

func TestConfigThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct{ json, want string }{
		{`{"clients": [1], "iteration": 5}`, `unknown option "iteration"; known are after, allowFailed, clients,`},
		{`{"clients": [1], "iteration": 5}`, `warmup; did you mean iterations?`},
		{`{"find": {"p98": "5ms"}}`, `find: unknown option "p98"; known are max, mean, min, of, p50,`},
		{`{"find": {"opsPerSecond": 5}}`, `find: unknown option "opsPerSecond": a search keeps bounds of latency; with of: 'rate' it finds the most`},
		{`{"find": {"max": "5"}}`, `find: max must be a number, but is "5"`},
		{`{"clients": 8}`, `clients must be an array of integers, but is 8`},
		{`{"env": {"A": 5}}`, `env must be an object of strings, but is {"A": 5}`},
		{`{"find": 5}`, `find: options must be an object`},
		{`[]`, `options must be an object`},
		{`{"clients": "8"}`, `clients`},
		{`{"clients": [1.5]}`, `clients`},
		{`{"clients": [1], "iterations": "many"}`, `many`},
		{`{"clients": [1], "duration": "soon"}`, `soon`},
		{`{`, `unexpected end`},
		{`{"clients": [1], "duration": "1"}`, `duration 1 could be seconds or milliseconds: write '1s' or '1ms'`},
		{`{"clients": [1], "duration": 30}`, `duration 30 could be seconds or milliseconds: write '30s' or '30ms'`},
		{`{"warmup": "2.5"}`, `warmup 2.5 could be seconds or milliseconds: write '2.5s' or '2.5ms'`},
		{`{"pause": 2}`, `pause 2 could be seconds or milliseconds`},
		{`{"maxDuration": "60"}`, `maxDuration 60 could be seconds or milliseconds: write '60s'`},
		{`{"gracefulStop": 5}`, `gracefulStop 5 could be seconds or milliseconds`},
		{`{"startTime": "10"}`, `startTime 10 could be seconds or milliseconds`},
		{`{"find": {"p99": 5}}`, `find: p99 5 could be seconds or milliseconds: write '5s' or '5ms'`},
		{`{"find": {"mean": 500}}`, `find: mean 500 could be seconds or milliseconds`},
		{`{"clients": [1], "maxVUs": 5}`, `unknown option "maxVUs": preAllocatedVUs clients share the operations of a step, and it gets no more`},
		{`{"vus": 5}`, `unknown option "vus": use clients, such as [1, 8, 64]: each number is a step`},
		{`{"concurrency": [5]}`, `unknown option "concurrency": use clients, such as [1, 8, 64]: each number is a step`},
		{`{"clients": [1], "baseline": "a"}`, `unknown option "baseline": use variants, such as ['base', 'change'], or call sweep.run({ base, change })`},
		{`{"ops": ["get"]}`, `unknown option "ops": use opNames`},
		{`{"allowFailed": 1.5}`, `allowFailed must be true, or a share such as 0.01 or '1%', but is 1.5`},
		{`{"allowFailed": "0.1"}`, `allowFailed must be true, or a share such as 0.01 or '1%', but is "0.1"`},
		{`{"allowFailed": "101%"}`, `allowFailed must be true, or a share`},
		{`{"pause": 1}`, `pause 1 could be seconds or milliseconds: write '1s'`},
		{`{"find": {"p99": "5"}}`, `find: p99 5 could be seconds or milliseconds: write '5s' or '5ms'`},
	} {
		_, err := Read("rollup", []byte(tt.json))
		require.ErrorContains(t, err, tt.want, tt.json)
		require.ErrorContains(t, err, `scenario "rollup"`, tt.json)
	}
}

func TestTimesThatNeedNoUnit(t *testing.T) {
	c := read(t, `{"find": {"p99": "5ms", "max": 8}, "duration": 1500, "warmup": 0, "pause": "0", "gracefulStop": 100, "maxDuration": "1m30s"}`)
	require.Empty(t, c.Validate())
	require.Equal(t, 1500*time.Millisecond, c.Duration.TimeDuration())
	require.Equal(t, 5*time.Millisecond, c.Find.P99.TimeDuration())
}

func TestConfigValidate(t *testing.T) {
	const neither = "one of iterations (operations of each client), duration, untilDone (until sweep.done) and precision (such as '1%') must be set, and no two of them"
	const none = "one of clients (such as [1, 8, 64]), rate (operations a second, such as [100, 1000]) and find must be set"
	const noVUs = "with rate, preAllocatedVUs must be how many clients share the operations, from 1 to 100000"
	for _, tt := range []struct {
		json string
		want []string
	}{
		{`{"clients": [1, 512], "iterations": 1}`, nil},
		{`{"clients": [100000], "duration": "100ms"}`, nil},
		{`{"clients": [1], "duration": "99ms"}`, []string{"duration must be at least 100ms, but is 99ms: nothing is measured in so short a time"}},
		{`{"iterations": 1}`, []string{none}},
		{`{"clients": [1], "rate": [1], "preAllocatedVUs": 1, "duration": "1s"}`, []string{none}},
		{`{"clients": [], "iterations": 1}`, []string{"clients must list at least one number of clients, such as [1, 8, 64]"}},
		{`{"clients": [1, 0, 8, -1], "iterations": 1}`, []string{
			"clients must be integers from 1 to 100000, but one is 0",
			"clients must be integers from 1 to 100000, but one is -1",
		}},
		{`{"clients": [100001], "iterations": 1}`, []string{"clients must be integers from 1 to 100000, but one is 100001"}},
		{`{"clients": [1]}`, []string{neither}},
		{`{"clients": [1], "iterations": 1, "duration": "1s"}`, []string{neither}},
		{`{"clients": [1], "iterations": 0}`, []string{"iterations must be more than 0, but is 0"}},
		{`{"clients": [1], "iterations": -3}`, []string{"iterations must be more than 0, but is -3"}},
		{`{"clients": [1], "duration": "0s"}`, []string{"duration must be more than 0, but is 0s"}},
		{`{"clients": [1], "iterations": 1, "warmup": "-1s"}`, []string{"warmup can't be negative, but is -1s"}},
		{`{"clients": [1], "iterations": 1, "repeats": 0}`, []string{"repeats must be from 1 to 1000, but is 0"}},
		{`{"clients": [1], "iterations": 1, "repeats": 1000, "pause": "9000h"}`, []string{
			"the sweep could take longer than can be counted: lower maxDuration, pause or repeats",
		}},
		{`{"clients": [8, 1, 8], "iterations": 1}`, []string{
			"clients and rate must name each number once; repeats runs a step more often",
		}},
		{`{"clients": [1], "iterations": 1, "quiet": "-1s"}`, []string{"quiet can't be negative, but is -1s"}},
		{`{"clients": [1], "iterations": 1, "quiet": "0s"}`, nil},
		{`{"clients": [1], "iterations": 1, "waitCalm": "-1s"}`, []string{"waitCalm can't be negative, but is -1s"}},
		{`{"clients": [1], "iterations": 1, "pause": "-1s"}`, []string{"pause can't be negative, but is -1s"}},
		{`{"clients": [1], "iterations": 1, "maxDuration": "999ms"}`, []string{"maxDuration must be at least 1s, but is 999ms"}},
		{`{"clients": [1], "duration": "10m"}`, []string{"maxDuration (10m0s) must leave room for warmup and duration (10m0s)"}},
		{`{"clients": [1], "iterations": 1, "warmup": "2s", "maxDuration": "2s"}`, []string{
			"maxDuration (2s) must leave room for warmup and duration (2s)",
		}},
		{`{"clients": [1], "iterations": 1, "op": ""}`, []string{"op can't be empty"}},
		{`{"clients": [1], "iterations": 1, "gracefulStop": "-1s"}`, []string{"the gracefulStop timeout can't be negative"}},
		{`{"clients": [1], "iterations": 1, "repeats": null, "maxDuration": null, "op": null}`, nil},
		{`{"clients": [1], "iterations": 1, "onError": "stop"}`, []string{"onError must be 'count', 'continue' or 'abort', but is 'stop'"}},
		{`{"clients": [1], "iterations": 1, "variants": []}`, []string{"variants must list at least one name"}},
		{`{"clients": [1], "iterations": 1, "variants": ["a", ""]}`, []string{"variants can't hold an empty name"}},
		{`{"clients": [1], "iterations": 1, "variants": ["a", "b", "a"], "op": "get"}`, []string{
			"variants must name each variant once; repeats runs a step more often",
			"op can't be set with variants: operations that nobody named have their variant's name",
		}},
		{`{"find": {"p99": "1s", "max": 5}, "iterations": 1, "variants": ["a", "b"]}`, []string{
			"variants can't be compared in a search: leave find or variants out",
		}},
		{`{"clients": [1], "iterations": 1, "opNames": ["get", ""]}`, []string{"opNames can't hold an empty name"}},
		{`{"clients": [1], "iterations": 1, "preAllocatedVUs": 1}`, []string{
			"preAllocatedVUs goes with rate only; the clients of a step are in clients",
		}},
		{`{"rate": [0.5, 1000], "preAllocatedVUs": 8, "duration": "1s", "warmup": "1s"}`, nil},
		{`{"rate": [], "preAllocatedVUs": 8, "duration": "1s"}`, []string{
			"rate must list at least one number of operations a second, such as [100, 1000]",
			"preAllocatedVUs goes with rate only; the clients of a step are in clients",
		}},
		{`{"rate": [0, 10000001], "preAllocatedVUs": 8, "duration": "1s"}`, []string{
			"rate must be more than 0 and at most 10000000 operations a second, but one is 0",
			"rate must be more than 0 and at most 10000000 operations a second, but one is 1.0000001e+07",
		}},
		{`{"rate": [1], "duration": "1s"}`, []string{noVUs}},
		{`{"rate": [1], "preAllocatedVUs": 0, "duration": "1s"}`, []string{noVUs}},
		{`{"rate": [1], "preAllocatedVUs": 1, "iterations": 5}`, []string{"with rate, duration must be set, and none of iterations, untilDone and precision"}},
		{`{"find": {"p99": "5ms", "max": 512}, "iterations": 100}`, nil},
		{`{"find": {"of": "rate", "p99": "5ms", "p50": "1ms", "min": 10, "max": 512}, "preAllocatedVUs": 4, "duration": "1s"}`, nil},
		{`{"find": {"of": "rate", "p99": "5ms", "max": 512}, "duration": "1s"}`, []string{noVUs}},
		{`{"find": {"of": "vus", "p99": "5ms", "max": 512}, "duration": "1s"}`, []string{
			"find.of must be 'clients' or 'rate', but is 'vus'",
		}},
		{`{"find": {"max": 8}, "duration": "1s"}`, []string{
			"find must name a bound, such as p99: '5ms'; there are p50, p90, p95, p99, p999, mean",
		}},
		{`{"find": {"p99": "0s", "max": 0}, "duration": "1s"}`, []string{
			"find.max must be an integer from 1 to 100000, but is 0",
			"find.p99 must be more than 0, but is 0s",
		}},
		{`{"find": {"p99": "1s", "max": 1.5, "min": 2}, "duration": "1s"}`, []string{
			"find.max must be an integer from 1 to 100000, but is 1.5",
			"find.min must be an integer of at most find.max, but is 2",
		}},
	} {
		t.Run(tt.json, func(t *testing.T) {
			var got []string
			for _, err := range read(t, tt.json).Validate() {
				got = append(got, err.Error())
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestLongName(t *testing.T) {
	c := read(t, `{"clients": [1], "iterations": 1}`)
	c.Name = strings.Repeat("x", 200)
	require.Empty(t, c.Validate())
	c.Name += "x"
	require.EqualError(t, errors.Join(c.Validate()...),
		"the scenario's name, after which files are named, must have at most 200 bytes, but has 201")
}

func TestExecutionRequirements(t *testing.T) {
	const sequence = "0,1/2,3/4,1"
	for _, tt := range []struct {
		json, segment string
		vus           uint64
		until         time.Duration
	}{
		{`{"clients": [1, 64, 8], "iterations": 1}`, "", 64, time.Minute + 3*(10*time.Minute+30*time.Second)},
		{`{"clients": [4, 2], "iterations": 1, "repeats": 3, "maxDuration": "10s", "gracefulStop": "2s", "pause": "1s", "quiet": "5s"}`, "", 4, (5 + 6*13) * time.Second},
		{`{"clients": [4, 2], "iterations": 1, "maxDuration": "10s", "gracefulStop": "2s", "waitCalm": "30s", "quiet": "0s"}`, "", 4, 2 * 42 * time.Second},
		{`{"clients": [8], "iterations": 1, "maxDuration": "1s", "gracefulStop": "0s"}`, "0:1/2", 4, time.Second},
		{`{"clients": [8], "iterations": 1, "maxDuration": "1s", "gracefulStop": "0s"}`, "1/2:3/4", 2, time.Second},
		{`{"clients": [1], "iterations": 1, "maxDuration": "1s", "gracefulStop": "0s"}`, "3/4:1", 0, time.Second},
	} {
		t.Run(tt.json+tt.segment, func(t *testing.T) {
			c, et := read(t, tt.json), testutil.Tuple(t, tt.segment, sequence)
			require.Equal(t, []lib.ExecutionStep{{PlannedVUs: tt.vus}, {TimeOffset: tt.until}}, c.GetExecutionRequirements(et))
			require.Equal(t, tt.vus > 0, c.HasWork(et))
		})
	}
	require.False(t, read(t, `{"iterations": 1}`).HasWork(testutil.Tuple(t, "", "")))
}

// All segments together have exactly each step's clients, and the VUs for them.
func TestSegmentsShareTheClients(t *testing.T) {
	const sequence = "0,1/3,2/3,1"
	c := read(t, `{"clients": [1, 2, 3, 8, 16, 100, 511], "iterations": 1}`)
	for _, clients := range c.Clients {
		var sum int64
		for i := range 3 {
			et := testutil.Tuple(t, fmt.Sprintf("%d/3:%d/3", i, i+1), sequence)
			here := et.ScaleInt64(clients)
			require.LessOrEqual(t, uint64(here), c.GetExecutionRequirements(et)[0].PlannedVUs)
			sum += here
		}
		require.Equal(t, clients, sum)
	}
}

func TestDescription(t *testing.T) {
	require.Equal(t,
		"Sweep of 1, 8, 64 clients, 100 operations each (warmup: 2s, repeats: 3, maxDuration: 10m0s a step, gracefulStop: 30s)",
		read(t, `{"clients": [1, 8, 64], "iterations": 100, "warmup": "2s", "repeats": 3}`).GetDescription(testutil.Tuple(t, "", "")))
	require.Equal(t,
		"Sweep of 4, 32 clients, 30s (warmup: 0s, repeats: 1, maxDuration: 1m0s a step, gracefulStop: 0s)",
		read(t, `{"clients": [8, 64], "duration": "30s", "maxDuration": "1m", "gracefulStop": "0s"}`).
			GetDescription(testutil.Tuple(t, "0:1/2", "0,1/2,1")))
}

func TestAllowedFailures(t *testing.T) {
	steps := func(failed ...uint64) (all []report.Step) {
		for i, n := range failed { // two kinds of operations in each step
			all = append(all, report.Step{Clients: 1, Repeat: i/2 + 1, Op: strconv.Itoa(i % 2), Operations: int64(100 - n), Failed: n})
		}

		return all
	}
	for given, want := range map[string]map[bool][]report.Step{
		`false`:  {true: nil, false: steps(1, 0)},
		`true`:   {true: steps(99, 100, 0, 0), false: steps(100, 100)},
		`0.02`:   {true: steps(4, 0, 0, 3), false: steps(0, 0, 2, 3)},
		`"2 %"`:  {true: steps(4, 0, 0, 3), false: steps(0, 0, 2, 3)},
		`"0.5%"`: {true: steps(1, 0), false: steps(0, 0, 2, 0)},
	} {
		c := read(t, `{"clients": [1], "iterations": 1, "allowFailed": `+given+`}`)
		for allowed, steps := range want {
			if steps != nil {
				require.Equal(t, allowed, c.AllowsFailed(steps), "%s %v", given, steps)
			}
		}
	}
}

// k6's archives hold the options as JSON.
func TestOptionsAreReadAsTheyAreWritten(t *testing.T) {
	for _, given := range []string{
		`{"clients": [1, 8], "iterations": 10}`,
		`{"clients": [1], "duration": "5s", "warmup": "1s", "repeats": 4, "allowFailed": true, "opNames": ["get", "set"], "onError": "continue"}`,
		`{"clients": [1], "iterations": 10, "allowFailed": "2%"}`,
		`{"rate": [60], "duration": "10s", "preAllocatedVUs": 4, "allowFailed": false}`,
		`{"find": {"max": 64, "p99": "5ms"}, "duration": "1s", "quiet": "0s", "gracefulStop": "0s"}`,
		`{"clients": [1], "iterations": 5, "variants": ["a", "b"]}`,
	} {
		c := read(t, given)
		raw, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, c, read(t, string(raw)), "%s", raw)
	}
}

func TestErrCutOffIsTheCause(t *testing.T) {
	err := errCutOff(read(t, `{"clients": [1], "iterations": 1, "maxDuration": "3s", "gracefulStop": "0s"}`))
	require.EqualError(t, err, "cut off: still under way after maxDuration (3s) and gracefulStop (0s)")
	require.NotErrorIs(t, err, context.Canceled)
}
