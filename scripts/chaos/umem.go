package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
)

// No real umem-cache can be had from a registry: the double that the tests hold against the
// protocol runs as a process of its own, this program with the argument below, so that it can be
// stopped and killed as the others are.
const umemArgument = "umem-cache"

// outsideTests are the parts of a test that umemtest asks for.
type outsideTests struct{ testing.TB }

func (outsideTests) Helper()        {}
func (outsideTests) Cleanup(func()) {} // it ends with the process
func (outsideTests) FailNow()       { os.Exit(1) }

func (outsideTests) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// serveUmem is the process: it prints its address, and answers GET /value?key= at the control
// address.
func serveUmem(control string) error {
	s := umemtest.Start(outsideTests{}, umemtest.Options{})
	fmt.Println(s.Address())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // whoever has started it has ended
	}()

	//nolint:gosec // loopback, and of this program alone
	return http.ListenAndServe(control, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, found := s.Value(r.URL.Query().Get("key"))
		if !found {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(value))
	}))
}
