package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func TestAnnotationsAreOfOneLineEach(t *testing.T) {
	verdicts := []Verdict{
		{Gate: "p99 of a,b:c <= 5 %", Detail: "100 %\n::error::more", Outcome: stats.Crossed},
		{Gate: "held", Held: true, Outcome: stats.Held},
		{Gate: "passes", Held: true, Outcome: stats.Undecided, Needed: "10 runs"},
		{Gate: "old report", Outcome: "crossed"},
	}
	require.Equal(t, "::error file=a%2Cb.json,title=crossed%3A p99 of a%2Cb%3Ac <= 5 %25::100 %25%0A::error::more\n"+
		"::warning file=a%2Cb.json,title=undecided%3A passes::10 runs\n"+
		"::error file=a%2Cb.json,title=crossed%3A old report::\n", Annotations(verdicts, "a,b.json"))
}
