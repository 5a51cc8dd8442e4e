package measure

import (
	"sync/atomic"
	"time"
)

// Recorder holds what one client did of one kind of operation in the measured phase of a step. Its methods may be
// called by the client's goroutine only; what is called during the warm-up is forgotten.
type Recorder struct {
	op     string
	client *Client

	durations            histogram
	failed, rows         atomic.Uint64
	sentBytes, recvBytes atomic.Uint64
}

// Ok counts one successful operation that took d.
func (r *Recorder) Ok(d time.Duration) {
	r.client.recorded++
	if r.client.measuring {
		r.durations.record(d)
	}
}

// Fail counts one failed operation. Its duration is not recorded: how fast something fails is no measure of work.
func (r *Recorder) Fail() {
	r.client.recorded++
	r.client.failures++
	if r.client.measuring {
		r.failed.Store(r.failed.Load() + 1)
	}
}

// Rows counts rows read or written.
func (r *Recorder) Rows(n uint64) {
	if r.client.measuring {
		r.rows.Store(r.rows.Load() + n)
	}
}

// Bytes counts bytes sent to and received from the server.
func (r *Recorder) Bytes(sent, received uint64) {
	if r.client.measuring {
		r.sentBytes.Store(r.sentBytes.Load() + sent)
		r.recvBytes.Store(r.recvBytes.Load() + received)
	}
}

// Totals is a reading of one kind of operation over all clients of a step.
type Totals struct {
	Op            string
	Durations     Distribution // of the successful operations; its Count is their number
	Failed, Rows  uint64
	BytesSent     uint64
	BytesReceived uint64
}

func (t *Totals) add(r *Recorder) {
	t.Durations.add(&r.durations)
	t.Failed += r.failed.Load()
	t.Rows += r.rows.Load()
	t.BytesSent += r.sentBytes.Load()
	t.BytesReceived += r.recvBytes.Load()
}

// Since is what happened between an earlier reading of the same kind of operation, or nil, and this one.
func (t *Totals) Since(earlier *Totals) Totals {
	if earlier == nil {
		earlier = &Totals{}
	}

	return Totals{
		Op:            t.Op,
		Durations:     *t.Durations.Since(&earlier.Durations),
		Failed:        t.Failed - earlier.Failed,
		Rows:          t.Rows - earlier.Rows,
		BytesSent:     t.BytesSent - earlier.BytesSent,
		BytesReceived: t.BytesReceived - earlier.BytesReceived,
	}
}
