package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const bucket = "bench-floor"

// natsConn is a connection that was opened, or the error why not.
type natsConn struct {
	conn *net.TCPConn
	x    exchange
	err  error
}

// openAllNats writes the keys of all clients, and begins to open their connections, all at the same
// time: the server takes two seconds for each.
func openAllNats(address string, clients int) ([]chan natsConn, error) {
	if err := fillBucket(address, clients); err != nil {
		return nil, fmt.Errorf("the bucket cannot be filled: %w", err)
	}
	all := make([]chan natsConn, clients)
	for number := range all {
		all[number] = make(chan natsConn, 1)
		go func() { all[number] <- openNats(address, number) }()
	}

	return all, nil
}

// openNats connects and subscribes to the answers.
func openNats(address string, number int) natsConn {
	conn, err := dial(address)
	if err != nil {
		return natsConn{err: err}
	}
	x, err := introduce(conn, number)
	if err != nil {
		return natsConn{err: errors.Join(err, conn.Close())}
	}

	return natsConn{conn: conn, x: x}
}

func natsKey(number int) string { return fmt.Sprintf("key-%012d", number) }

// introduce does what nats.go does when it connects and subscribes, and asks once: that tells how
// large the answer is.
func introduce(conn net.Conn, number int) (x exchange, err error) {
	inbox := nats.NewInbox()
	if err := conn.SetDeadline(time.Now().Add(within)); err != nil {
		return x, err
	}
	hello := `CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"lang":"go","version":"1","protocol":1}` +
		"\r\nSUB " + inbox + ".* 1\r\nPING\r\n"
	if _, err := io.WriteString(conn, hello); err != nil {
		return x, err
	}
	// The server pings once after its answer to the first ping; then it is quiet for minutes.
	if _, err := readUntil(conn, "\r\nPING\r\n"); err != nil {
		return x, fmt.Errorf("the server does not ping: %w", err)
	}
	if _, err := io.WriteString(conn, "PONG\r\n"); err != nil {
		return x, err
	}
	x.request = []byte("PUB $JS.API.DIRECT.GET.KV_" + bucket + ".$KV." + bucket + "." + natsKey(number) + " " + inbox + ".12345678 0\r\n\r\n")
	if _, err := conn.Write(x.request); err != nil {
		return x, err
	}
	answer, err := readUntil(conn, strings.Repeat("x", size)+"\r\n")
	if err != nil {
		return x, fmt.Errorf("the key is not answered: %w", err)
	}
	x.answer = len(answer)

	return x, conn.SetDeadline(time.Time{})
}

// readUntil reads until what has come ends so.
func readUntil(conn net.Conn, end string) ([]byte, error) {
	var all []byte
	room := make([]byte, 4096)
	for !bytes.HasSuffix(all, []byte(end)) {
		n, err := conn.Read(room)
		all = append(all, room[:n]...)
		if err != nil {
			return nil, fmt.Errorf("%w after %q", err, all)
		}
	}

	return all, nil
}

// fillBucket writes the keys of all clients.
func fillBucket(address string, clients int) error {
	conn, err := nats.Connect(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket})
	if err != nil {
		return err
	}
	for i := range clients {
		if _, err := kv.Put(ctx, natsKey(i), bytes.Repeat([]byte("x"), size)); err != nil {
			return err
		}
	}

	return nil
}
