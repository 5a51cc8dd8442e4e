package nats

import (
	"sync"

	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

// burstBytes is how much a burst writes at once.
const burstBytes = 64 << 10

// bursts are those that are not under way: their memory is used again.
var bursts = sync.Pool{New: func() any { return &burst{frames: make([]byte, 0, 2*burstBytes)} }} //nolint:gochecknoglobals // of all clients

// burst is many messages for one subject, in nats.go's place: there, each takes a lock and wakes
// the goroutine that writes, which then writes some dozen a call while it has the lock.
type burst struct {
	to      *countedConn
	subject string
	most    int64  // bytes of a message
	frames  []byte // what has not been written
}

// burst begins one. It is nil where only nats.go can publish: what has more than data, or is kept
// while the connection is being made again, which it may be now; through TLS and WebSockets; where
// something published before has not been written; and where the subject is none.
func (c *client) burst(conn *connection, subject string, o *publishOptions) *burst {
	to := conn.bare.Load()
	if to == nil || !c.dataOnly(o) || c.config.ReconnectBuffer > 0 || !conn.nc.IsConnected() || !wire.IsSubject(subject) {
		return nil
	}
	if waiting, err := conn.nc.Buffered(); err != nil || waiting > 0 {
		return nil
	}
	b := bursts.Get().(*burst) //nolint:forcetypeassert // nothing else is put there
	b.to, b.subject, b.most = to, subject, conn.nc.MaxPayload()

	return b
}

// add publishes a message.
func (b *burst) add(data []byte) error {
	if int64(len(data)) > b.most {
		return natsio.ErrMaxPayload
	}
	b.frames = wire.AppendPublish(b.frames, b.subject, "", nil, data)
	if len(b.frames) < burstBytes {
		return nil
	}

	return b.write()
}

// end writes what is left, and ends the burst.
func (b *burst) end() error {
	err := b.write()
	b.to = nil
	if cap(b.frames) <= 2*burstBytes {
		bursts.Put(b)
	}

	return err
}

func (b *burst) write() error {
	if len(b.frames) == 0 {
		return nil
	}
	_, err := b.to.Write(b.frames)
	b.frames = b.frames[:0]

	return err
}
