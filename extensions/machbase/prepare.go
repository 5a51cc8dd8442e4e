package machbase

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// statement is a JavaScript Statement. It outlives its connection: on a new one it is prepared anew.
type statement struct {
	*client

	text     string
	prepared *prepared // nil, or on a connection that may be gone
}

// prepared is a statement that is prepared on a connection.
type prepared struct {
	Statement

	conn Conn
}

// prepare is client.prepare(sql): it prepares the statement on this client's connection.
func (c *client) prepare(call sobek.FunctionCall) sobek.Value {
	s := &statement{client: c, text: c.sql(call, "prepare")}
	err := s.do(opPrepare, c.config.Timeout, nil, func(conn Conn) error {
		_, err := s.on(conn)

		return err
	})
	if err != nil {
		c.throw(err)
	}

	object := c.vu.Runtime().NewObject()
	k6glue.Methods(c.vu.Runtime(), object, map[string]k6glue.Function{
		"query": s.query,
		"exec":  s.exec,
		"close": s.close,
	})

	return object
}

// query is statement.query(params, options).
func (s *statement) query(call sobek.FunctionCall) sobek.Value {
	return s.runQuery(call.Argument(0), call.Argument(1), func(conn Conn, args []any, read func(Rows) error) error {
		p, err := s.on(conn)
		if err != nil {
			return err
		}

		return p.Query(args, read)
	})
}

// exec is statement.exec(params).
func (s *statement) exec(call sobek.FunctionCall) sobek.Value {
	return s.runExec(call.Argument(0), call.Argument(1), func(conn Conn, args []any) (int64, error) {
		p, err := s.on(conn)
		if err != nil {
			return 0, err
		}

		return p.Exec(args)
	})
}

// close is statement.close(): it frees the statement on the server. A later use prepares it again.
func (s *statement) close(sobek.FunctionCall) sobek.Value {
	p := s.prepared
	s.prepared = nil
	if session := s.current(); p == nil || session == nil || p.conn != session.conn {
		return sobek.Undefined()
	}
	if err := s.do(opPrepare, s.config.Timeout, nil, func(Conn) error { return p.Close() }); err != nil {
		s.throw(err)
	}

	return sobek.Undefined()
}

// on returns the statement as prepared on the connection.
func (s *statement) on(conn Conn) (*prepared, error) {
	if p := s.prepared; p != nil && p.conn == conn {
		return p, nil
	}
	stmt, err := conn.Prepare(s.text)
	if err != nil {
		return nil, err
	}
	s.prepared = &prepared{stmt, conn}

	return s.prepared, nil
}
