package sweep_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

func TestPanicIsAFailedOperation(t *testing.T) {
	for name, script := range map[string]string{
		"in sweep.run":        `let n = 0; sweep.run(() => { sleep(10); if (++n === 5) crash() })`,
		"in sweep.op":         `let n = 0; sweep.run(() => { sleep(10); if (++n === 5) sweep.op('inner', () => crash()) })`,
		"in a plain function": `globalThis.n = (globalThis.n || 0) + 1; sleep(10); if (n === 5) crash()`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [1, 2], "iterations": 10}`, script)
				for _, vu := range s.VUs {
					require.NoError(t, vu.Script.Set("crash", func(sobek.FunctionCall) sobek.Value {
						var nobody *sobek.Object

						return nobody.Get("x")
					}))
				}
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				failed := uint64(0)
				for _, step := range rep.Steps {
					require.True(t, step.Complete)
					failed += step.Failed
				}
				require.Positive(t, failed)
				require.Contains(t, strings.Join(s.Warnings(), "\n"), "operation failed: a fault in k6's extensions or in a library")
			})
		})
	}
}
