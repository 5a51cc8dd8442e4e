package testutil

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Runner is a VU that runs JavaScript. The module is a variable named after its path's last part.
// `attempt(fn)` returns what fn throws as { name, message, kind, code, isError }, or null.
type Runner struct {
	*modulestest.Runtime
	Samples

	// JS is the VU's runtime.
	JS *sobek.Runtime
	// Dialer is the VU's dialer after Start.
	Dialer *netext.Dialer
	// Exit simulates k6's exit. The end of the test calls it too.
	Exit func()

	t *testing.T
}

// NewRunner returns a VU in the init context, with a module registered under importPath.
func NewRunner(t *testing.T, importPath string, root modules.Module) *Runner {
	t.Helper()
	v := &Runner{Runtime: modulestest.NewRuntime(t), t: t}
	v.JS = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	var exit func()
	v.VU.EventsField, exit = ExitEvents(t)
	v.Exit = sync.OnceFunc(exit) // a second Exit event would wait forever for a subscriber that is unsubscribing
	require.NoError(t, v.SetupModuleSystem(map[string]any{importPath: root}, nil, nil))
	v.Run(`
		var ` + path.Base(importPath) + ` = require('` + importPath + `');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, code: e.code, isError: e instanceof Error };
			}
			return null;
		};
	`)

	return v
}

// Set sets a global variable.
func (v *Runner) Set(name string, value any) {
	v.t.Helper()
	require.NoError(v.t, v.JS.Set(name, value))
}

// Start leaves the init context. VU 0 runs setup.
func (v *Runner) Start(id uint64) {
	v.t.Cleanup(func() {
		v.Exit()
		v.CancelContext()
	})
	v.Dialer = netext.NewDialer(net.Dialer{}, netext.NewResolver(net.LookupIP, 0, types.DNSfirst, types.DNSpreferIPv4))
	v.MoveToVUContext(&lib.State{
		BuiltinMetrics: v.BuiltinMetrics,
		Samples:        v.Channel(),
		Tags:           lib.NewVUStateTags(v.VU.InitEnv().Registry.RootTagSet()),
		VUID:           id,
		Dialer:         v.Dialer,
		Logger:         &logrus.Logger{Out: io.Discard, Formatter: &logrus.TextFormatter{}, Hooks: logrus.LevelHooks{}},
	})
}

// Run runs JavaScript that must not throw, and returns its value.
func (v *Runner) Run(script string) any {
	v.t.Helper()
	value, err := v.JS.RunString(script)
	require.NoError(v.t, err, script)

	return value.Export()
}

// JSON returns an expression's value as JSON, with BigInts as strings such as "12n".
func (v *Runner) JSON(expression string) string {
	v.t.Helper()

	text, _ := v.Run(`JSON.stringify((() => { return ` + expression +
		`; })(), (_, x) => typeof x === 'bigint' ? x + 'n' : x)`).(string)

	return text // empty for undefined
}

// Decode decodes an expression's value through JSON.
func (v *Runner) Decode(expression string, into any) {
	v.t.Helper()
	require.NoError(v.t, json.Unmarshal([]byte(v.JSON(expression)), into), expression)
}

// Loop runs JavaScript, which may await, on an event loop until all its work is done.
func (v *Runner) Loop(script string) {
	v.t.Helper()
	_, err := v.RunOnEventLoop(`(async () => { ` + script + ` })()`)
	require.NoError(v.t, err, script)
}

// Thrown is a module's exception. Code is 0 if it has none.
type Thrown struct {
	Name, Message, Kind string
	Code                int64
}

// Fail runs JavaScript that must throw an Error.
func (v *Runner) Fail(script string) Thrown {
	v.t.Helper()
	value, err := v.JS.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)

	return v.thrown(value)
}

// Abort runs JavaScript that must end the test, and returns the reason.
func (v *Runner) Abort(script string) string {
	v.t.Helper()
	_, err := v.JS.RunString(`try { ` + script + ` } catch (e) {} throw new Error('it went on')`)
	v.JS.ClearInterrupt()
	require.True(v.t, errext.IsInterruptError(err), "%s: %v", script, err)

	interrupted, _ := errors.AsType[*sobek.InterruptedError](err)

	return interrupted.Value().(*errext.InterruptError).Reason //nolint:forcetypeassert // as IsInterruptError has found
}

// Rejected runs an expression on an event loop; its promise must be rejected with an Error.
func (v *Runner) Rejected(expression string) Thrown {
	v.t.Helper()
	v.Loop(`globalThis.rejected = null;
		try { await (` + expression + `) } catch (e) { globalThis.rejected = attempt(() => { throw e }) }`)
	value := v.JS.Get("rejected")
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", expression)

	return v.thrown(value)
}

func (v *Runner) thrown(value sobek.Value) Thrown {
	v.t.Helper()
	e, _ := value.Export().(map[string]any)
	require.Equal(v.t, true, e["isError"], "%v", e)
	thrown := Thrown{}
	thrown.Name, _ = e["name"].(string)
	thrown.Message, _ = e["message"].(string)
	thrown.Kind, _ = e["kind"].(string)
	thrown.Code, _ = e["code"].(int64)

	return thrown
}

// Step runs a step of a sweep with n clients and returns its reading. Each client's VU runs before,
// and then repeats during until its share is done.
func Step(t *testing.T, n int, plan measure.Plan, op string, newRunner func() *Runner, before, during string) measure.Reading {
	t.Helper()
	s := measure.NewStep(n, plan, nil)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		v := newRunner()
		session := &k6x.Session{Client: s.Client(i), Op: op}
		v.VU.CtxField = k6x.WithSession(v.VU.CtxField, session)
		wait.Go(func() {
			defer session.End()
			defer s.Client(i).Leave()
			if _, errs[i] = v.JS.RunString(before); errs[i] != nil {
				return
			}
			errs[i] = s.Client(i).Run(context.Background(), op, nil, func() error {
				_, err := v.JS.RunString(during)

				return err
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}

	return s.Read()
}

// RequireNoneLeft fails if goroutines of the named functions, or goroutines that wait for a VU's
// end, do not stop.
func RequireNoneLeft(t *testing.T, functions ...string) {
	t.Helper()
	for _, name := range append(functions, "k6x.onEvent") {
		require.Eventually(t, func() bool { return Goroutines(name) == 0 }, 10*time.Second, time.Millisecond,
			"goroutines are left in %s", name)
	}
}

// Samples collects a VU's samples.
type Samples struct {
	emitted chan metrics.SampleContainer
	samples []metrics.Sample
}

// Channel returns the channel for the VU's samples.
func (s *Samples) Channel() chan metrics.SampleContainer {
	s.emitted = make(chan metrics.SampleContainer, 100_000) // more than any test emits

	return s.emitted
}

// Counted sums the samples of a metric with these tags (name, value, name, value).
func (s *Samples) Counted(metric string, tags ...string) float64 {
	sum := 0.0
	for _, sample := range s.Found(metric, tags...) {
		sum += sample.Value
	}

	return sum
}

// Found returns the samples of a metric with these tags (name, value, name, value).
func (s *Samples) Found(metric string, tags ...string) []metrics.Sample {
	s.take()
	var found []metrics.Sample
next:
	for _, sample := range s.samples {
		if sample.Metric.Name != metric {
			continue
		}
		for i := 0; i < len(tags); i += 2 {
			if value, _ := sample.Tags.Get(tags[i]); value != tags[i+1] {
				continue next
			}
		}
		found = append(found, sample)
	}

	return found
}

// Sent returns the samples since the last call of any method.
func (s *Samples) Sent() []metrics.Sample {
	before := len(s.samples)
	s.take()

	return s.samples[before:]
}

func (s *Samples) take() {
	for len(s.emitted) > 0 {
		s.samples = append(s.samples, (<-s.emitted).GetSamples()...)
	}
}

// ExitEvents returns k6's event system, and a function that emits the event Exit and waits for its
// subscribers. The type is internal to k6, so it is built by reflection.
func ExitEvents(t *testing.T) (common.Events, func()) {
	t.Helper()
	system := reflect.New(reflect.TypeOf(lib.TestPreInitState{}.Events).Elem())
	set := func(name string, value reflect.Value) {
		field := system.Elem().FieldByName(name)
		at := unsafe.Pointer(field.UnsafeAddr()) //nolint:gosec // there is no other way into a field that is not exported
		reflect.NewAt(field.Type(), at).Elem().Set(value.Convert(field.Type()))
	}
	logger := logrus.New()
	logger.SetOutput(os.Stderr)
	set("subscribers", reflect.MakeMap(system.Elem().FieldByName("subscribers").Type()))
	set("eventBuffer", reflect.ValueOf(10))
	set("logger", reflect.ValueOf(logger))

	var events common.Events
	reflect.ValueOf(&events).Elem().FieldByName("Global").Set(system)

	emit := system.MethodByName("Emit")
	event := emit.Type().In(0).Elem()

	return events, func() {
		e := reflect.New(event)
		kind := e.Elem().FieldByName("Type")
		for fmt.Sprint(kind.Interface()) != "Exit" {
			kind.SetUint(kind.Uint() + 1)
			require.Less(t, kind.Uint(), uint64(100), "k6 has no event Exit any more")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		wait := emit.Call([]reflect.Value{e})[0]
		result := wait.Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
		require.True(t, result.IsNil(), "not all that wait for k6's end have come to theirs")
	}
}

// Goroutines counts the goroutines whose stack, or whose creator, contains the named function.
func Goroutines(name string) int {
	buffer := make([]byte, 1<<20)
	count := 0
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, name) {
			count++
		}
	}

	return count
}

// Tuple returns an execution segment such as "0:1/2" of the sequence "0,1/2,1"; "" means the whole
// test.
func Tuple(t *testing.T, segment, sequence string) *lib.ExecutionTuple {
	t.Helper()
	if segment == "" {
		et, err := lib.NewExecutionTuple(nil, nil)
		require.NoError(t, err)

		return et
	}
	es, err := lib.NewExecutionSegmentFromString(segment)
	require.NoError(t, err)
	seq, err := lib.NewExecutionSegmentSequenceFromString(sequence)
	require.NoError(t, err)
	et, err := lib.NewExecutionTuple(es, &seq)
	require.NoError(t, err)

	return et
}
