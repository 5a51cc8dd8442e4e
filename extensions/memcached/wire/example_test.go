//go:build servers

package wire_test

import (
	"context"
	"fmt"
	"os"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// A value is stored and read over one connection.
func Example() {
	conn, err := wire.Dial(context.Background(), &wire.Config{Address: os.Getenv("MEMCACHED_URL")})
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	var reply wire.Reply
	for _, request := range []wire.Request{
		{Verb: wire.Set, Key: []byte("wire-example"), Value: []byte("Ada"), Expire: 60},
		{Verb: wire.Get, Key: []byte("wire-example")},
	} {
		if err := conn.Do(&request, &reply); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s\n", reply.Value)
	// Output: Ada
}
