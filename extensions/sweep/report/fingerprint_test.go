package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFingerprintsThatDiffer(t *testing.T) {
	one := Fingerprint{Build: "a", Go: "go1.26.8", GoMaxProcs: 2, Kernel: "6.1", Caches: "L1 Data 48K"}
	run := func(change func(*Fingerprint)) *Report {
		f := one
		change(&f)

		return &Report{Fingerprint: &f}
	}
	same := run(func(*Fingerprint) {})
	require.Empty(t, Differences(same, run(func(f *Fingerprint) { f.Build = "b" })), "another build is what is compared")
	require.Equal(t, []string{"fingerprint.gomaxprocs differs: \"2\" and \"1\""}, Differences(same, run(func(f *Fingerprint) { f.GoMaxProcs = 1 })))
	require.ElementsMatch(t, []string{
		`fingerprint.cpuQuota differs: nothing and "1.5"`, `fingerprint.kernel differs: "6.1" and "6.2"`, `fingerprint.caches differs: "L1 Data 48K" and nothing`,
	}, Differences(same, run(func(f *Fingerprint) { f.CPUQuota, f.Kernel, f.Caches = 1.5, "6.2", "" })))
	require.ElementsMatch(t, []string{
		`fingerprint.gogc differs: nothing and "200"`, `fingerprint.gomemlimit differs: nothing and "1024"`,
		`fingerprint.eventLoops differs: nothing and "2"`,
	}, Differences(same, run(func(f *Fingerprint) { f.GoGC, f.GoMemLimit, f.EventLoops = "200", "1024", 2 })))
	require.Empty(t, Differences(&Report{}, &Report{}))
	require.Contains(t, Differences(&Report{}, same), `fingerprint.kernel differs: nothing and "6.1"`)
}

func TestFactsOfAFingerprint(t *testing.T) {
	f := Fingerprint{Go: "go1.26.8", GoMaxProcs: 2, CPUQuota: 0.5, MemoryLimit: 1 << 30}
	require.Equal(t, []Fact{
		fact("go", "go1.26.8"), fact("gomaxprocs", "2"), fact("cpuQuota", "0.5"), fact("memoryLimit", "1073741824"),
	}, f.Facts())
	require.Empty(t, (*Fingerprint)(nil).Facts())
}
