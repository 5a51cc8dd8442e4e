package sweep_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const awaitReady = `globalThis.order = []; (async () => {
	order.push('connected');
	try { await sweep.ready(); order.push('together') } catch (e) { order.push(e.name + ' ' + e.kind + ': ' + e.message) }
	await sweep.ready().catch(() => {});
})(); Promise.resolve().then(() => order.push('others go on'))`

// clientOf makes the VU the first client of a step of two.
func clientOf(ctx context.Context, runtime *modulestest.Runtime) *measure.Step {
	step := measure.NewStep(2, measure.Plan{Operations: 1}, nil)
	runtime.MoveToVUContext(&lib.State{})
	runtime.VU.CtxField = k6x.WithSession(ctx, &k6x.Session{Client: step.Client(0), Op: "get"})

	return step
}

func TestReadyWaitsForAllClients(t *testing.T) {
	runtime, _ := newModule(t)
	step := clientOf(t.Context(), runtime)
	ended := make(chan error, 1)
	go func() {
		_, err := runtime.RunOnEventLoop(awaitReady)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatal("it has not waited for the other client:", err)
	case <-time.After(50 * time.Millisecond):
	}
	step.Client(1).Arrive()
	require.NoError(t, <-ended)
	require.Equal(t, []any{"connected", "others go on", "together"}, evaluate(t, runtime, `order`))
}

func TestReadyWhenTheStepEnds(t *testing.T) {
	runtime, _ := newModule(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	clientOf(ctx, runtime)
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("the step is over")) })
	_, err := runtime.RunOnEventLoop(awaitReady)
	require.NoError(t, err)
	require.Equal(t, []any{"connected", "others go on", "SweepError cancelled: the step is over"}, evaluate(t, runtime, `order`))
}

func TestReadyOutsideOfAStep(t *testing.T) {
	runtime, _ := newModule(t)
	_, err := runtime.RunOnEventLoop(awaitReady)
	require.NoError(t, err)
	require.Equal(t, []any{
		"connected", "SweepError usage: sweep.ready() is for the function of a scenario with the executor 'client-sweep'", "others go on",
	}, evaluate(t, runtime, `order`))
}
