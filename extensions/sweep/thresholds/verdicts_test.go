package thresholds

import (
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestVerdictsOfK6sThresholds(t *testing.T) {
	runtime := sobek.New()
	data := runtime.ToValue(map[string]any{"metrics": map[string]any{
		"sweep_failed": map[string]any{
			"values": map[string]any{"rate": 0.5}, "thresholds": map[string]any{"rate==0": map[string]any{"ok": false}},
		},
		"sweep_p99{scenario:look,clients:8}": map[string]any{"thresholds": map[string]any{"value<5": map[string]any{"ok": true}}},
		"sweep_gate{gate:p99 of x}":          map[string]any{"thresholds": map[string]any{"value==1": map[string]any{"ok": false}}},
		"iterations":                         map[string]any{"values": map[string]any{"count": 3}},
	}})
	require.Equal(t, []report.Verdict{
		{Gate: "sweep_failed rate==0", Detail: "rate 0.5", Outcome: judgement.Crossed},
		{Gate: "sweep_p99{scenario:look,clients:8} value<5", Held: true, Outcome: judgement.Held, Scenario: "look"},
	}, (&Judge{}).VerdictsOf(data))
	require.Empty(t, (&Judge{}).VerdictsOf(runtime.ToValue("what a script may give")))
}

func TestThresholdsJudgedOnNothingAreInTheReport(t *testing.T) {
	judge := &Judge{}
	judge.note(thresholdName("sweep_p99{op:own}", "value<10"), "no sample was sent")
	judge.note(thresholdName("sweep_gate{gate:g}", "value==1"), "no sample was sent")
	data, err := sobek.New().RunString(`({ metrics: {
		'sweep_p99{op:own}': { values: { value: 0 }, thresholds: { 'value<10': { ok: true }, 'value<20': { ok: true } } },
		'sweep_gate{gate:g}': { values: { value: 0 }, thresholds: { 'value==1': { ok: false } } },
		'sweep_gate{gate:h}': { values: { value: 0 }, thresholds: { 'value==1': { ok: false } } },
	} })`)
	require.NoError(t, err)
	verdicts := judge.VerdictsOf(data)
	require.Len(t, verdicts, 3, "a gate that was judged has a verdict of its own")
	require.Equal(t, "sweep_gate{gate:g} value==1", verdicts[0].Gate)
	for i, held := range []bool{false, false, true} {
		require.Equal(t, held, verdicts[i].Held)
	}
	require.Equal(t, "cannot hold: no sample was sent", verdicts[1].Detail)
}
