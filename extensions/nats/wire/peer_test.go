package wire_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

type recorder struct {
	mu    sync.Mutex
	asked []string
}

var inboxes = regexp.MustCompile(`_INBOX\.[0-9A-Za-z]{22}\.[0-9A-Za-z]{8} `)

func (r *recorder) serve(conn net.Conn) {
	_, _ = io.WriteString(conn, `INFO {"server_id":"x","version":"2.12.0","proto":1,"headers":true,"jetstream":true,"max_payload":1048576}`+"\r\n")
	from := bufio.NewReader(conn)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if words[0] == "PING" {
			_, _ = io.WriteString(conn, "PONG\r\n")
		}
		if !strings.HasSuffix(words[0], "PUB") {
			continue
		}
		size := 0
		_, _ = fmt.Sscan(words[len(words)-1], &size)
		body := make([]byte, size+2)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		lines := strings.SplitAfter(string(body), "\r\n")
		slices.Sort(lines)
		r.mu.Lock()
		r.asked = append(r.asked, inboxes.ReplaceAllString(line, "INBOX ")+strings.Join(lines, ""))
		r.mu.Unlock()
		_, _ = io.WriteString(conn, answerTo(words[1], words[2]))
	}
}

func answerTo(subject, reply string) string {
	data, head := `{"stream":"KV_b", "seq":1}`, ""
	if strings.HasPrefix(subject, "$JS.API.STREAM.INFO") {
		data = `{"config":{"name":"KV_b","allow_direct":true,"max_msgs_per_subject":1},"state":{}}`
	}
	if key, is := strings.CutPrefix(subject, "$JS.API.DIRECT.GET.KV_b."); is {
		head = "NATS/1.0\r\nNats-Stream: KV_b\r\nNats-Subject: " + key + "\r\nNats-Sequence: 1\r\nNats-Time-Stamp: 2026-11-25T02:00:00Z\r\n\r\n"
		data = "value"
	}
	if head == "" {
		return fmt.Sprintf("MSG %s 1 %d\r\n%s\r\n", reply, len(data), data)
	}

	return fmt.Sprintf("HMSG %s 1 %d %d\r\n%s%s\r\n", reply, len(head), len(head)+len(data), head, data)
}

// Requests are the bytes that nats.go sends, except for the inboxes, which have the same length.
func TestRequestsEqualNatsGo(t *testing.T) {
	var r recorder
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() { r.serve(conn) })
		}
	})
	address := listener.Addr().String()
	nc, err := natsio.Connect("nats://" + address)
	require.NoError(t, err)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	kv, err := js.KeyValue(t.Context(), "b")
	require.NoError(t, err)
	_, err = kv.Put(t.Context(), "KEY=", []byte("value"))
	require.NoError(t, err)
	entry, err := kv.Get(t.Context(), "KEY=")
	require.NoError(t, err)
	require.NoError(t, kv.Delete(t.Context(), "KEY="))
	require.NoError(t, kv.Purge(t.Context(), "KEY="))
	_, err = nc.RequestMsg(&natsio.Msg{Subject: "a.b", Header: natsio.Header{"A": {" b\n"}}, Data: []byte("x")}, time.Minute)
	require.NoError(t, err)
	nc.Close()
	theirs := r.asked
	r.asked = nil

	c, err := wire.Dial(t.Context(), &wire.Config{Address: address, ConnectTimeout: 5 * time.Second})
	require.NoError(t, err)
	facing, err := c.LookUp("b", time.Minute)
	require.NoError(t, err)
	require.Equal(t, wire.Direct, facing)
	b, key := wire.NewBucket("b"), []byte("KEY=")
	require.NoError(t, c.Put(b, key, []byte("value"), time.Minute))
	value, found, err := c.Get(b, key, time.Minute)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, string(entry.Value()), string(value))
	require.NoError(t, c.Delete(b, key, time.Minute))
	require.NoError(t, c.Purge(b, key, time.Minute))
	_, err = c.Request("a.b", wire.EncodeHeader(nil, "A", " b\n"), []byte("x"), time.Minute)
	require.NoError(t, err)
	c.Close()
	require.NoError(t, listener.Close())
	work.Wait()
	require.Len(t, theirs, 6)
	require.Equal(t, theirs, r.asked)
}
