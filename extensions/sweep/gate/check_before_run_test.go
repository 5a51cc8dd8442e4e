package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "set", "p99": "5ms"}, {"op": "gat", "p99": "5ms"}],
		"relative": {"baseline": "b.json", "p99": "+25%"}}`)
	require.EqualError(t, f.Check(Planned{Ops: []string{"get", "set"}}), `gates: absolute[1].op is "gat", which cache does not have: it has "get", "set"; did you mean "get"?`)
	require.EqualError(t, f.Check(Planned{}), `gates: absolute[0].op is "set", which cache does not have: it has none`)
	require.NoError(t, f.Check(Planned{Ops: []string{"set", "gat"}}), "the baseline is not known yet")
	require.NoError(t, f.setBaseline(near(t)))
	require.EqualError(t, f.Check(Planned{Ops: []string{"set", "gat"}}),
		`baseline b.json has the operation "get", which cache does not have: it has "set", "gat"; record a new baseline`)
	require.NoError(t, f.Check(Planned{Ops: []string{"get", "set", "gat"}}))
}

func TestCheckOfAPlan(t *testing.T) {
	ops := []string{"get", "set"}
	for gate, tests := range map[string][]struct {
		plan  Planned
		wrong string
	}{
		``: {
			{Planned{Ops: ops}, ""},
			{Planned{Ops: ops, Clients: []int{1}, Scenario: "cache"}, ""},
			{Planned{Ops: ops, Scenario: "fake"}, `the gates are of scenario "cache", not of "fake"`},
		},
		`"clients": 4, `: {
			{Planned{Ops: ops}, ""},
			{Planned{Ops: ops, Clients: []int{1, 4}}, ""},
			{Planned{Ops: ops, Clients: []int{1, 8}}, `gates: absolute[0].clients is 4, which cache does not have: it has 1, 8`},
			{Planned{Ops: ops, Rates: []float64{100}}, ""},
		},
		`"rate": 2.5, `: {
			{Planned{Ops: ops}, ""},
			{Planned{Ops: ops, Rates: []float64{100, 2.5}}, ""},
			{Planned{Ops: ops, Rates: []float64{100, 0.5}}, `gates: absolute[0].rate is 2.5, which cache does not have: it has 100, 0.5`},
			{Planned{Ops: ops, Clients: []int{1}}, `gates: absolute[0].rate is 2.5, which cache does not have: it has none`},
		},
	} {
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", `+gate+`"p99": "5ms"}]}`)
		for _, tt := range tests {
			err := f.Check(tt.plan)
			if tt.wrong == "" {
				require.NoError(t, err, "%s: %v", gate, tt.plan)
			} else {
				require.EqualError(t, err, tt.wrong)
			}
		}
	}
}

func TestCheckOfAPlanOfABaseline(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.NoError(t, f.setBaseline(near(t)))
	require.NoError(t, f.Check(Planned{Ops: []string{"get", "set"}, Clients: []int{1, 8}}))
	require.EqualError(t, f.Check(Planned{Ops: []string{"get", "set"}, Clients: []int{1, 64}}),
		"baseline b.json has the number of clients 8, which cache does not have: it has 1, 64; record a new baseline")
}
