package nats

import (
	"strconv"
	"strings"
	"sync"

	natsio "github.com/nats-io/nats.go"
)

// burstBytes is how much a burst writes at once.
const burstBytes = 64 << 10

// bursts are those that are not under way: their memory is used again.
var bursts = sync.Pool{New: func() any { return &burst{frames: make([]byte, 0, 2*burstBytes)} }} //nolint:gochecknoglobals // of all clients

// burst is many messages for one subject, in nats.go's place: there, each takes a lock and wakes
// the goroutine that writes, which then writes some dozen a call while it has the lock.
//
// A message is PUB, its subject, its size and its bytes:
// https://docs.nats.io/reference/reference-protocols/nats-protocol#pub
type burst struct {
	to     *countedConn
	most   int64 // bytes of a message
	head   []byte
	frames []byte // what has not been written
}

// burst begins one. It is nil where only nats.go can publish: through TLS and WebSockets, while the
// connection is being made again, where something published before has not been written, and where
// the subject is none.
func (conn *connection) burst(subject string) *burst {
	to := conn.bare.Load()
	if to == nil || !conn.nc.IsConnected() || strings.ContainsAny(subject, " \t\r\n") {
		return nil
	}
	if waiting, err := conn.nc.Buffered(); err != nil || waiting > 0 {
		return nil
	}
	b := bursts.Get().(*burst) //nolint:forcetypeassert // nothing else is put there
	b.to, b.most = to, conn.nc.MaxPayload()
	b.head = append(append(append(b.head[:0], "PUB "...), subject...), ' ')

	return b
}

// add publishes a message.
func (b *burst) add(data []byte) error {
	if int64(len(data)) > b.most {
		return natsio.ErrMaxPayload
	}
	b.frames = append(b.frames, b.head...)
	b.frames = append(strconv.AppendInt(b.frames, int64(len(data)), 10), "\r\n"...)
	b.frames = append(append(b.frames, data...), "\r\n"...)
	if len(b.frames) < burstBytes {
		return nil
	}

	return b.write()
}

// end writes what is left, and ends the burst.
func (b *burst) end() error {
	var err error
	if len(b.frames) > 0 {
		err = b.write()
	}
	b.to = nil
	if cap(b.frames) <= 2*burstBytes {
		bursts.Put(b)
	}

	return err
}

func (b *burst) write() error {
	_, err := b.to.Write(b.frames)
	b.frames = b.frames[:0]

	return err
}
