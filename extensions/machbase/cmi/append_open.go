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

// ArrivalTime is the first column of a log table, which the server sets if a row does not. Some
// answers omit its name.
const ArrivalTime = "_ARRIVAL_TIME"

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
	opened, err := a.open(ctx)
	if err != nil {
		s.free()

		return nil, err
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
	known := make([]string, len(a.columns))
	a.places = make([]int, len(a.columns))
	for i := range a.columns {
		a.places[i] = placeNull
		if i == 0 && a.columns[i].Name == "" {
			a.columns[i].Name = ArrivalTime
		}
		if known[i] = a.columns[i].Name; known[i] == ArrivalTime {
			a.places[i] = placeArrival
		}
	}
	columns, err := AppendPlaces(a.table, known, names)
	for input, column := range columns {
		a.places[column] = input
		a.inputs = append(a.inputs, a.columns[column])
	}

	return err
}

// AppendPlaces returns the positions of the wanted columns in a table's row, or of all but the
// arrival time if none is wanted. A missing or repeated column is an error.
func AppendPlaces(table string, known, wanted []string) ([]int, error) {
	var places []int
	if len(wanted) == 0 {
		for i, name := range known {
			if name != ArrivalTime {
				places = append(places, i)
			}
		}

		return places, nil
	}

	for _, name := range wanted {
		place := slices.IndexFunc(known, func(column string) bool { return strings.EqualFold(column, name) })
		switch {
		case place < 0:
			return nil, NewError(KindNotFound, "table '%s' has no column %q to append to", table, name)
		case slices.Contains(places, place):
			return nil, usage("appender: column %q is listed twice", name)
		}
		places = append(places, place)
	}

	return places, nil
}
