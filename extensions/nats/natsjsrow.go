package nats

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout/rows"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type rowOptions struct {
	Database string `json:"database"`
	Tables   int    `json:"tables"`
	Keys     int    `json:"keys"`
	Replicas int    `json:"replicas"`
}

type natsjsRow struct {
	perConnection[*rows.Run]

	row  rows.Row
	next uint64

	sweep    *k6x.Session
	recorder *measure.Recorder
}

func (c *client) newNatsjsRow(call sobek.FunctionCall) sobek.Value {
	name, err := k6x.Name("natsjsRow", "the name", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	n := &natsjsRow{}
	if n.row, err = rowNamed(name); err != nil {
		c.Throw(err)
	}
	var o rowOptions
	if err := k6x.ReadOptions(call.Argument(1), &o); err != nil {
		c.Misuse("natsjsRow: %s", err)
	}
	if min(o.Tables, o.Keys, o.Replicas) < 0 || max(o.Tables, o.Keys) > k6x.MaxElements || o.Replicas > maxReplicas {
		c.Misuse("natsjsRow: tables and keys must be from 1 to %d, and replicas from 1 to %d", k6x.MaxElements, maxReplicas)
	}
	n.handle = &jetStreamHandle{client: c}
	n.find = func(ctx context.Context, js jetstream.JetStream) (*rows.Run, error) {
		return n.row.Open(ctx, js, rows.Options{Database: o.Database, Tables: o.Tables, Keys: o.Keys, Replicas: o.Replicas})
	}

	return natsjsRowMethods.Object(c.Runtime(), n)
}

var natsjsRowMethods = k6x.BothForms(map[string]operation[*natsjsRow]{ //nolint:gochecknoglobals // a table
	"fill": tagged("fill", 1, wholeRow("fill", (*rows.Run).Fill)),
	"drop": tagged("drop", 1, wholeRow("drop", (*rows.Run).Drop)),
}).With(k6x.Methods[*natsjsRow]{"run": (*natsjsRow).run})

func rowNamed(name string) (rows.Row, error) {
	var names []string
	for _, row := range allRows() {
		if row.Name == name {
			return row, nil
		}
		names = append(names, row.Name)
	}

	return rows.Row{}, k6x.Misuse("natsjsRow: unknown row %q; known are %s", name, strings.Join(names, ", "))
}

func wholeRow(name string, do func(*rows.Run, context.Context) error) operation[*natsjsRow] {
	return func(n *natsjsRow, call sobek.FunctionCall) (*task, error) {
		timeout, err := k6x.Duration(name, "the timeout", call.Argument(0), 0)

		return &task{
			client: n.handle.client, operation: "row." + name, timeout: timeout,
			job: func(ctx context.Context, conn *connection, r *record) error {
				r.apart = true
				run, err := n.on(ctx, conn)
				if err != nil {
					return err
				}

				return do(run, ctx)
			},
		}, err
	}
}

type rowRun struct {
	extent extent
	tags   *k6x.Tags
}

var rowRunning = append(extentOptions(func(o *rowRun) *extent { return &o.extent }), //nolint:gochecknoglobals // a table
	k6x.Into("tags", func(o *rowRun) **k6x.Tags { return &o.tags }, readTags))

func (n *natsjsRow) run(call sobek.FunctionCall) sobek.Value {
	c := n.handle.client
	var o rowRun
	err := rowRunning.Read("run", call.Argument(0), &o)
	if err == nil {
		err = o.extent.check("run", 0)
	}
	if err != nil {
		c.Throw(err)
	}
	n.join()
	ctx := c.VU().Context()
	var total batchResult
	var keys int
	var sent, received uint64
	begin := clock.Now()
	for done := 0; !o.extent.over(done, begin); done++ {
		if n.sweep != nil && !n.sweep.Client.Next(1, nil) {
			break
		}
		work, out, in, err := n.iterate(ctx, o.tags)
		if ctx.Err() != nil {
			break
		}
		sent, received = sent+out, received+in
		if err != nil {
			total.failed++
		} else {
			total.succeeded++
			total.sent, total.received, keys = total.sent+work.Written, total.received+work.Read, keys+work.Keys
		}
		if n.sweep != nil && n.sweep.Client.Enough() {
			break
		}
	}
	c.Emit()
	if ctx.Err() != nil {
		c.Throw(k6x.TestEnded())
	}

	total.took = clock.Since(begin)

	return c.batchResult(&total, k6x.Property{Name: "keys", Value: keys},
		k6x.Property{Name: "dataSent", Value: c.number(sent)}, k6x.Property{Name: "dataReceived", Value: c.number(received)})
}

func (n *natsjsRow) join() {
	sweep := n.handle.client.Session()
	if sweep == n.sweep {
		return
	}
	n.sweep, n.recorder, n.next = sweep, nil, 0
	if sweep != nil {
		n.recorder = sweep.Client.Recorder(n.row.Name)
	}
}

func (n *natsjsRow) iterate(ctx context.Context, tags *k6x.Tags) (work rows.Work, sent, received uint64, err error) {
	c := n.handle.client
	i := n.number()
	t := task{client: c, operation: "row.run", tags: tags, job: func(ctx context.Context, conn *connection, r *record) error {
		run, err := n.on(ctx, conn)
		if err != nil {
			return err
		}
		work, err = run.Do(ctx, i)
		r.received.messages = work.Keys

		return err
	}}
	err = t.Do(ctx, true)
	sent, received, took := t.counted()
	c.Elapsed(took)
	switch {
	case n.recorder == nil:
	case err != nil:
		n.recorder.FailAfter(took, fmt.Errorf("%s: %w", n.row.Name, err))
	default:
		n.recorder.Ok(took)
		n.recorder.Rows(uint64(work.Keys))
	}
	if n.recorder != nil {
		n.recorder.Bytes(sent, received)
	}

	return work, sent, received, err
}

// number returns the number of the next iteration, which is part of the keys and unique in the
// step.
func (n *natsjsRow) number() uint64 {
	i := n.next
	n.next++
	if n.sweep == nil {
		return i
	}
	client := n.sweep.Client

	return i*uint64(client.Step().Clients()) + uint64(client.Index())
}
