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

const (
	// bucket and keyPrefix make subjects as long as those of k6, whose keys of 16 bytes go-orb has in
	// base32.
	bucket, keyPrefix = "natsjs-kv-floor-orb", "NNSXSORQGAYDAMBQGAYD"
	// firstSequence has as many digits as any number of a message that comes after it, so that all
	// answers are of the same size.
	firstSequence = 1_000_000_000
	// fillers is how many write keys at the same time.
	fillers = 16
)

// natsConn is a connection that was opened, or the error why not.
type natsConn struct {
	conn *net.TCPConn
	x    exchange
	err  error
}

// openAllNats writes all keys, if any are asked for, and begins to open the connections of all
// clients, all at the same time: the server takes two seconds for each.
func (s *settings) openAllNats() ([]chan natsConn, error) {
	if s.work != request {
		if err := fillBucket(s.address); err != nil {
			return nil, fmt.Errorf("the bucket cannot be filled: %w", err)
		}
	}
	all := make([]chan natsConn, s.Clients)
	for number := range all {
		all[number] = make(chan natsConn, 1)
		go func() { all[number] <- openNats(s.address, s.work) }()
	}

	return all, nil
}

// openNats connects and subscribes to the answers.
func openNats(address, work string) natsConn {
	conn, err := dial(address)
	if err != nil {
		return natsConn{err: err}
	}
	x, err := introduce(conn, work)
	if err != nil {
		return natsConn{err: errors.Join(err, conn.Close())}
	}

	return natsConn{conn: conn, x: x}
}

// introduce does what nats.go does when it connects and subscribes, and works once: that tells how
// large the answer is.
func introduce(conn net.Conn, work string) (x exchange, err error) {
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
	var ends string
	x, ends = natsExchange(work, inbox+".12345678")
	if _, err := conn.Write(x.request); err != nil {
		return x, err
	}
	answer, err := readUntil(conn, ends)
	if err != nil {
		return x, fmt.Errorf("there is no answer: %w", err)
	}
	x.answer = len(answer)

	return x, conn.SetDeadline(time.Time{})
}

// natsExchange is what a client sends, and how the answer ends. A request and its reply are two
// messages, each of which goes from one client to another: here each client sends them to itself.
func natsExchange(work, inbox string) (x exchange, ends string) {
	value := strings.Repeat("x", size)
	if work == request {
		return exchange{request: fmt.Appendf(nil, "PUB %s %s %d\r\n%s\r\n", inbox, inbox, size, value), again: 1}, value + "\r\n"
	}
	before, body := "PUB $JS.API.DIRECT.GET.KV_"+bucket+".$KV."+bucket+"."+keyPrefix, ""
	ends = value + "\r\n"
	if work == put {
		before, body, ends = "PUB $KV."+bucket+"."+keyPrefix, value, "}\r\n"
	}
	x.digits = len(before)
	x.request = fmt.Appendf(nil, "%s%012d %s %d\r\n%s\r\n", before, 0, inbox, len(body), body)

	return x, ends
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

// fillBucket makes a key-value bucket, as nats.go makes one, and writes all keys.
func fillBucket(address string) error {
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
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, FirstSeq: firstSequence,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true, AllowDirect: true,
	}); err != nil {
		return err
	}
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return err
	}
	filled := make(chan error, fillers)
	for filler := range fillers {
		go func() { filled <- fillKeys(ctx, kv, filler) }()
	}
	for range fillers {
		err = errors.Join(err, <-filled)
	}

	return err
}

// fillKeys writes the keys of one of those who write them.
func fillKeys(ctx context.Context, kv jetstream.KeyValue, filler int) error {
	for number := filler; number < keys; number += fillers {
		if err := fillKey(ctx, kv, fmt.Sprintf("%s%012d", keyPrefix, number)); err != nil {
			return err
		}
	}

	return nil
}

// fillKey writes a key until its answer has the size that most have: in it is the time of the
// message, of which the server leaves out the zeros that it ends in.
func fillKey(ctx context.Context, kv jetstream.KeyValue, key string) error {
	for {
		if _, err := kv.Put(ctx, key, bytes.Repeat([]byte("x"), size)); err != nil {
			return err
		}
		entry, err := kv.Get(ctx, key)
		if err != nil || entry.Created().Nanosecond()%10 != 0 {
			return err
		}
	}
}
