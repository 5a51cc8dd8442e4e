package machbase

import (
	"strings"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"", "machbase://h", "machbase://u:p@h:1?timeout=5s&fetchRows=9", "@h?driver=x", "machbase://[::1", "?alternatives=a,b", "%zz", "\n", "https://h:1?timeout=5s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		for _, text := range []string{url, "machbase://u:se-cret" + url, "http://u:se-cret" + url, "machbase://h?" + url} {
			c, err := new(options).config(k6x.SplitURLs(text))
			switch {
			case err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "se-cret")):
				t.Fatalf("%q", err)
			case err == nil:
				_ = c.Address()
			}
		}
	})
}
