package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderIsRandomAndBalanced(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(8) {
		dir := t.TempDir()
		log := filepath.Join(dir, "log")
		note := func(side string) program { return program{"sh", "-c", "echo " + side + " >> " + log} }
		trial := newTrial(note("base"), note("change"), dir, seed)
		for range 4 {
			require.NoError(t, trial.Pair(t.Context()))
		}
		raw, err := os.ReadFile(log)
		require.NoError(t, err)
		lines := strings.Fields(string(raw))
		require.Len(t, lines, 8)
		for pair := 0; pair < 8; pair += 4 {
			require.NotEqual(t, lines[pair], lines[pair+1], "a pair has both")
			require.NotEqual(t, lines[pair], lines[pair+2], "each is first once")
			require.Equal(t, lines[pair], lines[pair+3])
		}
		seen[lines[0]] = true
	}
	require.Len(t, seen, 2)
}

func TestFiguresOfAnyCommand(t *testing.T) {
	busy := func(rounds string) program {
		return program{"sh", "-c", "i=0; while [ $i -lt " + rounds + " ]; do i=$((i+1)); done; echo done"}
	}
	dir := t.TempDir()
	trial := newTrial(busy("20000"), busy("400000"), dir, 1)
	for range 4 {
		require.NoError(t, trial.Pair(t.Context()))
	}
	judgements, err := trial.Judge(nil, false)
	require.NoError(t, err)
	require.Len(t, judgements, 2)
	require.Equal(t, "time=+5%", judgements[0].Gate, "the usual one")
	require.Greater(t, judgements[0].Ratio, 1.0)

	// CPU time depends little on other load.
	judgements, err = trial.Judge([]abGate{{Figure: "cpu", Tolerance: 0.05}}, false)
	require.NoError(t, err)
	require.Empty(t, judgements[0].Outcome)
	require.Equal(t, "crossed", string(judgements[1].Outcome))
	require.Greater(t, judgements[1].Ratio, 2.0)
	printed, err := os.ReadFile(filepath.Join(dir, "pair-01-change", "stdout"))
	require.NoError(t, err)
	require.Equal(t, "done\n", string(printed))
}

func TestCommandsThatFail(t *testing.T) {
	good := program{"true"}
	for want, bad := range map[string]program{
		"exit code 3: too bad":           {"sh", "-c", "echo worse >&2; echo too bad >&2; exit 3"},
		"exit code 1":                    {"false"},
		"executable file not found in $": {"no-such-program"},
		"signal: killed":                 {"sh", "-c", "kill -9 $$"},
		"key":                            {"sh", "-c", "echo {} > $SWEEP_RESULTS/x.json"},
	} {
		err := newTrial(good, bad, t.TempDir(), 1).Pair(t.Context())
		require.ErrorContains(t, err, "pair 1, change ("+bad.String()+"): ")
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, newTrial(bad, good, t.TempDir(), 1).Pair(t.Context()), "pair 1, base (")
	}
}

func TestTrialThatIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newTrial(program{"true"}, program{"true"}, t.TempDir(), 1).Pair(ctx), context.Canceled)
}

func TestGatesThatNoFigureIsFor(t *testing.T) {
	trial := newTrial(program{"true"}, program{"true"}, t.TempDir(), 1)
	for range 4 {
		require.NoError(t, trial.Pair(t.Context()))
	}
	_, err := trial.Judge([]abGate{{Figure: "p99"}}, false)
	require.EqualError(t, err, `gate p99=+0%: no step has the figure "p99": it must be one of time, cpu`)
	_, err = trial.Judge([]abGate{{Figure: "time", falls: true}}, false)
	require.EqualError(t, err, `gate time=-0%: time gets worse when it rises`)
}
