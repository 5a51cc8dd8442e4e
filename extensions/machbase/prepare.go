package machbase

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type statement struct {
	*client

	text string
	// prepared is nil, or belongs to a connection that may be closed.
	prepared *prepared
}

type prepared struct {
	Statement

	conn Conn
}

func (c *client) prepare(call sobek.FunctionCall) (*task, error) {
	sql, err := c.textOf(call, "prepare")
	if err != nil {
		return nil, err
	}
	s := &statement{client: c, text: sql}
	t := &task{
		client: c, operation: opPrepare, timeout: c.config.Timeout,
		job: func(ctx context.Context, conn Conn) error {
			_, err := s.on(ctx, conn)

			return err
		},
		value: func() (sobek.Value, error) { return statementMethods.Object(s.Runtime(), s), nil },
	}

	return t, execOptions.Read("prepare", call.Argument(1), t)
}

var statementMethods = k6x.BothForms(map[string]operation[*statement]{ //nolint:gochecknoglobals // a table
	"query": (*statement).query, "exec": (*statement).exec,
}).With(k6x.Methods[*statement]{"close": (*statement).close})

func (s *statement) query(call sobek.FunctionCall) (*task, error) {
	return s.queryTask(call.Argument(0), call.Argument(1), "", s)
}

func (s *statement) exec(call sobek.FunctionCall) (*task, error) {
	return s.execTask("exec", call.Argument(0), call.Argument(1), func(ctx context.Context, conn Conn, args []any) (int64, error) {
		p, err := s.on(ctx, conn)
		if err != nil {
			return 0, err
		}

		return p.Exec(ctx, args)
	})
}

func (s *statement) close(sobek.FunctionCall) sobek.Value {
	s.tasks.Wait()
	p := s.prepared
	s.prepared = nil
	if connection := s.current(); p == nil || connection == nil || p.conn != connection.conn {
		return sobek.Undefined()
	}

	return s.tasks.Now(&task{
		client: s.client, operation: opPrepare, timeout: s.config.Timeout,
		job: func(ctx context.Context, _ Conn) error { return p.Close(ctx) },
	})
}

func (s *statement) on(ctx context.Context, conn Conn) (*prepared, error) {
	if p := s.prepared; p != nil && p.conn == conn {
		return p, nil
	}
	stmt, err := conn.Prepare(ctx, s.text)
	if err != nil {
		return nil, err
	}
	s.prepared = &prepared{stmt, conn}

	return s.prepared, nil
}
