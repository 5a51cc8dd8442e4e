package jsmodule

import (
	"unicode/utf8"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// longestMark is in characters, to fit next to a plot.
const longestMark = 200

// mark is sweep.mark(text), declared in index.d.ts.
func (m *module) mark(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	text, ok := k6x.TextOf(call.Argument(0))
	if !ok || text == "" || utf8.RuneCountInString(text) > longestMark {
		k6x.ThrowType(rt, "sweep.mark(text) takes a string of 1 to %d characters that says what has happened, not %s",
			longestMark, k6x.Show(call.Argument(0)))
	}
	if m.vu.State() == nil {
		k6x.ThrowType(rt, "sweep.mark: nothing is at work in the init context; call it in a scenario's function, in setup() or teardown()")
	}
	measure.TellEvent("", text, 1)

	return sobek.Undefined()
}
