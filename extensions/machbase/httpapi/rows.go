package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds what is read of one answer.
const maxAnswer = 1 << 30

// Column is a column of an answer. Type is the API's name of it, such as "int32".
type Column struct{ Name, Type string }

// Rows is the answer to a statement, read from front to back while it comes in.
//
//	{"data":{"columns":[...],"types":[...],"rows":[[...],...]},"success":true,"reason":"success"}
//	{"success":true,"reason":"a row inserted."}
//
// When a query fails amid its rows, the server ends this object as if all were well, and writes a
// second one behind it, which says why.
type Rows struct {
	// Columns are those of the rows; none for a statement that has no rows.
	Columns []Column

	body    io.ReadCloser
	decoder *json.Decoder
	// among tells that the decoder stands among the rows.
	among  bool
	values []any
	reason string
	err    error
}

func newRows(body io.ReadCloser) *Rows {
	r := &Rows{body: body}
	r.decoder = json.NewDecoder(&limited{body, maxAnswer})
	r.decoder.UseNumber()
	r.fail(r.open())

	return r
}

// fail keeps the first error.
func (r *Rows) fail(err error) {
	if err == nil || r.err != nil {
		return
	}
	r.among = false
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, typed := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case syntax, typed:
		r.err = garbage("%s", oneLine(err.Error()))
	case errors.Is(err, io.EOF):
		r.err = io.ErrUnexpectedEOF
	default:
		r.err = err
	}
}

// open reads up to the first row, or all of an answer that has none.
func (r *Rows) open() error {
	if err := r.delimiter('{'); err != nil {
		return err
	}
	if !r.decoder.More() {
		return garbage("it is empty")
	}
	name, err := r.decoder.Token()
	if err != nil {
		return err
	}
	if name != "data" {
		return r.end(said{}, name)
	}
	if err := r.delimiter('{'); err != nil {
		return err
	}
	var names, types []string
	for _, part := range []struct {
		name string
		into *[]string
	}{{"columns", &names}, {"types", &types}} {
		if err := r.named(part.name); err != nil {
			return err
		}
		if err := r.decoder.Decode(part.into); err != nil {
			return err
		}
	}
	if len(names) != len(types) {
		return garbage("it names %d columns and %d types", len(names), len(types))
	}
	r.Columns = make([]Column, len(names))
	for i := range names {
		if _, known := readers[types[i]]; !known {
			return garbage("column %q has a type that is not known, %q", oneLine(names[i]), oneLine(types[i]))
		}
		r.Columns[i] = Column{names[i], types[i]}
	}
	if err := r.named("rows"); err != nil {
		return err
	}
	r.among = true

	return r.delimiter('[')
}

func (r *Rows) delimiter(want json.Delim) error {
	token, err := r.decoder.Token()
	if err == nil && token != want {
		err = garbage("%v stands where %v should", oneLine(fmt.Sprint(token)), want)
	}

	return err
}

func (r *Rows) named(want string) error {
	token, err := r.decoder.Token()
	if err == nil && token != want {
		err = garbage("%v stands where %q should", oneLine(fmt.Sprint(token)), want)
	}

	return err
}

// Next goes to the next row; false after the last one, and after an error.
func (r *Rows) Next() bool {
	if !r.among {
		return false
	}
	if !r.decoder.More() {
		r.among = false
		r.fail(r.finish())

		return false
	}
	var raw []any
	if err := r.decoder.Decode(&raw); err != nil {
		r.fail(err)

		return false
	}
	if len(raw) != len(r.Columns) {
		r.fail(garbage("a row has %d values, and there are %d columns", len(raw), len(r.Columns)))

		return false
	}
	for i, value := range raw {
		if value == nil {
			continue
		}
		read, ok := readers[r.Columns[i].Type](value)
		if !ok {
			r.fail(garbage("column %q (%s) holds %s", oneLine(r.Columns[i].Name), r.Columns[i].Type, oneLine(fmt.Sprint(value))))

			return false
		}
		raw[i] = read
	}
	r.values = raw

	return true
}

// finish reads what stands behind the rows.
func (r *Rows) finish() error {
	for _, want := range []json.Delim{']', '}'} {
		if err := r.delimiter(want); err != nil {
			return err
		}
	}
	if !r.decoder.More() {
		return garbage("it does not say whether it is a success")
	}
	name, err := r.decoder.Token()
	if err != nil {
		return err
	}

	return r.end(said{}, name)
}

// end reads the outcome, whose first name was read, and the second object that may stand behind it.
func (r *Rows) end(s said, name json.Token) error {
	for {
		var err error
		switch name {
		case "success":
			err = r.decoder.Decode(&s.Success)
		case "reason":
			err = r.decoder.Decode(&s.Reason)
		case "error":
			err = r.decoder.Decode(&s.Error)
		default:
			var ignored json.RawMessage
			err = r.decoder.Decode(&ignored)
		}
		if err != nil {
			return err
		}
		if !r.decoder.More() {
			break
		}
		if name, err = r.decoder.Token(); err != nil {
			return err
		}
	}
	if err := r.delimiter('}'); err != nil {
		return err
	}
	for {
		if !s.Success {
			return serverError(http.StatusOK, s.why())
		}
		r.reason = s.Reason
		s = said{}
		err := r.decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Values are those of the current row: nil, string, int16, int32, int64, float32, float64,
// time.Time, netip.Addr or []byte. They stay valid.
func (r *Rows) Values() []any { return r.values }

// Err is why Next has returned false; nil after the last row.
func (r *Rows) Err() error { return r.err }

// Close lets the connection be used again. What is left of a short answer is read for that.
func (r *Rows) Close() { discard(r.body) }

// limited refuses an answer that is too large.
type limited struct {
	reader io.Reader
	left   int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, garbage("it is larger than %d bytes", int64(maxAnswer))
	}
	n, err := l.reader.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)

	return n, err
}

// readers make Go values of JSON's, by the column's type. An unsigned column comes as a signed one
// of its size.
var readers = map[string]func(any) (any, bool){ //nolint:gochecknoglobals // a table
	"string":   text,
	"int16":    integer(16, func(n int64) any { return int16(n) }),
	"int32":    integer(32, func(n int64) any { return int32(n) }),
	"int64":    integer(64, func(n int64) any { return n }),
	"datetime": integer(64, func(n int64) any { return time.Unix(0, n) }),
	"float":    number(func(f float64) any { return float32(f) }),
	"double":   number(func(f float64) any { return f }),
	"ipv4":     address,
	"ipv6":     address,
	"binary":   binary,
}

func text(value any) (any, bool) {
	s, ok := value.(string)
	if s == "" {
		return nil, ok // as Machbase has it
	}

	return s, ok
}

func integer(bits int, convert func(int64) any) func(any) (any, bool) {
	return func(value any) (any, bool) {
		digits, ok := value.(json.Number)
		n, err := strconv.ParseInt(string(digits), 10, bits)

		return convert(n), ok && err == nil
	}
}

func number(convert func(float64) any) func(any) (any, bool) {
	return func(value any) (any, bool) {
		switch v := value.(type) {
		case json.Number:
			f, err := v.Float64()

			return convert(f), err == nil
		case string: // JSON has no other form for these
			switch v {
			case "NaN":
				return convert(math.NaN()), true
			case "+Inf":
				return convert(math.Inf(1)), true
			case "-Inf":
				return convert(math.Inf(-1)), true
			}
		}

		return nil, false
	}
}

func address(value any) (any, bool) {
	s, _ := value.(string)
	ip, err := netip.ParseAddr(s)

	return ip, err == nil
}

func binary(value any) (any, bool) {
	s, ok := value.(string)
	b, err := base64.StdEncoding.DecodeString(s)
	if len(b) == 0 && err == nil {
		return nil, ok
	}

	return b, ok && err == nil
}

// Index is the place of the column with this name, upper or lower case, or -1.
func (r *Rows) Index(name string) int {
	for i := range r.Columns {
		if strings.EqualFold(r.Columns[i].Name, name) {
			return i
		}
	}

	return -1
}
