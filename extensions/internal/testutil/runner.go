package testutil

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
