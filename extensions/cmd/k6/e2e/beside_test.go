package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func TestEightRunsSideBySide(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{
		"CLIENTS": "[1, 2, 3, 4, 5, 6, 7]", "ITERATIONS": "300", defaultEnvMachbase: "",
	}})
	raw, err := os.ReadFile(filepath.Join(r.results, "run.json"))
	require.NoError(t, err)
	args := []string{"report", "--format", "html", "-o", filepath.Join(r.results, "beside.html")}
	for i := range 8 {
		var one map[string]any
		require.NoError(t, json.Unmarshal(raw, &one))
		one["params"].(map[string]any)["build"] = i
		changed, err := json.Marshal(one)
		require.NoError(t, err)
		file := filepath.Join(r.results, fmt.Sprintf("build-%d.json", i))
		require.NoError(t, os.WriteFile(file, changed, 0o600))
		args = append(args, file)
	}
	code, _, stderr := sweep(t, args...)
	require.Zero(t, code, stderr)

	b := browser(t)
	url := b.open(t, filepath.Join(r.results, "beside.html"))
	require.Empty(t, pageFaults(t, b))
	messages, requests := b.logged()
	require.Empty(t, messages)
	require.Equal(t, []string{url}, requests, "the page needs nothing but itself")
	var curves int
	require.NoError(t, chromedp.Run(b.ctx, chromedp.Evaluate(`document.querySelectorAll('#beside-curves-ops_per_second path.line').length`, &curves)))
	require.Equal(t, 8, curves)

	// One of a few, because other tests use the same processors.
	const most = 2000.0
	fastest := 0.0
	for range 5 {
		var paint float64
		b.open(t, filepath.Join(r.results, "beside.html"))
		require.NoError(t, chromedp.Run(b.ctx, chromedp.Evaluate(`new Promise((done) => new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) if (entry.name === 'first-contentful-paint') done(entry.startTime);
		}).observe({ type: 'paint', buffered: true }))`, &paint, awaited)))
		require.Positive(t, paint)
		if fastest == 0 || paint < fastest {
			fastest = paint
		}
		if fastest < most {
			break
		}
	}
	require.Less(t, fastest, most, "milliseconds to the first paint")
	t.Logf("first paint after %.0f ms", fastest)
}
