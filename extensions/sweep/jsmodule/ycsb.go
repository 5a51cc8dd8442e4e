package jsmodule

import (
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// records is the result of sweep.ycsb: a workload that returns one operation after another.
type records struct {
	*module

	shared  *workload.YCSBShared
	work    *ycsb.Workload
	client  *ycsb.Client
	session *k6x.Session // session in which the client's random stream started
}

// ycsb is sweep.ycsb(options, store). VUs with equal options and stores share a workload.
func (m *module) ycsb(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	text, err := k6x.OptionsJSON(call.Argument(0))
	if err != nil {
		k6x.ThrowType(rt, "sweep.ycsb: %s", err)
	}
	store := ""
	if given := call.Argument(1); !k6x.IsNullish(given) {
		var is bool
		if store, is = k6x.TextOf(given); !is {
			k6x.ThrowType(rt, "sweep.ycsb(options, store) takes the name of a store second, not %s", k6x.Show(given))
		}
	}
	r := &records{module: m, shared: testrun.Shared[workload.YCSBShared](m.results)}
	if r.work, err = r.shared.Workload(store, text); err != nil {
		k6x.ThrowType(rt, "sweep.ycsb: %s", err)
	}
	object := rt.NewObject()
	o := r.work.Options()
	kinds := o.Mix.Ops()
	ops := make([]any, len(kinds))
	for i, op := range kinds {
		ops[i] = op.String()
	}
	for name, value := range map[string]any{
		"ops": k6x.Plain(rt, ops), "next": r.next, "record": r.record, "inserted": r.inserted, "check": r.check,
	} {
		if err := k6x.SetOwn(object, name, rt.ToValue(value)); err != nil {
			throw(rt, err)
		}
	}

	return object
}

// own returns the VU's client of the workload. Its stream starts again in each step.
func (r *records) own() *ycsb.Client {
	session := k6x.SessionOf(r.vu)
	if r.client == nil || session != r.session {
		index := 0
		switch {
		case session != nil:
			index = session.Client.Index()
		case r.vu.State() != nil:
			index = max(int(r.vu.State().VUID)-1, 0)
		}
		r.session, r.client = session, r.work.Client(index)
	}

	return r.client
}

// next is ycsb.next(): the next operation.
func (r *records) next(sobek.FunctionCall) sobek.Value { return r.object(r.own().Next()) }

// record is ycsb.record(): the insert of the next record to load, or null.
func (r *records) record(sobek.FunctionCall) sobek.Value {
	var of any
	if session := k6x.SessionOf(r.vu); session != nil {
		of = session.Client.Step().Line()
	}
	record, left := r.shared.Load(r.work, of).Claim()
	if !left {
		return sobek.Null()
	}

	return r.object(r.own().Load(record))
}

// inserted is ycsb.inserted(): marks the insert from next as done, so that its record is read
// later.
func (r *records) inserted(sobek.FunctionCall) sobek.Value {
	r.own().Inserted(true)

	return sobek.Undefined()
}

func (r *records) object(o *ycsb.Operation) sobek.Value {
	values := map[string]any{}
	for _, field := range o.Write {
		values[ycsb.FieldName(field.Index)] = string(field.Value)
	}
	operation := map[string]any{"op": o.Op.String(), "key": string(o.Key), "values": values, "fields": nil, "length": o.Length}
	if o.Field != ycsb.AllFields {
		operation["fields"] = []any{ycsb.FieldName(o.Field)}
	}

	return k6x.Plain(r.vu.Runtime(), operation)
}

// check is ycsb.check(key, row): it throws unless row, an object of fields, is the record of the
// key.
func (r *records) check(call sobek.FunctionCall) sobek.Value {
	rt := r.vu.Runtime()
	key := []byte(call.Argument(0).String())
	row, is := call.Argument(1).(*sobek.Object)
	if !is {
		throw(rt, fmt.Errorf("%w: %s", ycsb.ErrMissing, key))
	}
	o := r.work.Options()
	fields := 0
	for _, name := range row.Keys() {
		index := ycsb.FieldIndex([]byte(name))
		if index < 0 {
			continue
		}
		fields++
		if err := r.own().Verify(key, index, []byte(row.Get(name).String())); err != nil {
			throw(rt, err)
		}
	}
	want := o.FieldCount
	if !o.ReadAllFields {
		want = 1
	}
	if fields != want {
		throw(rt, fmt.Errorf("%w: %d instead of %d", ycsb.ErrIncomplete, fields, want))
	}

	return sobek.Undefined()
}
