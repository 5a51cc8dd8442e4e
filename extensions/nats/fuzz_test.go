package nats

import (
	"crypto/tls"
	"strings"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "a", "a:1, tls://b", "nats://u:p@h:1/", "wss://[::1]", "ws://h?x", ",", "[", "%zz", "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, servers string) {
		for _, text := range []string{servers, "nats://u:se-cret" + servers} {
			c, err := configOf(k6x.SplitURLs(text))
			switch {
			case err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "se-cret")):
				t.Fatalf("%q", err)
			case err == nil:
				if strings.Contains(c.hosts(), "@") {
					t.Fatalf("%q: %q", text, c.hosts())
				}
				if _, err := (&dialer{tls: new(tls.Config)}).secured(c); err != nil {
					t.Fatalf("%q: %s", text, err)
				}
			}
		}
	})
}
