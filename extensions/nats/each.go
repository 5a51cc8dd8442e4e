package nats

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Names of operations that one call does many of, in a step of a sweep.
const (
	opRequest = "request"
	opDeliver = "deliver"
)

// delivered counts each message of a fetch as an operation, and those that have not come as failed.
func (c *client) delivered(ages []time.Duration, missing int, within time.Duration) {
	session := k6glue.SessionOf(c.vu)
	if session == nil {
		durations := make([]k6glue.Duration, len(ages))
		for i, took := range ages {
			durations[i] = k6glue.Duration{Series: c.instruments.latency, Took: took}
		}
		c.instruments.meter.Emit(durations...)

		return
	}
	recorder := session.Client.Recorder(opDeliver)
	for _, took := range ages {
		recorder.Ok(took)
	}
	if missing == 0 {
		return
	}
	lost := fmt.Errorf("messages have not come within %s", within)
	for range missing {
		recorder.FailAfter(within, lost)
	}
}

// counted counts what was done by one operation of a call that does many. Its duration is the sweep's. It returns the bytes of all but
// connecting, and how long the operation took.
func (c *client) counted(conn *connection) (sent, received uint64, took time.Duration) {
	for i := range c.done {
		r := &c.done[i]
		if r.operation == opConnect {
			c.note(r, conn)

			continue
		}
		sent, received = conn.claim(&c.instruments)
		took = r.took
		c.instruments.add(r)
	}

	return sent, received, took
}
