package cmi_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func FuzzAnswers(f *testing.F) {
	free := message(kindFree, 0, result(good))
	f.Add(byte(0), append(message(kindDirect, 0, everyType(fullRow, nullRow)), free...))
	f.Add(byte(0), bytes.Join([][]byte{
		message(kindDirect, 0, oneColumn(good, 1, 2)), message(kindFetch, 0, result(good), binaryUnit(0x52, 0, 0, 0, 0, 0, 0, 0, 1), result(last)), free,
	}, nil))
	f.Add(byte(0), append(packet(kindDirect, 1, 0, result(good)), packet(kindDirect, 3, 0, result(last))...))
	f.Add(byte(0), message(kindDirect, 0, failed(2010, "no")))
	f.Add(byte(1), bytes.Join([][]byte{
		message(kindPrepare, 0, result(good), number(0x21, 1), parameter(cmi.Long), rawUnit(200, 8, 513)),
		message(kindExecute, 0, result(good), number(0x23, 1)), message(kindExecute, 0, result(good), number(0x23, 2)),
	}, nil))
	f.Add(byte(2), bytes.Join([][]byte{
		message(kindOpen, 0, logTable), message(kindData, 0, failed(3017, "too long")),
		message(kindClose, 0, result(good), number(0x61, 1), number(0x62, 1)), message(kindOpen, 0, logTable),
		message(kindClose, 0, result(good), number(0x61, 0), number(0x62, 0)),
	}, nil))
	f.Fuzz(func(t *testing.T, calls byte, says []byte) {
		c := withReplay(t, bytes.NewReader(says))
		defer c.Close()
		var err error
		switch calls % 3 {
		case 0:
			err = fuzzQueries(c)
		case 1:
			err = fuzzStatement(c)
		default:
			err = fuzzAppender(c)
		}
		var known *cmi.Error
		require.True(t, err == nil || errors.As(err, &known), "%T %v", err, err)
	})
}

func fuzzQueries(c *cmi.Conn) error {
	for {
		rows, err := c.Query(context.Background(), "select")
		if err != nil {
			return err
		}
		for rows.Next() {
			for i := range rows.Columns() {
				_, _, _ = rows.Value(i), rows.Int64(i), rows.Float64(i)
				_, _, _ = rows.Time(i), rows.Bytes(i), rows.IsNull(i)
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
}

func fuzzStatement(c *cmi.Conn) error {
	s, err := c.Prepare(context.Background(), "insert ?")
	if err != nil {
		return err
	}
	for {
		args := make([]any, len(s.Parameters()))
		if _, err := s.Exec(context.Background(), args...); err != nil {
			return err
		}
	}
}

func fuzzAppender(c *cmi.Conn) error {
	a, err := c.Append(context.Background(), "t", cmi.AppendOptions{})
	if err != nil {
		return err
	}
	for {
		if err := a.Append(context.Background(), make([]any, len(a.Columns()))...); err != nil {
			return err
		}
		if _, err := a.Sync(context.Background()); err != nil {
			return err
		}
	}
}
