package wire_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// The messages of a gateway come from its .proto file.
func ExampleLoad() {
	open := func(path string) (io.ReadCloser, error) { return os.Open(path) }
	_, err := wire.Load(context.Background(), "../../../scenarios/lib/mxaccess_gateway.proto", nil, "", open)
	fmt.Println(err)
	// Output: <nil>
}
