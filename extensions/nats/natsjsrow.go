package nats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// allRows are the rows of the published key-value benchmark in order, then the fair comparisons,
// then go-orb's compatible mode.
var allRows = sync.OnceValue(func() []kvlayout.Row { //nolint:gochecknoglobals // a constant
	return slices.Concat(kvlayout.Rows(), kvlayout.LikeForLike(), kvlayout.Compatible())
})

// natsjsRows makes its objects on demand, as most VUs use none.
type natsjsRows struct{ *module }

// Len implements sobek.DynamicArray.
func (*natsjsRows) Len() int { return len(allRows()) }

// Get implements sobek.DynamicArray.
func (r *natsjsRows) Get(i int) sobek.Value {
	if i < 0 || i >= r.Len() {
		return nil
	}
	row, err := r.toScript(allRows()[i])
	if err != nil {
		r.Throw(err)
	}

	return row
}

// Set implements sobek.DynamicArray.
func (*natsjsRows) Set(int, sobek.Value) bool { return false }

// SetLen implements sobek.DynamicArray.
func (*natsjsRows) SetLen(int) bool { return false }

type natsjsRow struct {
	*perConnection[*kvlayout.Run]

	row   kvlayout.Row
	batch *batch
	next  uint64
}

func (c *client) natsjsRow(call sobek.FunctionCall) sobek.Value {
	a := c.args("natsjsRow", call)
	name := read(&a, "the name", k6x.Name)
	var o kvlayout.RunOptions
	a.options(&o)
	if min(o.Tables, o.Keys, o.Replicas) < 0 || max(o.Tables, o.Keys) > k6x.MaxElements || o.Replicas > maxReplicas {
		a.refuse("tables and keys must be from 1 to %d, and replicas from 1 to %d", k6x.MaxElements, maxReplicas)
	}
	rows := allRows()
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	at := slices.Index(names, name)
	if at < 0 {
		a.refuse("unknown row %q; known are %s", name, strings.Join(names, ", "))
	}
	a.must()
	n := &natsjsRow{row: rows[at], batch: newBatch(c)}
	n.perConnection = within(newJetStream(c), func(ctx context.Context, js jetstream.JetStream) (*kvlayout.Run, error) {
		return n.row.Open(ctx, js, o)
	})

	return natsjsRowMethods.Object(c.Runtime(), n)
}

var natsjsRowMethods = calls("row.", map[string]func(*natsjsRow, *task){ //nolint:gochecknoglobals // a table
	"fill": wholeRow((*kvlayout.Run).Fill),
	"drop": wholeRow((*kvlayout.Run).Drop),
}).With(k6x.Methods[*natsjsRow]{"run": (*natsjsRow).run})

func wholeRow(do func(*kvlayout.Run, context.Context) error) func(*natsjsRow, *task) {
	return func(n *natsjsRow, t *task) {
		t.timeout, t.apart = t.duration("the timeout", 0), true
		n.use(t, func(ctx context.Context, run *kvlayout.Run, _ *record) error { return do(run, ctx) })
	}
}

func (n *natsjsRow) run(call sobek.FunctionCall) sobek.Value {
	c := n.client
	a := c.args("run", call)
	o := a.messageOptions(ofRow)
	a.checkExtent(o, 0)
	a.must()
	if n.batch.join(n.row.Name) {
		n.next = 0
	}
	var keys int
	var sent, received uint64
	err := n.batch.do(o, func(vu context.Context) (time.Duration, error) {
		t := &task{args: a, operation: "row.run"}
		i, work := n.number(), kvlayout.Work{}
		n.use(t, func(ctx context.Context, run *kvlayout.Run, r *record) (err error) {
			work, err = run.Do(ctx, i)
			r.received.messages = work.Keys

			return err
		})
		err := t.Do(vu, true)
		b := n.batch
		var took time.Duration
		b.sent, b.received, took = t.counted()
		sent, received = sent+b.sent, received+b.received
		if err != nil {
			return took, fmt.Errorf("%s: %w", n.row.Name, err)
		}
		b.result.sent, b.result.received, keys = b.result.sent+work.Written, b.result.received+work.Read, keys+work.Keys
		if b.recorder != nil {
			b.recorder.Rows(uint64(work.Keys))
		}

		return took, nil
	})
	if err != nil {
		c.Throw(err)
	}
	result := c.batchResult(&n.batch.result)
	c.Set(result, "keys", keys)
	c.Set(result, "dataSent", c.show(sent))
	c.Set(result, "dataReceived", c.show(received))

	return result
}

// number returns the number of the next iteration, which is part of the keys and unique in the
// step.
func (n *natsjsRow) number() uint64 {
	i := n.next
	n.next++
	client := n.batch.runs.Client()
	if client == nil {
		return i
	}

	return i*uint64(client.Step().Clients()) + uint64(client.Index())
}
