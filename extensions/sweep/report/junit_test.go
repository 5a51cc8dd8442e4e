package report

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func junitOf(t *testing.T, r *Report) junitSuites {
	t.Helper()
	out, err := r.JUnit()
	require.NoError(t, err)
	require.True(t, utf8.Valid(out))
	require.True(t, strings.HasPrefix(string(out), "<?xml"))
	var suites junitSuites
	require.NoError(t, xml.Unmarshal(out, &suites))
	require.Equal(t, suites.Suite.Tests, suites.Tests)
	require.Len(t, suites.Suite.Cases, suites.Tests)

	return suites
}

func TestJUnitOfARunThatIsWell(t *testing.T) {
	suites := junitOf(t, madeUp(nil))
	require.Equal(t, []int{3, 0, 0}, []int{suites.Tests, suites.Failures, suites.Errors})
	require.Equal(t, "203.667", suites.Time, "seconds of all steps")
	suite := suites.Suite
	require.Equal(t, "stock-rollup", suite.Name)
	require.Equal(t, "2026-03-01T12:30:00Z", suite.Timestamp)
	require.Equal(t, junitCase{
		Class: "stock-rollup", Name: `stock-rollup, 8 clients, repeat 1`, Time: "12.667",
	}, suite.Cases[1])
	require.Equal(t, []junitProperty{
		{"host.cpu", "Imaginary 9000"}, {"host.cores", "8"}, {"host.memBytes", "68719476736"}, {"host.os", "linux/amd64"},
		{"k6", "v2.2.0"}, {"target.driver", "cmi"}, {"target.kind", "machbase"}, {"target.url", "machbase://sys@db:5656"},
		{"target.version", "8.5.2"},
	}, suite.Properties)
}

func TestJUnitOfFailures(t *testing.T) {
	failed := junitOf(t, reports()["failed"])
	require.Equal(t, []int{3, 1, 0}, []int{failed.Tests, failed.Failures, failed.Errors})
	require.Equal(t, &junitProblem{
		Message: "1234 of 81234 operations failed", Type: "failed",
		Text: "1234 of 81234 operations failed\n1200 x connection refused\n34 x timeout after 5s",
	}, failed.Suite.Cases[1].Failure)

	incomplete := junitOf(t, reports()["incomplete"])
	require.Equal(t, 1, incomplete.Failures)
	require.Equal(t, "incomplete", incomplete.Suite.Cases[2].Failure.Type)
	require.Equal(t, "not every client did its whole share", incomplete.Suite.Cases[2].Failure.Message)

	both := junitOf(t, reports()["operations"])
	require.Equal(t, "incomplete,failed", both.Suite.Cases[6].Failure.Type)
	require.Equal(t, "not every client did its whole share; 2 of 80002 operations failed", both.Suite.Cases[6].Failure.Message)
	require.Equal(t, "35.667", both.Time, "three steps, not seven kinds of operations")
}

func TestJUnitOfAnInterruptedRun(t *testing.T) {
	suites := junitOf(t, reports()["interrupted"])
	require.Equal(t, []int{3, 1, 1}, []int{suites.Tests, suites.Failures, suites.Errors})
	last := suites.Suite.Cases[2]
	require.Equal(t, "run", last.Name)
	require.Equal(t, "the run was interrupted", last.Error.Message)
	require.Contains(t, last.Error.Text, "the last step shown")
}

func TestJUnitOfNothing(t *testing.T) {
	empty := junitOf(t, reports()["empty"])
	require.Equal(t, []int{1, 0, 1}, []int{empty.Tests, empty.Failures, empty.Errors})
	require.Equal(t, "the run has no steps", empty.Suite.Cases[0].Error.Message)

	none := junitOf(t, madeUp(func(r *Report) { r.Steps[1] = step(8, 1, "get", func(s *Step) { s.Operations = 0 }) }))
	require.Equal(t, []int{3, 1, 0}, []int{none.Tests, none.Failures, none.Errors})
	require.Equal(t, "no operation succeeded", none.Suite.Cases[1].Failure.Message)
}

func TestJUnitOfASearch(t *testing.T) {
	found := junitOf(t, reports()["search"]).Suite.Cases[3]
	require.Equal(t, "find the most clients with p99 <= 5ms", found.Name)
	require.Nil(t, found.Failure)

	nothing := junitOf(t, madeUp(func(r *Report) { r.Search = &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512} }))
	require.Equal(t, []int{4, 1, 0}, []int{nothing.Tests, nothing.Failures, nothing.Errors})
	require.Equal(t, found.Name, nothing.Suite.Cases[3].Name, "the same case in each run")
	require.Equal(t, "Not even 1 client keeps p99 <= 5ms.", nothing.Suite.Cases[3].Failure.Text)
}

func TestJUnitOfGates(t *testing.T) {
	suites := junitOf(t, reports()["search"])
	require.Equal(t, []int{7, 1, 0}, []int{suites.Tests, suites.Failures, suites.Errors})
	gates := suites.Suite.Cases[4:]
	require.Nil(t, gates[0].Failure)
	require.Equal(t, "p99 of stock-rollup with 8 clients <= 50ms", gates[0].Name)
	require.Equal(t, "stock-rollup.gates", gates[1].Class)
	require.Equal(t, "28,339/s", gates[1].Failure.Message)
	require.Nil(t, gates[2].Failure)
}

// Characters that XML does not have become U+FFFD.
func TestJUnitOfCharactersThatXMLDoesNotHave(t *testing.T) {
	bad := "a\x00\x01\x0b\x1f\ufffe\uffff\xff\xed\xa0\x80\ufffdb"
	good := "a" + strings.Repeat("\ufffd", 11) + "b"
	r := madeUp(func(r *Report) {
		r.Interrupted = true
		r.Scenario, r.Host.CPU = bad, bad
		r.Target[bad] = bad
		r.Steps[0].Op = bad
		r.Steps[0].Failed = 1
		r.Steps[0].Extra.Errors = map[string]uint64{bad: 1}
		r.Gates = []Verdict{{Gate: bad, Detail: bad, Outcome: "crossed"}}
	})
	suite := junitOf(t, r).Suite
	require.Equal(t, good, suite.Name)
	require.Equal(t, junitProperty{"host.cpu", good}, suite.Properties[0])
	require.Contains(t, suite.Properties, junitProperty{"target." + good, good})
	require.Contains(t, suite.Cases[0].Failure.Text, "1 x "+good)
	require.Equal(t, good, suite.Cases[3].Name)
	require.Equal(t, good, suite.Cases[3].Failure.Message)
}

func TestNamesStayTwo(t *testing.T) {
	names := []string{
		"x y", "x\ny", "x\ry", "x\ty", "x\u00a0y", "x  y", " x y", "x y ", `x\ny`, "\x1b[31mx", "[31mx", "\u202ex", "\ufffd", "\x00", "👩\u200d👧",
	}
	shown := map[string]string{}
	for _, name := range names {
		one := NameOf(name)
		require.NotContains(t, shown, one, "%q and %q", name, shown[one])
		shown[one] = name
		require.Equal(t, one, oneLineOf(one), "formats of one line keep it")
	}
	require.Equal(t, "plain 😀 name", NameOf("plain 😀 name"))
	require.Equal(t, "👩\u200d👧", NameOf("👩\u200d👧"))
}
