package wire

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"
)

// A key is read from a server that has it.
func Example() {
	server := &scripted{says: &inTwo{strings.NewReader("+PONG\r\n"), strings.NewReader("$3\r\nAda\r\n")}}
	conn, err := Dial(context.Background(), &Config{
		Network: "tcp", Address: "127.0.0.1:6379", Timeout: time.Second, ConnectTimeout: time.Second,
		Dial: func(context.Context, string, string) (net.Conn, error) { return server, nil }, // in place of a net.Dialer's
	})
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	value, found, err := conn.Get([]byte("user:1"), nil)
	fmt.Printf("%s %t %v\n", value, found, err)
	// Output: Ada true <nil>
}
