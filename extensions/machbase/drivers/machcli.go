package main

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-server/v8/api/machcli"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machcliDriver uses Machbase's client in C. The driver works around some of its limits:
//   - It ignores deadlines, and its cancel waits for the statement. When a call's context ends, the
//     driver returns, and abandons the call in C with its thread and its connection, which closes
//     later.
//   - It hides why it could not connect. The driver then asks the native client.
//   - It does not report its traffic, which is 0.
//   - Until a statement is executed, it stores only the addresses of numbers and times. If Go's
//     collector runs in between, it may send another value. Scenarios check the answers.
//   - It truncates IP addresses and binary values. Answers with such columns are errors.
//
// Prepared statements, fetchRows, and more than one alternative are not supported, and are errors.
type machcliDriver struct{}

func (machcliDriver) Name() string { return "machcli" }

func (machcliDriver) Open(ctx context.Context, cfg *machbase.Config, dial machbase.DialFunc) (machbase.Conn, error) {
	config, err := configOf(cfg)
	if err != nil {
		return nil, err
	}
	// A separate environment for each connection: environments store errors.
	db, err := machcli.NewDatabase(config)
	if err != nil {
		return nil, clientError(err)
	}
	made, err := db.Connect(ctx, api.WithPassword(cfg.User, cfg.Password))
	if err != nil {
		_ = db.Close()

		return nil, connectError(ctx, cfg, dial, err)
	}

	w := newWorker(made.Close, db.Close)

	return opened(ctx, cfg, &conn{conn: made, client: client{
		call: w.call, stop: w.end,
		traffic: func() (received, sent uint64) { return 0, 0 },
		columns: machcliColumns, fit: machcliFit, setsArrival: true,
	}})
}

func configOf(cfg *machbase.Config) (*machcli.Config, error) {
	config := &machcli.Config{Host: cfg.Host, Port: cfg.Port, MaxOpenConn: -1}
	switch {
	case cfg.StatementCache != cmi.CacheOff:
		return nil, usage("driver machcli does not cache statements: statementCache must be %q, not %q", cmi.CacheOff, cfg.StatementCache)
	case cfg.FetchRows != cmi.DefaultFetchRows:
		return nil, usage("driver machcli does not support fetchRows")
	case len(cfg.Alternatives) > 1:
		return nil, usage("driver machcli accepts at most two urls, not %d", 1+len(cfg.Alternatives))
	case len(cfg.Alternatives) == 1:
		host, port, err := net.SplitHostPort(cfg.Alternatives[0])
		if err == nil {
			config.AlternativeHost = host
			config.AlternativePort, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return nil, usage("the second url must be host:port, not %q", cfg.Alternatives[0])
		}
	}

	return config, checkLogin(cfg)
}

// worker calls C in a separate goroutine, so that a call can be abandoned.
type worker struct {
	calls chan func() error
	done  chan error // result of the current call; buffered, since a call may be abandoned

	leave sync.Once
	left  chan struct{}
}

func newWorker(atEnd ...func() error) *worker {
	w := &worker{calls: make(chan func() error), done: make(chan error, 1), left: make(chan struct{})}
	go w.work(atEnd)

	return w
}

func (w *worker) work(atEnd []func() error) {
	for {
		select {
		case call := <-w.calls:
			w.done <- guard(call)
		case <-w.left:
			for _, end := range atEnd {
				_ = guard(end)
			}

			return
		}
	}
}

// guard turns a panic into an error: in this goroutine it would end the process.
func guard(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("machcli failed: %v", cause)
		}
	}()

	return call()
}

func (w *worker) call(ctx context.Context, fn func() error) error {
	select {
	case <-w.left:
		return errLeft
	default:
	}
	select {
	case w.calls <- fn:
	case <-ctx.Done():
		w.end()

		return errLeft
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		w.end()

		return errLeft
	}
}

func (w *worker) end() { w.leave.Do(func() { close(w.left) }) }

func machcliColumns(rows api.Rows) ([]machbase.Column, error) {
	known := rows.(*machcli.Rows).ColumnDescriptions() //nolint:forcetypeassert // machcli's result type
	columns := make([]machbase.Column, len(known))
	for i, c := range known {
		switch c.Type { //nolint:exhaustive // the others are read whole
		case machcli.MACHCLI_SQL_TYPE_IPV4, machcli.MACHCLI_SQL_TYPE_IPV6, machcli.MACHCLI_SQL_TYPE_BINARY:
			return nil, usage("driver machcli truncates IP addresses and binary values: it cannot read column %q", c.Name)
		}
		columns[i] = machbase.Column{Name: c.Name, Type: typeNames[c.Type]}
	}

	return columns, nil
}

// nulls are null values that the client encodes incorrectly: it treats unsigned columns as signed.
var nulls = map[api.ColumnType]any{ //nolint:gochecknoglobals // a constant
	api.ColumnTypeUShort: uint16(math.MaxUint16), api.ColumnTypeUInteger: uint32(math.MaxUint32), api.ColumnTypeULong: uint64(math.MaxUint64),
}

func machcliFit(column *api.Column, value any) (any, bool) { //nolint:cyclop // one case for each type
	if value == nil {
		return nulls[column.Type], true
	}
	switch column.Type { //nolint:exhaustive // other types are text
	case api.ColumnTypeShort:
		return exact[int16](value)
	case api.ColumnTypeUShort:
		return exact[uint16](value)
	case api.ColumnTypeInteger:
		return exact[int32](value)
	case api.ColumnTypeUInteger:
		return exact[uint32](value)
	case api.ColumnTypeLong:
		return exact[int64](value)
	case api.ColumnTypeULong:
		if n, ok := value.(uint64); ok {
			return n, true
		}
		n, ok := cmi.AsInteger(value)

		return n, ok && n >= 0
	case api.ColumnTypeFloat:
		f, ok := cmi.AsNumber(value)

		return float32(f), ok
	case api.ColumnTypeDouble:
		f, ok := cmi.AsNumber(value)

		return f, ok
	case api.ColumnTypeDatetime:
		at, ok := value.(time.Time)

		return at, ok
	case api.ColumnTypeIPv4, api.ColumnTypeIPv6:
		ip, ok := value.(netip.Addr)
		if text, isText := value.(string); isText {
			parsed, err := netip.ParseAddr(text)
			ip, ok = parsed, err == nil
		}

		return net.IP(ip.AsSlice()), ok && ip.Zone() == "" && ip.Is4() == (column.Type == api.ColumnTypeIPv4)
	case api.ColumnTypeBinary, api.ColumnTypeBlob:
		if text, ok := value.(string); ok {
			return []byte(text), true
		}
		data, ok := value.([]byte)

		return data, ok
	default:
		text, ok := value.(string)

		return text, ok && !strings.Contains(text, "\x00") // C would cut it off there
	}
}

func exact[T int16 | uint16 | int32 | uint32 | int64](value any) (any, bool) {
	n, ok := cmi.AsInteger(value)

	return T(n), ok && int64(T(n)) == n
}
