package wholerows

import (
	"bytes"
	"database/sql/driver"
	"io"
)

type rows struct {
	columns []string
	types   []string // the database's names of the column types; "" if the driver has none
	values  [][]driver.Value
}

func read(from driver.Rows) (*rows, error) {
	whole := &rows{columns: from.Columns()}
	whole.types = make([]string, len(whole.columns))
	if typed, is := from.(driver.RowsColumnTypeDatabaseTypeName); is {
		for i := range whole.types {
			whole.types[i] = typed.ColumnTypeDatabaseTypeName(i)
		}
	}
	err := whole.readAll(from)
	if closing := from.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}

	return whole, nil
}

func (r *rows) readAll(from driver.Rows) error {
	row := make([]driver.Value, len(r.columns))
	for {
		err := from.Next(row)
		if err == io.EOF { //nolint:errorlint // as in database/sql: a wrapped io.EOF is a lost connection
			return nil
		}
		if err != nil {
			return err
		}
		r.values = append(r.values, clone(row))
	}
}

func clone(row []driver.Value) []driver.Value {
	kept := make([]driver.Value, len(row))
	for i, value := range row {
		if raw, ok := value.([]byte); ok {
			value = bytes.Clone(raw)
		}
		kept[i] = value
	}

	return kept
}

func (r *rows) Columns() []string { return r.columns }

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(index int) string { return r.types[index] }

func (r *rows) Close() error { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if len(r.values) == 0 {
		return io.EOF
	}
	copy(dest, r.values[0])
	r.values = r.values[1:]

	return nil
}
