package sql

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
)

func (d *database) ycsb(call sobek.FunctionCall) sobek.Value {
	d.MustRun()
	if d.leave != nil {
		d.Throw(k6x.Misuse("ycsb: a client has a connection of its own: open the database without shared"))
	}
	if d.records == nil {
		d.records = &records{database: d, prepared: map[string]*sql.Stmt{}}
		store := ycsb.Store(ordered{d.records})
		if d.driver == driverMachbase {
			store = d.records
		}
		d.bench = workload.NewYCSB(recordsHost{d.module, d.tags}, d.module.records, d.driver+" "+d.source, d.records, store)
	}

	return d.bench.Run(call)
}

type recordsHost struct {
	*module

	tags k6x.Tags
}

// Tag implements workload.BenchHost.
func (h recordsHost) Tag(tags k6x.Tags) {
	if tags.Key() == "" {
		tags = h.tags
	}
	h.module.Tag(tags)
}

// records keeps the records of YCSB as rows of the table usertable: ycsb_key, field0 and so on.
type records struct {
	database *database
	prepared map[string]*sql.Stmt // prepared statements by text

	arguments []any
	row       []any // pointers to raw
	raw       []sql.RawBytes
}

// Traffic implements workload.Moving: the bytes of a driver are unknown.
func (*records) Traffic() (received, sent uint64) { return 0, 0 }

// Read implements ycsb.Store.
func (r *records) Read(key []byte, field int, got func(field int, value []byte)) (found bool, err error) {
	err = r.query(r.selected(field)+" where ycsb_key = "+r.parameter(1), func([]byte) { found = true }, got, string(key))

	return found, err
}

// ordered are records that the database returns in the order of their keys, unlike Machbase's tag
// tables.
type ordered struct{ *records }

// Scan implements ycsb.Scanner.
func (r ordered) Scan(from []byte, records, field int, record func(key []byte), got func(field int, value []byte)) error {
	text := r.selected(field) + " where ycsb_key >= " + r.parameter(1) + " order by ycsb_key limit " + r.parameter(2)

	return r.query(text, record, got, string(from), int64(records))
}

func (r *records) selected(field int) string {
	if field == ycsb.AllFields {
		return "select * from usertable"
	}

	return "select ycsb_key, " + ycsb.FieldName(field) + " from usertable"
}

// Update implements ycsb.Store.
func (r *records) Update(key []byte, fields []ycsb.Field) error {
	var text strings.Builder
	text.WriteString("update usertable set ")
	r.arguments = r.arguments[:0]
	for i := range fields {
		if i > 0 {
			text.WriteString(", ")
		}
		r.arguments = append(r.arguments, string(fields[i].Value))
		text.WriteString(ycsb.FieldName(fields[i].Index) + " = " + r.parameter(len(r.arguments)))
	}
	r.arguments = append(r.arguments, string(key))
	text.WriteString(" where ycsb_key = " + r.parameter(len(r.arguments)))
	var changed int64
	err := r.exec(text.String(), func(done sql.Result) (err error) {
		changed, err = done.RowsAffected()

		return err
	})
	if err == nil && changed == 0 {
		return ycsb.ErrMissing
	}

	return err
}

// Insert implements ycsb.Store. A record of an earlier run stays. A row of Machbase's tag table
// also has a time.
func (r *records) Insert(key []byte, fields []ycsb.Field) error {
	columns, end := "ycsb_key", " on conflict (ycsb_key) do nothing"
	r.arguments = append(r.arguments[:0], string(key))
	if r.database.driver == driverMachbase {
		columns, end = "ycsb_key, time", ""
		r.arguments = append(r.arguments, time.Now())
	}
	places := r.parameter(1)
	for i := 1; i < len(r.arguments); i++ {
		places += ", " + r.parameter(i+1)
	}
	var names, values strings.Builder
	for i := range fields {
		r.arguments = append(r.arguments, string(fields[i].Value))
		names.WriteString(", " + ycsb.FieldName(fields[i].Index))
		values.WriteString(", " + r.parameter(len(r.arguments)))
	}

	return r.exec("insert into usertable ("+columns+names.String()+") values ("+places+values.String()+")"+end, nil)
}

func (r *records) parameter(n int) string {
	if r.database.driver == driverPostgres {
		return "$" + strconv.Itoa(n)
	}

	return "?"
}

func (r *records) query(text string, record func([]byte), got func(int, []byte), arguments ...any) error {
	return r.do(opQuery, text, func(ctx context.Context, statement *sql.Stmt) error {
		rows, err := statement.QueryContext(ctx, arguments...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err has said why
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		if len(columns) != len(r.raw) {
			r.raw, r.row = make([]sql.RawBytes, len(columns)), make([]any, len(columns))
			for i := range r.raw {
				r.row[i] = &r.raw[i]
			}
		}
		for rows.Next() {
			if err := rows.Scan(r.row...); err != nil {
				return err
			}
			for i, name := range columns {
				if strings.EqualFold(name, "ycsb_key") {
					record(r.raw[i])
				}
			}
			for i, name := range columns {
				if field, is := strings.CutPrefix(strings.ToLower(name), "field"); is {
					got(ycsb.FieldIndex([]byte("field"+field)), r.raw[i])
				}
			}
		}

		return rows.Err()
	})
}

func (r *records) exec(text string, then func(sql.Result) error) error {
	return r.do(opExec, text, func(ctx context.Context, statement *sql.Stmt) error {
		done, err := statement.ExecContext(ctx, r.arguments...)
		if err != nil || then == nil {
			return err
		}

		return then(done)
	})
}

func (r *records) do(op, text string, work func(context.Context, *sql.Stmt) error) error {
	d := r.database
	begin := time.Now()
	d.call, d.connected = dbCall{Context: d.calls.Begin(d.VU().Context(), begin, d.timeout)}, true
	err := crash.Guard(func() error {
		statement := r.prepared[text]
		if statement == nil {
			var err error
			if statement, err = d.pool.PrepareContext(&d.call, text); err != nil {
				return err
			}
			r.prepared[text] = statement
		}

		return work(&d.call, statement)
	})
	d.calls.End()
	if err != nil {
		err = d.cutOff(err, d.timeout, time.Since(begin))
	}
	d.Count(op, err)

	return err
}

// Prepare implements ycsb.Limited.
func (r *records) Prepare(o *ycsb.Options) error {
	if r.database.driver == driverMachbase && (o.Mix.Update > 0 || o.Mix.ReadModifyWrite > 0) {
		return errors.New("option mix must have no update and no readModifyWrite: rows of a tag table do not change")
	}

	return nil
}
