package nats

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// perConnection is a JetStream value (a consumer or a bucket) that is requested once per
// connection.
type perConnection[T any] struct {
	handle *jetStreamHandle
	find   func(context.Context, jetstream.JetStream) (T, error)

	mu    sync.Mutex
	conn  *connection
	found T
}

// Tasks implements k6x.Tasker.
func (b *perConnection[T]) Tasks() *k6x.Tasks { return b.handle.client.tasks }

func (b *perConnection[T]) on(ctx context.Context, conn *connection) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == conn {
		return b.found, nil
	}
	var none T
	js, _, err := b.handle.bind(conn)
	if err != nil {
		return none, err
	}
	found, err := b.find(ctx, js)
	if err != nil {
		return none, err
	}
	b.conn, b.found = conn, found

	return found, nil
}
