// Package echo is k6/x/echo: a client of servers that return each line. It is an example of a
// module outside of xk6-sweep's repository that takes part in sweeps.
package echo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/session"
	"go.k6.io/k6/v2/js/modules"
)

func init() {
	modules.Register("k6/x/echo", session.New(session.Definition{
		ErrorName: "EchoError", Ops: "echo_ops", Duration: "echo_op_duration", Kind: kind,
		Exports: func(m *session.Module) map[string]any {
			return map[string]any{"Client": func(call sobek.ConstructorCall) *sobek.Object { return newClient(m, call) }}
		},
	}))
}

var errOther = errors.New("the server sent another line back")

// kind returns the tag outcome and the exception's property kind.
func kind(err error) string {
	if errors.Is(err, errOther) {
		return "other"
	}

	return "connection"
}

type client struct {
	*session.Module

	address string
	conn    net.Conn
	lines   *bufio.Reader
}

func newClient(m *session.Module, call sobek.ConstructorCall) *sobek.Object {
	c := &client{Module: m, address: call.Argument(0).String()}
	m.Bind(call.This, map[string]session.Reader{"echo": c.echo},
		map[string]session.Function{"run": c.run, "connect": c.connect, "close": c.close})

	return nil
}

// echo is client.echo(text), and asyncEcho(text).
func (c *client) echo(args []sobek.Value) (session.Operation, error) {
	if len(args) != 1 || strings.Contains(args[0].String(), "\n") {
		return session.Operation{}, errors.New("the text must be a string of one line")
	}
	text := args[0].String()

	return session.Operation{
		Name:  "echo",
		Do:    func(ctx context.Context) (session.Work, error) { return c.send(ctx, text) },
		Value: func() any { return text },
	}, nil
}

// run is client.run({ iterations, size, batch }): each operation sends a batch of lines.
func (c *client) run(args []sobek.Value) (any, error) {
	o := struct {
		Iterations int `json:"iterations"`
		Size       int `json:"size"`
		Batch      int `json:"batch"`
	}{1, 10, 1}
	if err := session.Options(sobek.FunctionCall{Arguments: args}.Argument(0), &o); err != nil {
		return nil, session.Misuse("run: %s", err)
	}
	if o.Iterations < 1 || o.Size < 0 || o.Batch < 1 {
		return nil, session.Misuse("run: iterations and batch must be positive integers, and size not negative")
	}
	name, lines := "echo", slices.Repeat([]string{strings.Repeat("x", o.Size)}, o.Batch)
	if o.Batch > 1 {
		name = "batch"
	}

	return c.Run(o.Iterations, func(ctx context.Context) (string, session.Work, error) {
		work, err := c.send(ctx, lines...)

		return name, work, err
	}), nil
}

// connect is client.connect(); a sweep's clients call it before they start together.
func (c *client) connect([]sobek.Value) (any, error) {
	return nil, c.ready(c.VU().Context())
}

func (c *client) close([]sobek.Value) (any, error) {
	c.disconnect()

	return nil, nil
}

func (c *client) ready(ctx context.Context) (err error) {
	if c.conn != nil {
		return nil
	}
	if c.conn, err = c.Dial(ctx, "tcp", c.address); err == nil {
		c.lines = bufio.NewReader(c.conn)
		c.Close(c, c.disconnect)
	}

	return err
}

func (c *client) disconnect() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
		c.Closed(c)
	}
}

// send sends lines and reads the answers. It closes a broken connection.
func (c *client) send(ctx context.Context, lines ...string) (w session.Work, err error) {
	if err := c.ready(ctx); err != nil {
		return w, err
	}
	conn := c.conn
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends a read with the test
	if _, err = fmt.Fprint(c.conn, strings.Join(lines, "\n")+"\n"); err != nil {
		c.disconnect()
	}
	for i := 0; i < len(lines) && err == nil; i++ {
		var back string
		if back, err = c.lines.ReadString('\n'); err != nil {
			c.disconnect()
		} else if back != lines[i]+"\n" {
			err = errOther
		}
		w = session.Work{Rows: w.Rows + 1, Sent: w.Sent + uint64(len(lines[i])+1), Received: w.Received + uint64(len(back))}
	}

	return w, err
}
