package nats

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type extent struct {
	iterations int
	duration   time.Duration
}

func extentOptions[T any](of func(*T) *extent) k6x.Options[T] {
	return k6x.Options[T]{
		k6x.Into("iterations", func(o *T) *int { return &of(o).iterations }, k6x.Count),
		k6x.Into("duration", func(o *T) *time.Duration { return &of(o).duration }, k6x.Time),
	}
}

// check returns an error if both options are set. If neither is, it sets the number of operations
// to usual, or returns an error if usual is 0.
func (e *extent) check(method string, usual int) error {
	switch {
	case e.iterations > 0 && e.duration > 0:
		return k6x.Misuse("%s: options iterations and duration cannot both be given: iterations is %d, duration %s",
			method, e.iterations, e.duration)
	case e.iterations > 0 || e.duration > 0:
		return nil
	case usual == 0:
		return k6x.Misuse("%s: option iterations (a number of operations) or duration (a time such as '30s') must be given", method)
	}
	e.iterations = usual

	return nil
}

func (e *extent) over(done int, since time.Duration) bool {
	if e.iterations > 0 {
		return done >= e.iterations
	}

	return clock.Since(since) >= e.duration
}

type batchResult struct {
	succeeded, failed int
	took              time.Duration
	// sent and received count bytes of data.
	sent, received int
}

func (m *module) batchResult(b *batchResult, further ...k6x.Property) *sobek.Object {
	object := m.plainObject(map[string]any{
		"succeeded": b.succeeded, "failed": b.failed, "seconds": b.took.Seconds(), "bytesSent": b.sent, "bytesReceived": b.received,
	})
	for _, p := range further {
		m.Set(object, p.Name, p.Value)
	}

	return object
}
