package k6x

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Begun counts the asynchronous work that a VU's script starts: timers, http.asyncRequest, promises
// of our modules, await, and then. k6 does not expose its event loop's queue, but the queue does
// not run during a JavaScript call. So if the count has grown during a call, the call has left work
// behind. Unawaited promises of other modules are not counted.
type Begun struct{ count int }

// begunKey is the global object's property that holds the VU's Begun for all our modules.
var begunKey = sobek.NewSymbol("asynchronous work") //nolint:gochecknoglobals // a constant

// NewBegun returns a VU's counter and starts counting. Call it in the init context, before
// k6/timers exports the global timers. Only the VU's goroutine may use it.
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

func (b *Begun) watch(rt *sobek.Runtime, object *sobek.Object, name string) {
	fn, is := sobek.AssertFunction(object.Get(name))
	if !is {
		return
	}
	must(rt, object.Set(name, named(rt, name, func(args ...sobek.Value) (sobek.Value, error) {
		b.count++

		return fn(object, args...)
	})))
}

// addBegun counts work that one of our modules starts.
func addBegun(rt *sobek.Runtime) {
	if value := rt.GlobalObject().GetSymbol(begunKey); value != nil {
		value.Export().(*Begun).count++ //nolint:forcetypeassert // nothing else has the symbol
	}
}

// Count returns how many pieces of asynchronous work have been started so far.
func (b *Begun) Count() int { return b.count }

// Restore resets the counter to an earlier count.
func (b *Begun) Restore(count int) { b.count = count }

// Grab implements sobek.AsyncContextTracker. It is called when a function awaits a promise.
func (b *Begun) Grab() any {
	b.count++

	return nil
}

// Resumed implements sobek.AsyncContextTracker.
func (*Begun) Resumed(any) {}

// Exited implements sobek.AsyncContextTracker.
func (*Begun) Exited() {}
