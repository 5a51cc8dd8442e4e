package k6glue

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Begun counts the asynchronous work that a VU's script has begun: timers, http.asyncRequest, the
// promises of our own modules, and functions that await a promise or were given to its then. k6
// shows nobody what its event loop has still to do, but nothing of it is done while a call of
// JavaScript lasts: where the count has grown meanwhile, the call has left work behind.
//
// A promise of another module that nobody awaits is not seen.
type Begun struct{ count int }

// begunKey is the property of the global object that has the VU's Begun, for all our modules.
var begunKey = sobek.NewSymbol("asynchronous work") //nolint:gochecknoglobals // a constant

// NewBegun returns the counter of a VU, which counts from now on. Only the VU's own goroutine may
// use it. It belongs into the init context: k6/timers exports the global timers as it finds them.
func NewBegun(vu modules.VU) *Begun {
	rt := vu.Runtime()
	global := rt.GlobalObject()
	b := &Begun{}
	must(rt, global.SetSymbol(begunKey, b))
	rt.SetAsyncContextTracker(b)
	b.watch(rt, global, "setTimeout")
	b.watch(rt, global, "setInterval")
	if http, err := rt.RunString("require('k6/http')"); err == nil { // tests have no require
		b.watch(rt, http.ToObject(rt), "asyncRequest")
	}

	return b
}

// watch counts the calls of a function that an object has.
func (b *Begun) watch(rt *sobek.Runtime, object *sobek.Object, name string) {
	fn, is := sobek.AssertFunction(object.Get(name))
	if !is {
		return
	}
	counted := rt.ToValue(func(args ...sobek.Value) (sobek.Value, error) {
		b.count++

		return fn(object, args...)
	})
	setName(rt, counted.ToObject(rt), name)
	must(rt, object.Set(name, counted))
}

// addBegun counts work that one of our modules begins.
func addBegun(rt *sobek.Runtime) {
	if value := rt.GlobalObject().GetSymbol(begunKey); value != nil {
		value.Export().(*Begun).count++ //nolint:forcetypeassert // nothing else has the symbol
	}
}

// Count returns how much work has begun up to now.
func (b *Begun) Count() int { return b.count }

// Restore goes back to an earlier count.
func (b *Begun) Restore(count int) { b.count = count }

// Grab implements sobek.AsyncContextTracker: a function awaits a promise.
func (b *Begun) Grab() any {
	b.count++

	return nil
}

// Resumed implements sobek.AsyncContextTracker.
func (*Begun) Resumed(any) {}

// Exited implements sobek.AsyncContextTracker.
func (*Begun) Exited() {}
