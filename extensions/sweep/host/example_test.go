package host_test

import (
	"fmt"
	"net"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
)

// The processes of a server on this machine are found by its address.
func ExampleFindServer() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	fmt.Println(host.FindServer("tcp://"+listener.Addr().String()) != nil)
	// Output: true
}
