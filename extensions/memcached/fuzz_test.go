package memcached

import (
	"strings"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "a", "a:1,b", "memcached://u:secret@h:1?timeout=5", "memcached://[::1]:1", "/a.sock", "memcached://h?x", ",", "[", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, urls := range [][]string{k6x.SplitURLs(address), {address}} {
			c, err := new(options).config(urls)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			if err == nil {
				_ = c.target()
			}
		}
		if _, err := new(options).config(k6x.SplitURLs("memcached://u:secret" + address)); err != nil && strings.Contains(err.Error(), "secret") {
			t.Fatalf("%q", err)
		}
	})
}
