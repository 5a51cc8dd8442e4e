package netutil

import (
	"errors"
	"net"
	"testing"
)

func TestIsConnRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = net.Dial("tcp", address)
	if !IsConnRefused(err) {
		t.Errorf("%v is no refusal", err)
	}
	_, err = net.Dial("unix", "there/is/none")
	if IsConnRefused(err) || IsConnRefused(errors.New("connection refused")) || IsConnRefused(nil) {
		t.Errorf("%v is a refusal", err)
	}
}
