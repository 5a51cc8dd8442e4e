package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDropOrigins(t *testing.T) {
	of := func(script bool, ops ...string) *Report {
		r := &Report{}
		if script {
			r.Script = &Script{}
		}
		for _, op := range ops {
			r.Steps = append(r.Steps, Step{Op: op, Clients: 1, Repeat: 1})
		}

		return r
	}
	for name, tt := range map[string]struct {
		script    bool
		ops, want []string // the report is compared with a report of http://b
	}{
		"one host": {
			true, []string{"GET http://a:80/x/${}?q=1", "POST http://a:80", "ws ws://a:80/live", "page lcp http://a:80/", "cart", "iteration"},
			[]string{"GET /x/${}?q=1", "POST /", "ws /live", "page lcp /", "cart", "iteration"},
		},
		"a query":           {true, []string{"GET http://a?q=1"}, []string{"GET /?q=1"}},
		"two hosts":         {true, []string{"GET http://a/x", "GET http://c/x"}, []string{"GET http://a/x", "GET http://c/x"}},
		"the same path":     {true, []string{"GET http://a/x", "GET https://a/x"}, []string{"GET http://a/x", "GET https://a/x"}},
		"a sweep":           {false, []string{"GET http://a/x"}, []string{"GET http://a/x"}},
		"names of its own":  {true, []string{"GET cart", "iteration"}, []string{"GET cart", "iteration"}},
		"an address inside": {true, []string{"see http://a/x"}, []string{"see /x"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, other := of(tt.script, tt.ops...), of(true, "GET http://b/x")
			DropOrigins(other, r)
			got := []string{}
			for i := range r.Steps {
				got = append(got, r.Steps[i].Op)
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, got[0] != tt.ops[0], other.Steps[0].Op == "GET /x", "both or none")
		})
	}
}
