package sql

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Drivers whose values are converted by their own table: see the README.
const (
	driverSQLite   = "sqlite3"
	driverPostgres = "postgres"
	driverMachbase = "machbase"
)

// sqliteTime is a time format of SQLite's date functions:
// https://sqlite.org/lang_datefunc.html#time_values
const sqliteTime = "2006-01-02 15:04:05.000"

// maxDate is the last time of a JavaScript Date, in milliseconds since 1970: in the year 275760.
const maxDate = 8.64e15

// valueFor converts an argument of a query for the driver. An error describes the argument without
// its number, which the caller adds.
func valueFor(driver string, argument sobek.Value) (any, error) {
	value, err := k6x.Export(argument)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	switch v := value.(type) {
	case string:
		if driver == driverPostgres && strings.Contains(v, "\x00") {
			return nil, errors.New("has a NUL character, which PostgreSQL does not allow in texts")
		}

		return v, nil
	case nil, bool, int64, []byte:
		return v, nil
	case float64:
		if driver == driverPostgres {
			// The server parses the text as the parameter's type and rejects a fraction for an
			// integer, which pgx would cut off.
			return numeral(v), nil
		}

		return v, nil
	case *big.Int:
		return bigFor(driver, v)
	case time.Time:
		if driver == driverSQLite {
			return v.UTC().Format(sqliteTime), nil
		}

		return v, nil
	case sobek.ArrayBuffer:
		return v.Bytes(), nil
	case []any, map[string]any:
		if driver == driverPostgres { // an array, or a value of a json column
			return v, nil
		}

		return nil, errors.New("is an object: use JSON.stringify")
	default:
		return nil, fmt.Errorf("is a %T, which cannot be stored: use a number, a string, a boolean, a Date, a BigInt or an ArrayBuffer", value)
	}
}

// PostgreSQL's integer types cannot parse exponents, and integers below 1e21 get none.
func numeral(v float64) string {
	if math.Abs(v) < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}

	return strconv.FormatFloat(v, 'g', -1, 64)
}

func bigFor(driver string, n *big.Int) (any, error) {
	switch {
	case driver == driverMachbase:
		return n, nil
	case n.IsInt64():
		return n.Int64(), nil
	case driver == driverPostgres:
		return n.String(), nil // a value of a numeric column
	default:
		return nil, errors.New("is a BigInt of more than 64 bits: give it as a string")
	}
}

type result struct {
	columns, types []string
	rows           [][]any
}

// Two columns with the same name are an error: an object has room for only one.
func (r *result) read(method string, rows *sql.Rows) (err error) {
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	if r.columns, err = rows.Columns(); err != nil {
		return err
	}
	for i, name := range r.columns {
		if slices.Contains(r.columns[:i], name) {
			return k6x.Misuse("%s: two columns are named %q: give them different names, such as t.%s as t_%s", method, name, name, name)
		}
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	for _, t := range types {
		r.types = append(r.types, t.DatabaseTypeName())
	}
	for rows.Next() {
		row, into := make([]any, len(r.columns)), make([]any, len(r.columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r.rows = append(r.rows, row)
	}

	return rows.Err()
}

func (r *result) objects(rt *sobek.Runtime, driver string) (sobek.Value, error) {
	all := make([]any, len(r.rows))
	for i, row := range r.rows {
		object := rt.NewObject()
		for j, value := range row {
			made, err := toScript(rt, driver, r.types[j], value)
			if err == nil {
				err = k6x.SetOwn(object, r.columns[j], made)
			}
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", r.columns[j], err)
			}
		}
		all[i] = object
	}

	return rt.NewArray(all...), nil
}

func toScript(rt *sobek.Runtime, driver, columnType string, value any) (sobek.Value, error) { //nolint:cyclop // one case for each type
	switch v := value.(type) {
	case nil:
		return sobek.Null(), nil
	case int64:
		if v > k6x.MaxSafeInteger || v < -k6x.MaxSafeInteger {
			return rt.ToValue(strconv.FormatInt(v, 10)), nil
		}
	case uint64:
		if v > k6x.MaxSafeInteger {
			return rt.ToValue(strconv.FormatUint(v, 10)), nil
		}
	case float64:
		if columnType == "FLOAT4" || driver == driverMachbase && columnType == "FLOAT" {
			return rt.ToValue(shortest(v)), nil
		}
	case time.Time:
		if ms := v.UnixMilli(); ms > maxDate || ms < -maxDate {
			return rt.ToValue(v.UTC().Format(time.RFC3339Nano)), nil
		}

		return rt.New(rt.GlobalObject().Get("Date"), rt.ToValue(v.UnixMilli()))
	case []byte:
		if isText(driver, columnType) {
			return rt.ToValue(string(v)), nil
		}

		return rt.ToValue(rt.NewArrayBuffer(v)), nil
	}

	return rt.ToValue(value), nil
}

// shortest returns the shortest decimal number of a 32-bit column: 0.1, not 0.10000000149011612.
func shortest(v float64) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)

	return f
}

// isText reports whether the bytes of a column are text. pgx returns JSON and XML as bytes; other
// drivers return all text as bytes.
func isText(driver, columnType string) bool {
	switch driver {
	case driverSQLite, driverMachbase:
		return false
	case driverPostgres:
		return columnType != "BYTEA"
	default:
		return !slices.ContainsFunc([]string{"BLOB", "BINARY", "BYTE", "IMAGE", "RAW"}, func(part string) bool {
			return strings.Contains(strings.ToUpper(columnType), part)
		})
	}
}
