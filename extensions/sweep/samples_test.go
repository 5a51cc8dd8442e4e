package sweep_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestAnOperationFailsByItsSamples(t *testing.T) {
	const notFound = "http: GET http://h/ answered 404 Not Found"
	for name, tt := range map[string]struct {
		script string
		failed uint64
		errors map[string]uint64
	}{
		"sweep.run, a check":           {`sweep.run(() => check("is 200", false))`, 20, map[string]uint64{"check failed: is 200": 20}},
		"sweep.run, a response":        {`sweep.run(() => answered(404))`, 20, map[string]uint64{notFound: 20}},
		"sweep.run, several":           {`sweep.run(() => { answered(404); check("is 200", false); answered(500) })`, 20, map[string]uint64{notFound: 20}},
		"sweep.run, an exception":      {`sweep.run(() => { answered(404); throw new Error("no") })`, 20, map[string]uint64{"Error: no": 20}},
		"sweep.run, some":              {`let n = 0; sweep.run(() => { n++; check("is odd", n % 2 === 1) })`, 10, map[string]uint64{"check failed: is odd": 10}},
		"sweep.run, only around it":    {`answered(500); sweep.run(() => answered(200)); check("after", false)`, 0, nil},
		"sweep.run, more than the tap": {`sweep.run(() => { for (let i = 0; i < 500; i++) { answered(200) }; answered(404) })`, 20, map[string]uint64{notFound: 20}},
		"a plain function, a check":    {`check("is 200", false)`, 20, map[string]uint64{"check failed: is 200": 20}},
		"a plain function, a response": {`answered(404)`, 20, map[string]uint64{notFound: 20}},
		"a plain function, holds":      {`answered(200); check("is 200", true)`, 0, nil},
		"a late session":               {`if (calls === 1) { throw new Error("no") }; answered(500); sweep.run(() => answered(200)); answered(500)`, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2], "iterations": 10}`, "sleep(1); "+tt.script)
				out := make(chan int)
				go func() { // takes samples continuously, as k6 does
					n := 0
					for range s.Out {
						n++
					}
					out <- n
				}()
				rep, err := s.Run(t.Context())
				close(s.Out)
				<-out
				require.NoError(t, err)
				step := rep.Steps[0]
				require.True(t, step.Complete)
				require.Equal(t, tt.failed, step.Failed)
				require.Equal(t, 20-int64(tt.failed), step.Operations)
				require.Equal(t, tt.errors, step.Extra.Errors)
			})
		})
	}
}

// A failing sample fails the named operation and those around it, but not earlier or later ones.
func TestANamedOperationFailsByItsSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 80, "opNames": ["outer", "inner", "good", "late"]}`, `
			sleep(1)
			check("around", true)
			sweep.op("outer", () => {
				if (sweep.op("inner", () => { answered(404); return 7 }) !== 7) { throw new Error("the value is lost") }
			})
			sweep.op("good", () => answered(200))
			sweep.op("late", () => sleep(1))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		failed := map[string]uint64{}
		for _, step := range rep.Steps {
			failed[step.Op] = step.Failed
			require.Equal(t, int64(20), step.Operations+int64(step.Failed), step.Op)
		}
		require.Equal(t, map[string]uint64{"outer": 20, "inner": 20, "good": 0, "late": 0}, failed)
	})
}

// A failing sample outside of named operations fails the call.
func TestACallFailsByItsSamplesAroundNamedOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 20, "op": "call", "opNames": ["call", "named"]}`, `
			sleep(1)
			sweep.op("named", () => answered(200))
			check("around", false)`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 2)
		require.Equal(t, "call", rep.Steps[0].Op)
		require.Equal(t, []uint64{10, 0}, []uint64{rep.Steps[0].Failed, rep.Steps[1].Failed})
		require.Equal(t, []int64{0, 10}, []int64{rep.Steps[0].Operations, rep.Steps[1].Operations})
	})
}

// All samples of a VU reach k6 with their tags, also at an interrupt.
func TestSamplesReachK6(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `
			check("before", false); sweep.run(() => { sleep(1); check("in it", false) }); check("after", false)`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		count := map[string]int{}
		for _, sample := range s.Sent()["checks"] {
			count[sample.Tags["check"]+" "+sample.Tags["phase"]+sample.Tags["clients"]]++
		}
		require.Equal(t, map[string]int{"before warmup": 2, "in it 2": 20, "after 2": 2}, count)
		for _, vu := range s.VUs {
			require.Equal(t, cap(s.Out), cap(vu.StateField.Samples), "the VU pushes to k6 again")
		}
	})
}

func TestSamplesReachK6AtAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `sweep.run(() => { check("in it", true); hang() })`)
		go func() {
			synctest.Wait()
			cancel()
		}()
		rep, err := s.Run(ctx)
		require.NoError(t, err)
		require.True(t, rep.Interrupted)
		require.Len(t, s.Sent()["checks"], 2)
	})
}
