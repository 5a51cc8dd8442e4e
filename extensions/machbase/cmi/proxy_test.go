//go:build servers

package cmi_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// through returns a Dial whose connections read the server's bytes through a filter.
func through(filter func(r io.Reader) io.Reader) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}

		return filtered{c, filter(c)}, nil
	}
}

type filtered struct {
	net.Conn

	says io.Reader
}

func (f filtered) Read(b []byte) (int, error) { return f.says.Read(b) }

func session(ctx context.Context, config cmi.Config, sql string) (rows int, traffic uint64, err error) {
	config.FetchRows = 5
	c, err := cmi.Connect(ctx, config)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	r, err := c.Query(ctx, sql)
	if err != nil {
		return 0, 0, err
	}
	for r.Next() {
		for i := range r.Columns() {
			_ = r.Value(i)
		}
		rows++
	}
	err = r.Close()
	traffic, _ = c.Traffic()

	return rows, traffic, err
}

func TestNetworkFaults(t *testing.T) {
	const many = 12
	table := makeTable(t, tagTable)
	fillTable(t, table, many)
	config := serverConfig(t)
	sql := "select * from " + table
	rows, length, err := session(withTimeout(t), config, sql)
	require.NoError(t, err)
	require.Equal(t, many, rows)

	t.Run("byte by byte", func(t *testing.T) {
		slow := config
		slow.Dial = through(iotest.OneByteReader)
		rows, _, err := session(withTimeout(t), slow, sql)
		require.NoError(t, err)
		require.Equal(t, many, rows)
	})
	t.Run("cut", func(t *testing.T) {
		for n := range length {
			cut := config
			cut.Dial = through(func(r io.Reader) io.Reader { return io.LimitReader(r, int64(n)) })
			_, _, err := session(withTimeout(t), cut, sql)
			var e *cmi.Error
			require.ErrorAs(t, err, &e, "after %d bytes", n)
			require.Contains(t, []string{cmi.KindConnect, cmi.KindConnection, cmi.KindProtocol}, e.Kind)
		}
	})
	t.Run("corrupt", func(t *testing.T) {
		session := func(n int, flip byte) {
			corrupt := config
			corrupt.Dial = through(func(r io.Reader) io.Reader { return &flipper{r, n, flip} })
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond) // a length that is too large makes the client wait
			defer cancel()
			began := time.Now()
			_, _, err := session(ctx, corrupt, sql)
			assert.Less(t, time.Since(began), patience/3, "byte %d", n)
			if err != nil { // otherwise the byte was a value, or unused
				var e *cmi.Error
				assert.ErrorAs(t, err, &e, "byte %d", n)
			}
		}
		const atATime = 8
		var all sync.WaitGroup
		for first := range atATime {
			all.Go(func() {
				for n := first; n < int(length); n += atATime {
					session(n, 0x01)
					session(n, 0xff)
				}
			})
		}
		all.Wait()
	})
}

type flipper struct {
	io.Reader

	at   int
	flip byte
}

func (f *flipper) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if f.at >= 0 && f.at < n {
		b[f.at] ^= f.flip
	}
	f.at -= n

	return n, err
}
