package k6test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Runner is a virtual user in which a test runs JavaScript. The module is a variable with the last
// part of its path as its name. `attempt(fn)` returns what fn throws as { name, message, kind,
// code, isError }, and null when it throws nothing.
type Runner struct {
	*modulestest.Runtime
	Samples

	// JS is the VU's JavaScript.
	JS *sobek.Runtime
	// Dialer is what the VU connects through, from Start on.
	Dialer *netext.Dialer
	// Exit does what k6 does when it is about to exit. The test's end calls it as well.
	Exit func()

	t *testing.T
}

// NewRunner returns a VU in the init context, with a module that k6 has under this path.
func NewRunner(t *testing.T, importPath string, root modules.Module) *Runner {
	t.Helper()
	v := &Runner{Runtime: modulestest.NewRuntime(t), t: t}
	v.JS = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	var exit func()
	v.VU.EventsField, exit = ExitEvents(t)
	v.Exit = sync.OnceFunc(exit) // k6 exits once; one that still unsubscribes would be waited for in vain the second time
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

// Set gives the script a variable.
func (v *Runner) Set(name string, value any) {
	v.t.Helper()
	require.NoError(v.t, v.JS.Set(name, value))
}

// Start leaves the init context. VU 0 is that of setup.
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

// Run runs JavaScript, which must not throw, and returns its value.
func (v *Runner) Run(script string) any {
	v.t.Helper()
	value, err := v.JS.RunString(script)
	require.NoError(v.t, err, script)

	return value.Export()
}

// JSON is the value of an expression as JSON. BigInts become strings such as "12n".
func (v *Runner) JSON(expression string) string {
	v.t.Helper()

	text, _ := v.Run(`JSON.stringify((() => { return ` + expression +
		`; })(), (_, x) => typeof x === 'bigint' ? x + 'n' : x)`).(string)

	return text // "" for undefined
}

// Decode reads the value of an expression, which JSON can hold.
func (v *Runner) Decode(expression string, into any) {
	v.t.Helper()
	require.NoError(v.t, json.Unmarshal([]byte(v.JSON(expression)), into), expression)
}

// Loop runs JavaScript on k6's event loop, until all that it has begun is done. It may await.
func (v *Runner) Loop(script string) {
	v.t.Helper()
	_, err := v.RunOnEventLoop(`(async () => { ` + script + ` })()`)
	require.NoError(v.t, err, script)
}

// Thrown is an exception of a module. Code is 0 where the module's exceptions have none.
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

// Abort runs JavaScript that must end the test, whatever the script catches, and returns why.
func (v *Runner) Abort(script string) string {
	v.t.Helper()
	_, err := v.JS.RunString(`try { ` + script + ` } catch (e) {} throw new Error('it went on')`)
	v.JS.ClearInterrupt()
	require.True(v.t, errext.IsInterruptError(err), "%s: %v", script, err)

	interrupted, _ := errors.AsType[*sobek.InterruptedError](err)

	return interrupted.Value().(*errext.InterruptError).Reason //nolint:forcetypeassert // as IsInterruptError has found
}

// Rejected runs, on k6's event loop, an expression whose promise must be rejected with an Error.
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

// Step runs a step of a sweep: a VU for each of n clients, which runs before, and then during until
// its share is done. It returns the step's reading.
func Step(t *testing.T, n int, plan measure.Plan, op string, newRunner func() *Runner, before, during string) measure.Reading {
	t.Helper()
	s := measure.NewStep(n, plan, nil)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		v := newRunner()
		session := &k6glue.Session{Client: s.Client(i), Op: op}
		v.VU.CtxField = k6glue.WithSession(v.VU.CtxField, session)
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

// RequireNoneLeft fails when goroutines of the named functions do not end, or of what waits for a
// VU's end.
func RequireNoneLeft(t *testing.T, functions ...string) {
	t.Helper()
	for _, name := range append(functions, "k6glue.OnVUEnd") {
		require.Eventually(t, func() bool { return Goroutines(name) == 0 }, 10*time.Second, time.Millisecond,
			"goroutines are left in %s", name)
	}
}
