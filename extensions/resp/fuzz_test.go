package resp

import (
	"net"
	"strings"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "a", "a:1,b", "redis://u:secret@h:1/2", "rediss://[::1]:1", "unix:///a?db=1", "redis://h?x", ",", "[", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		c, err := new(options).config(k6x.SplitURLs(address))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
				t.Fatalf("%q", err)
			}

			return
		}
		for _, s := range c.Servers {
			if _, _, err := net.SplitHostPort(s.Address); s.Network == "tcp" && err != nil {
				t.Fatalf("%q: %q: %s", address, s.Address, err)
			}
		}
		_ = c.target()
		if _, err := new(options).config(k6x.SplitURLs("redis://u:secret" + address)); err != nil && strings.Contains(err.Error(), "secret") {
			t.Fatalf("%q", err)
		}
	})
}
