package wire_test

import (
	"context"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// A client reads a key over a connection of its pool.
func Example() {
	pool, err := wire.NewPool("[::1]:10047", canned(wire.G3, hitOf(wire.G3, []byte("Ada"))))
	if err != nil {
		panic(err)
	}
	defer pool.Close()
	client := wire.NewClient(pool, time.Second)
	defer client.Close()
	value, found, err := client.Get(context.Background(), []byte("user:1"), nil)
	fmt.Printf("%s %t %v\n", value, found, err)
	// Output: Ada true <nil>
}
