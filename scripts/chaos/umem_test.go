package chaos

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
)

// umem-cache is in no package registry. The test double runs as a separate process, this program
// with this argument, so that it can be stopped and killed.
const umemArgument = "umem-cache"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == umemArgument {
		fmt.Fprintln(os.Stderr, serveUmem(os.Args[2]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

type outsideTests struct{ testing.TB }

func (outsideTests) Helper()        {}
func (outsideTests) Cleanup(func()) {}
func (outsideTests) FailNow()       { os.Exit(1) }

func (outsideTests) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func serveUmem(control string) error {
	s := umemtest.Start(outsideTests{}, umemtest.Options{})
	fmt.Println(s.Address())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()

	return http.ListenAndServe(control, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, found := s.Value(r.URL.Query().Get("key"))
		if !found {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(value))
	}))
}
