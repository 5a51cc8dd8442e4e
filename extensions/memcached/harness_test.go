package memcached

import (
	"context"
	"fmt"
	"net"
	"os"
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
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/internal/testserver"
)

// vu is a virtual user in which a test runs JavaScript. `memcached` is the module, `attempt(fn)` returns what fn throws
// as { name, message, kind, index, results }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime

	t       *testing.T
	runtime *sobek.Runtime
	dialer  *netext.Dialer

	emitted chan metrics.SampleContainer
	samples []metrics.Sample
	exit    func() // what k6 does when it is about to exit
}

// newVU returns a VU as scripts' functions run in, with the address of the shared server as `addr`.
func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.start(1)

	return v
}

// newInitVU returns a VU in the init context.
func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{Runtime: modulestest.NewRuntime(t), t: t}
	v.runtime = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	var exit func()
	v.VU.EventsField, exit = exitEvents(t)
	v.exit = sync.OnceFunc(exit) // k6 exits once; one that still unsubscribes would be waited for in vain the second time
	require.NoError(t, v.SetupModuleSystem(map[string]any{ImportPath: root}, nil, nil))
	_, err := v.runtime.RunString(`
		var memcached = require('k6/x/memcached');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, isError: e instanceof Error };
			}
			return null;
		};
	`)
	require.NoError(t, err)
	require.NoError(t, v.runtime.Set("addr", testserver.Addr(t)))
	keys++
	require.NoError(t, v.runtime.Set("key", fmt.Sprintf("module-test-%d-%d", os.Getpid(), keys)))

	return v
}

var keys int

// start leaves the init context. VU 0 is that of setup.
func (v *vu) start(id uint64) {
	v.emitted = make(chan metrics.SampleContainer, 100_000) // more than any test emits
	v.t.Cleanup(func() {
		v.exit()
		v.CancelContext()
	})
	registry := v.VU.InitEnv().Registry
	v.dialer = netext.NewDialer(net.Dialer{}, netext.NewResolver(net.LookupIP, 0, types.DNSfirst, types.DNSpreferIPv4))
	v.MoveToVUContext(&lib.State{
		BuiltinMetrics: v.BuiltinMetrics,
		Samples:        v.emitted,
		Tags:           lib.NewVUStateTags(registry.RootTagSet()),
		VUID:           id,
		Dialer:         v.dialer,
	})
}

// run runs JavaScript, which must not throw, and returns its value.
func (v *vu) run(script string) any {
	v.t.Helper()
	value, err := v.runtime.RunString(script)
	require.NoError(v.t, err, script)

	return value.Export()
}

// js is run for a value that is compared as JSON; BigInts become strings such as "12n".
func (v *vu) js(expression string) string {
	v.t.Helper()

	return v.run(`JSON.stringify((() => { return ` + expression +
		`; })(), (_, x) => typeof x === 'bigint' ? x + 'n' : x)`).(string)
}

// thrown is an exception of the module.
type thrown struct {
	Message, Kind string
}

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "MemcachedError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])

	return thrown{e["message"].(string), e["kind"].(string)}
}

// counted sums up the samples of a metric that have the tags.
func (v *vu) counted(metric string, tags ...string) float64 {
	sum := 0.0
	for _, s := range v.found(metric, tags...) {
		sum += s.Value
	}

	return sum
}

// found returns the samples of a metric that have the tags, given as name, value, name, value.
func (v *vu) found(metric string, tags ...string) []metrics.Sample {
	for len(v.emitted) > 0 {
		v.samples = append(v.samples, (<-v.emitted).GetSamples()...)
	}
	var found []metrics.Sample
next:
	for _, s := range v.samples {
		if s.Metric.Name != metric {
			continue
		}
		for i := 0; i < len(tags); i += 2 {
			if value, _ := s.Tags.Get(tags[i]); value != tags[i+1] {
				continue next
			}
		}
		found = append(found, s)
	}

	return found
}

// exitEvents returns k6's event system and a function that emits its event Exit and waits for those who got it. The
// system's package is internal to k6: it is built by reflection.
func exitEvents(t *testing.T) (common.Events, func()) {
	t.Helper()
	system := reflect.New(reflect.TypeOf(lib.TestPreInitState{}.Events).Elem())
	set := func(name string, value reflect.Value) {
		field := system.Elem().FieldByName(name)
		reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(value.Convert(field.Type()))
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
		for kind.Interface().(interface{ String() string }).String() != "Exit" {
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

// goroutines counts the goroutines that run the named function or were started by it.
func goroutines(name string) int {
	buffer := make([]byte, 1<<20)
	count := 0
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, name) {
			count++
		}
	}

	return count
}

// requireNoneLeft fails when goroutines of the module do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	for _, name := range []string{"memcached.(*client)", "k6glue.OnVUEnd"} {
		require.Eventually(t, func() bool { return goroutines(name) == 0 }, 10*time.Second, time.Millisecond,
			"goroutines are left in %s", name)
	}
}
