package cmi

import (
	"context"
	"errors"
	"slices"
	"strings"
)

const (
	placeNull    = -1
	placeArrival = -2
)

// arrivalTime is the first column of a log table. Some answers omit its name.
const arrivalTime = "_ARRIVAL_TIME"

// Append opens an appender. The error has kind not_found if the table or a column does not exist,
// and kind usage for a repeated column and for other kinds of tables.
func (c *Conn) Append(ctx context.Context, table string, options AppendOptions) (*Appender, error) {
	if isSystemTable(table) {
		return nil, usage("table '%s' is a system table: rows cannot be appended to it", table)
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	if c.bigEndian {
		return nil, usage("the server is big-endian, but this client appends only in little-endian")
	}

	a := &Appender{conn: c, table: table, batch: options.Batch}
	if a.batch.Bytes <= 0 || a.batch.Bytes > maxPacketBody {
		a.batch.Bytes = maxPacketBody
	}
	s := &Stmt{conn: c}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	a.id = s.id
	c.out.reset()
	a.request(msgAppendOpen)
	body, err := c.ask(ctx, msgAppendOpen, a.id)
	if err != nil {
		return nil, err
	}
	opened, _, err := readResult(body)
	if err != nil {
		s.free()

		return nil, a.openError(c.failure(ctx, err))
	}
	a.columns = opened.columns
	a.nulls = len(a.columns)/8 + 1
	if c.appenders == nil {
		c.appenders = map[uint32]*Appender{}
	}
	c.appenders[a.id] = a
	if err := a.placeColumns(options.Columns); err != nil {
		if endErr := a.end(ctx); endErr != nil {
			return nil, endErr
		}

		return nil, err
	}
	a.begin()

	return a, nil
}

// Appending to V$SESSION crashes a machbase-neo v8.0.74.
func isSystemTable(name string) bool {
	name = strings.ToUpper(name[strings.LastIndexByte(name, '.')+1:])

	return strings.HasPrefix(name, "V$") || strings.HasPrefix(name, "M$")
}

func (a *Appender) request(kind byte) {
	out := &a.conn.out
	out.begin(kind, a.id, 0)
	out.uint64(unitStatement, uint64(a.id))
	if kind == msgAppendOpen {
		out.text(unitTable, a.table)
		out.uint64(unitAppendEndian, 0)
	}
	out.end()
}

func (a *Appender) openError(err error) error {
	var known *Error
	if errors.As(err, &known) && known.Kind == KindServer && strings.Contains(known.Message, "support") {
		return &Error{Code: known.Code, Kind: KindUsage, Message: known.Message}
	}

	return err
}

func (a *Appender) placeColumns(names []string) error {
	a.places = make([]int, len(a.columns))
	for i, column := range a.columns {
		a.places[i] = placeNull
		if i == 0 && column.Name == "" {
			a.columns[i].Name = arrivalTime
		}
		if a.columns[i].Name == arrivalTime {
			a.places[i] = placeArrival
		} else if len(names) == 0 {
			a.places[i] = len(a.inputs)
			a.inputs = append(a.inputs, column)
		}
	}

	for _, name := range names {
		i := slices.IndexFunc(a.columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case i < 0:
			return NewError(KindNotFound, "table '%s' has no column %q to append to", a.table, name)
		case a.places[i] >= 0:
			return usage("appender: column %q is listed twice", name)
		}
		a.places[i] = len(a.inputs)
		a.inputs = append(a.inputs, a.columns[i])
	}

	return nil
}
