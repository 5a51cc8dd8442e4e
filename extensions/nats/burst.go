package nats

import (
	"sync"

	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

const burstBytes = 64 << 10

var bursts = sync.Pool{New: func() any { //nolint:gochecknoglobals // shared by all clients
	return &burst{frames: make([]byte, 0, 2*burstBytes)}
}}

// burst publishes many messages for one subject. nats.go would lock and wake its writer for each
// message.
type burst struct {
	to      *countedConn
	subject string
	most    int64
	frames  []byte // bytes that are not written yet
}

// burst returns a burst, or nil if the messages must go through nats.go: with headers or a reply
// subject, while the connection is being restored (or kept for that), over TLS and WebSockets,
// after publications that are not written yet, and for an invalid subject.
func (c *client) burst(conn *connection, subject string, o *publishOptions) *burst {
	to := conn.bare.Load()
	if to == nil || !c.dataOnly(o) || c.config.ReconnectBuffer > 0 || !conn.nc.IsConnected() || !wire.IsSubject(subject) {
		return nil
	}
	if waiting, err := conn.nc.Buffered(); err != nil || waiting > 0 {
		return nil
	}
	b := bursts.Get().(*burst) //nolint:forcetypeassert // the pool holds no other type
	b.to, b.subject, b.most = to, subject, conn.nc.MaxPayload()

	return b
}

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
