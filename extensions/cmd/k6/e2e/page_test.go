package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	screenWidth   = 1200 // CSS pixels
	phoneWidth    = 360
	paperWidth    = 718 // A4 with margins of 1 cm
	leastContrast = 4.5
)

func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t)
	for name, env := range map[string]map[string]string{
		"a sweep":                {"CLIENTS": "[1, 2, 8]", "ITERATIONS": "300"},
		"every operation failed": {"CLIENTS": "[1, 2]", "WORK": "throws"},
		"a step was cut":         {"WORK": "slow", "ITERATIONS": "100", "MAX_DURATION": "2s"},
	} {
		t.Run(name, func(t *testing.T) {
			env[defaultEnvMachbase] = ""
			requireSoundPage(t, b, k6(t, options{script: "testdata/run.js", env: env}), "run")
		})
	}
}

func requireSoundPage(t *testing.T, b *tab, r *run, scenario string) {
	t.Helper()
	url := b.open(t, filepath.Join(r.results, scenario+".html"))
	requireSameNumbers(t, r, scenario, b.rows(t))
	require.Empty(t, pageFaults(t, b))
	messages, requests := b.logged()
	require.Empty(t, messages)
	require.Equal(t, []string{url}, requests, "the page needs nothing but itself")
}

func TestPageFaultsAreFound(t *testing.T) {
	t.Parallel()
	const sound = `<!doctype html><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
		<style>:root { color-scheme: light dark } @media print { :root { color-scheme: light } }
		body { background: light-dark(white, #111); color: light-dark(black, white) } %s</style>
		<h1>report</h1><svg width="9" height="9"></svg><div style="overflow: auto; width: 300px"><table><tr><td>1</table></div>%s`
	b := browser(t)
	show := func(t *testing.T, style, body string) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "page.html")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, sound, style, body), 0o600))

		return b.open(t, file)
	}

	url := show(t, "", "")
	require.Empty(t, pageFaults(t, b))
	messages, requests := b.logged()
	require.Empty(t, messages)
	require.Equal(t, []string{url}, requests)

	for want, c := range map[string]struct{ style, body string }{
		"phone: the document is 500 pixels wide":          {"", `<div style="width: 492px">wide</div>`},
		"light: contrast 2.32: p pale rgb(170, 170, 170)": {"", `<p style="color: #aaa">pale</p>`},
		"dark: contrast 1.11: p black rgb(0, 0, 0)":       {"", `<p style="color: black">black</p>`},
		"dark: the page is as light as 255,255,255":       {"body { background: white; color: black }", ""},
		"light: the page is as dark as 0,0,0":             {"body { background: black; color: white }", ""},
		"dark paper: the page is as dark as 17,17,17":     {":root { color-scheme: light dark !important }", ""},
		"paper: hidden: h1 report":                        {"@media print { h1 { display: none } }", ""},
		"light: hidden: svg":                              {"svg { width: 0 }", ""},
		"paper: cut off: div 1":                           {"td { min-width: 400px }", ""},
		"light: written over each other: t: text one and text two": {
			"", `<svg width="90" height="20"><title>t</title><text x="1" y="15">one</text><text x="9" y="15">two</text></svg>`,
		},
		"phone: beyond the edge: caption It is a long heading": {
			"", `<div style="overflow: auto"><table style="min-width: 900px"><caption style="white-space: nowrap; text-align: right">It is a long heading</caption></table></div>`,
		},
		"light: there is no picture": {"", `<script>document.querySelector('svg').remove()</script>`},
	} {
		show(t, c.style, c.body)
		require.Contains(t, pageFaults(t, b), want)
	}

	show(t, "", `<script>console.log('hello')</script><script>throw new Error('thrown')</script><img src="https://localhost:1/picture.png">`)
	messages, requests = b.logged()
	require.Contains(t, messages, "log")
	require.Contains(t, strings.Join(messages, "\n"), "thrown")
	require.Contains(t, requests, "https://localhost:1/picture.png")
}

func pageFaults(t *testing.T, b *tab) []string {
	t.Helper()
	var faults []string
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	looks := map[string]appearance{}
	for name, s := range map[string]view{
		"light":      {width: screenWidth},
		"dark":       {width: screenWidth, dark: true},
		"phone":      {width: phoneWidth, mobile: true},
		"dark phone": {width: phoneWidth, mobile: true, dark: true},
		"paper":      {width: paperWidth, print: true},
		"dark paper": {width: paperWidth, print: true, dark: true},
	} {
		l := b.appearance(t, s)
		looks[name] = l
		wrong(l.Figures == 0, "%s: there is no picture", name)
		wrong(len(l.Hidden) > 0, "%s: hidden: %s", name, strings.Join(l.Hidden, "; "))
		wrong(l.Width > float64(s.width), "%s: the document is %v pixels wide", name, l.Width)
		wrong(l.Contrast < leastContrast, "%s: contrast %.2f: %s", name, l.Contrast, l.Palest)
		wrong(len(l.Overlapping) > 0, "%s: written over each other: %s", name, strings.Join(l.Overlapping, "; "))
		wrong(!s.print && len(l.Beyond) > 0, "%s: beyond the edge: %s", name, strings.Join(l.Beyond, "; "))
		wrong(s.print && len(l.Cut) > 0, "%s: cut off: %s", name, strings.Join(l.Cut, "; "))
	}
	wrong(looks["dark"].Light >= 0.2, "dark: the page is as light as %s", looks["dark"].Background)
	wrong(looks["light"].Light <= 0.8, "light: the page is as dark as %s", looks["light"].Background)
	wrong(looks["dark paper"].Light <= 0.8, "dark paper: the page is as dark as %s", looks["dark paper"].Background)

	return faults
}

var publishedKeys = []string{
	"opsPerSecond", "client.min", "client.max", "client.avg", "latencyMs.p50", "latencyMs.p99", "failed",
}

func requireSameNumbers(t *testing.T, r *run, scenario string, rows []row) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err)
	var rep map[string]any
	require.NoError(t, json.Unmarshal(raw, &rep))

	shown := map[string]map[string]string{} // cells of all tables, by step
	for _, row := range rows {
		if row.Op == "(total)" {
			continue // derived, and not in the JSON
		}
		key := fmt.Sprintf("%s, %s clients, %s/s, repeat %s", row.Op, row.Clients, row.Rate, row.Repeat)
		if shown[key] == nil {
			shown[key] = map[string]string{}
		}
		maps.Copy(shown[key], row.Cells)
	}
	steps, _ := rep["steps"].([]any)
	require.Len(t, shown, len(steps))
	for _, each := range steps {
		step, _ := each.(map[string]any)
		rate, _ := step["rate"].(float64)
		key := fmt.Sprintf("%v, %v clients, %v/s, repeat %v", step["op"], step["clients"], rate, step["repeat"])
		require.Contains(t, shown, key)
		require.Subset(t, slices.Collect(maps.Keys(shown[key])), publishedKeys, key)
		for path, value := range shown[key] {
			want := valueAt(step, path)
			if strings.HasPrefix(path, "target.") {
				want = valueAt(rep, path)
			}
			requireSameValue(t, want, value, key+": "+path)
		}
	}
}

func requireSameValue(t *testing.T, want any, shown, name string) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		require.Contains(t, []string{"", "null", "0"}, shown, name)

		return
	case string:
		require.Equal(t, want, shown, name)

		return
	}
	var value any
	require.NoError(t, json.Unmarshal([]byte(shown), &value), name)
	require.Equal(t, want, value, name)
}

// valueAt returns the value at a path such as latencyMs.p99, or nil.
func valueAt(object map[string]any, path string) any {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		return object[key]
	}
	inner, _ := object[key].(map[string]any)

	return valueAt(inner, rest)
}
