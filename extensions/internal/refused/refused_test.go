package refused

import (
	"errors"
	"net"
	"testing"
)

func TestByTellsRefusals(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = net.Dial("tcp", address)
	if !By(err) {
		t.Errorf("%v is no refusal", err)
	}
	_, err = net.Dial("unix", "there/is/none")
	if By(err) || By(errors.New("connection refused")) || By(nil) {
		t.Errorf("%v is a refusal", err)
	}
}
