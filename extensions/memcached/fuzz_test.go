package memcached

import (
	"strings"
	"testing"
)

// FuzzConfig: whatever the address is, an error is one line that does not show it.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "a", "a:1,b", "memcached://u:secret@h:1?pool=shared", "memcached://[::1]:1", "/a.sock", "memcached://h?x", ",", "[", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, o := range []options{{}, {Servers: []string{address}}} {
			text := address
			if len(o.Servers) > 0 {
				text = ""
			}
			c, err := o.config(text)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			if err == nil {
				_ = c.target()
			}
		}
		if _, err := new(options).config("memcached://u:secret" + address); err != nil && strings.Contains(err.Error(), "secret") {
			t.Fatalf("%q", err)
		}
	})
}
