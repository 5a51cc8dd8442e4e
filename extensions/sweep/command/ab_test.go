package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// ofSpeed returns a command that leaves a report with this speed. noise alternates between pairs,
// in opposite directions for base and change, instead of being random.
func ofSpeed(t *testing.T, speed, noise float64) []string {
	t.Helper()
	folder := t.TempDir()
	for name, sign := range map[string]float64{"up": 1, "down": -1} {
		raw, err := steady(t, speed*math.Exp(sign*noise)).JSON()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), raw, 0o600))
	}

	command := filepath.Join(folder, "command")
	require.NoError(t, os.WriteFile(command, []byte(`case $SWEEP_RESULTS in
	*[02468]-base | *[13579]-change) side=down ;;
	*[13579]-base | *[02468]-change) side=up ;;
	esac
	exec cp "${0%/*}/$side" "$SWEEP_RESULTS/cache.json"
	`), 0o600))

	return []string{"sh", command}
}

func (k *k6) ab(flags, base, change []string) (out, message string, code int) {
	k.t.Helper()
	args := append([]string{"ab", "--seed", "1"}, flags...)
	args = append(append(append(append(args, "--"), base...), between), change...)

	return k.run(args...)
}

func TestAB(t *testing.T) {
	k := newK6(t)
	const quiet, loud = 0.002, 0.3
	for _, tt := range []struct {
		speed, noise float64
		flags        []string
		message      string
		code         int
	}{
		{1, quiet, nil, "", 0},
		{0.9, quiet, nil, "2 of 2 gates crossed", 99},
		{0.9, quiet, []string{"--gate", "opsPerSecond=-20%"}, "", 0},
		{0.9, quiet, []string{"--gate", "p50=+5%"}, "2 of 2 gates crossed", 99},
		{1, loud, nil, "2 of 2 gates undecided", 110},
	} {
		_, message, code := k.ab(append([]string{"--pairs", "6"}, tt.flags...), ofSpeed(t, 1, quiet), ofSpeed(t, tt.speed, tt.noise))
		require.Equal(t, tt.message, message, tt)
		require.Equal(t, tt.code, code, tt)
	}
	require.Contains(t, k.errOut.String(), "pair 6 of 6\n")
}

func TestABGoesOnUntilItIsPrecise(t *testing.T) {
	k := newK6(t)
	out, message, code := k.ab([]string{"--until", "2%", "--gate", "opsPerSecond=-9%", "--json"}, ofSpeed(t, 1, 0.01), ofSpeed(t, 0.95, 0.01))
	require.Empty(t, message)
	require.Zero(t, code)
	var trial struct {
		Pairs   int
		Seed    uint64
		Figures []abJudgement
	}
	require.NoError(t, json.Unmarshal([]byte(out), &trial))
	require.Less(t, trial.Pairs, 60)
	require.Equal(t, uint64(1), trial.Seed)
	for _, j := range trial.Figures {
		if j.Key == "opsPerSecond" {
			require.InDelta(t, 0.95, j.Ratio, 0.02)
			require.LessOrEqual(t, j.Precision(), 0.02)
			require.Less(t, j.High, 1.0)
			require.Len(t, j.Pairs, trial.Pairs)
		}
	}
	require.Contains(t, k.errOut.String(), "of at most 100: ±")

	_, message, _ = k.ab([]string{"--until", "0.01%", "--pairs", "6"}, ofSpeed(t, 1, 0.3), ofSpeed(t, 1, 0.3))
	require.Contains(t, message, "undecided")
	require.Contains(t, k.errOut.String(), "pair 6 of at most 6: ±", "it is not precise any sooner")
}

func TestABText(t *testing.T) {
	k := newK6(t)
	out, _, _ := k.ab([]string{"--pairs", "4"}, ofSpeed(t, 1, 0), ofSpeed(t, 0.5, 0))
	require.Contains(t, out, "4 pairs, in random balanced order\nbase:   sh /")
	require.Regexp(t, `get, 8 clients +ops/s +\S+/s +\S+/s +0\.500x +0\.500 to 0\.500 +\S+ % +CROSSED opsPerSecond=-5%\n`, out)
	require.Regexp(t, `get, 1 client +p50 +\S+ +\S+ +2\.0\d\dx +`, out)
	require.Regexp(t, `get, 1 client +k6 CPU/op +\S+ µs +\S+ µs +1\.000x +`, out)
}

// The last line has the verdict of the exit code, which command is better, and by how much.
func TestABAnswers(t *testing.T) {
	const quiet, loud = 0.002, 0.3
	for _, tt := range []struct {
		speed, noise float64
		gates        []string
		code         int
		want         string
	}{
		{0.5, quiet, nil, 99, `crossed: change is worse than base: ops/s of get, (1 client|8 clients) is 50 % lower, 0\.500x \(0\.\d+ to 0\.\d+\)\nof 2 gated figures: 2 worse`},
		{0.5, quiet, []string{"p50=+5%"}, 99, `crossed: change is worse than base: p50 of get, .* is 2 times as high, 2\.\d+x \(1\.\d+ to 2\.\d+\)\nof 2 .*: 2 worse`},
		{1.2, quiet, nil, 0, `held: change is better than base: ops/s of get, .* is 20 % higher, 1\.200x \(1\.\d+ to 1\.\d+\)\nof 2 .*: 2 better`},
		{0.9, quiet, []string{"opsPerSecond=-20%"}, 0, `held: change is worse than base: ops/s of get, .* is 10 % lower, 0\.900x \(.*\), which opsPerSecond=-20% allows\nof 2 .*: 2 worse`},
		{1, quiet, nil, 0, `held: change is as good as base: ops/s of get, .* is the same within \S+ %, 1\.000x \(.*\)\nof 2 .*: 2 same`},
		{1, loud, nil, 110, `undecided: neither is certainly better: ops/s of get, .* is 1\.000x \(.*\) of base; with such noise, opsPerSecond=-5% takes some \d+ pairs\nof 2 .*: 2 cannot tell`},
		{0.01, loud, []string{"opsPerSecond=-98.95%", "p50=+1%"}, 99, `crossed: change is worse than base: p50 of get, .* times as high, .*\nof 4 gated figures: 4 worse`},
	} {
		k := newK6(t)
		flags := []string{"--pairs", "6"}
		for _, gate := range tt.gates {
			flags = append(flags, "--gate", gate)
		}
		out, message, code := k.ab(flags, ofSpeed(t, 1, quiet), ofSpeed(t, tt.speed, tt.noise))
		require.Equal(t, tt.code, code, message)
		require.Regexp(t, `\n\n`+tt.want+`\n$`, out)
	}
}

func TestABWithoutACommonStep(t *testing.T) {
	k := newK6(t)
	_, message, code := k.ab(nil, ofSpeed(t, 1, 0), []string{"true"})
	require.Equal(t, 104, code)
	require.Equal(t, `pair 1: the two commands have no figure in common: base measured "get, 1 client", "get, 8 clients", `+
		`and change "the time of the process"; give an operation the same name and clients in both, such as sweep.op('get', ...) and -e CLIENTS=8`, message)
}

func TestABWrongUse(t *testing.T) {
	k := newK6(t)
	for want, args := range map[string][]string{
		"two commands are needed: ab -- BASE... --- CHANGE... runs them in turns":            {"ab", "--", "true"},
		"3 pairs are too few: an interval takes at least 4":                                  {"ab", "--pairs", "3", "--", "true", "---", "true"},
		"a precision of \"1\" is impossible: it must be above 0% and below 100%, such as 1%": {"ab", "--until", "1", "--", "true", "---", "true"},
		"a gate of \"p99\" is impossible: it must be such as opsPerSecond=-5% or p99=+10%":   {"ab", "--gate", "p99", "--", "true", "---", "true"},
	} {
		_, message, code := k.run(args...)
		require.Contains(t, message, want+"\nhint: use: k6 x sweep ab ")
		require.Equal(t, 104, code)
	}
	_, message, code := k.run("ab", "--", "false", "---", "true")
	require.Equal(t, "pair 1, base (false): exit code 1", message)
	require.Equal(t, 104, code)
}
