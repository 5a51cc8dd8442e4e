package e2e

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

type tab struct {
	ctx context.Context // chromedp keeps the browser in it

	mu       sync.Mutex
	messages []string // console messages and exceptions
	requests []string // URLs, except data URLs
}

func browser(t *testing.T) *tab {
	t.Helper()
	path, err := exec.Command(filepath.Join(root, "scripts/browser.sh")).Output()
	require.NoError(t, err, "scripts/browser.sh says why")

	// Without a named folder, its profile is new.
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(strings.TrimSpace(string(path))), chromedp.Headless, chromedp.NoFirstRun, chromedp.DisableGPU,
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // root cannot start the sandbox
	}
	for _, flag := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
	} {
		flags = append(flags, chromedp.Flag(flag, true))
	}
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, flags...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	b := &tab{ctx: ctx}
	chromedp.ListenTarget(ctx, b.heard)
	require.NoError(t, chromedp.Run(ctx, network.Enable()))

	return b
}

func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, string(e.Type))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		b.messages = append(b.messages, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			b.requests = append(b.requests, e.Request.URL)
		}
	}
}

func (b *tab) open(t *testing.T, file string) string {
	t.Helper()
	b.mu.Lock()
	b.messages, b.requests = nil, nil
	b.mu.Unlock()
	url := "file://" + file
	require.NoError(t, chromedp.Run(b.ctx, chromedp.Navigate(url)))

	return url
}

func (b *tab) logged() (messages, requests []string) {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.messages, b.requests
}

type view struct {
	width  int64
	mobile bool
	dark   bool
	print  bool
}

func (b *tab) show(t *testing.T, s view) {
	t.Helper()
	media, scheme := "screen", "light"
	if s.print {
		media = "print"
	}
	if s.dark {
		scheme = "dark"
	}
	require.NoError(t, chromedp.Run(b.ctx,
		emulation.SetDeviceMetricsOverride(s.width, 800, 1, s.mobile),
		emulation.SetEmulatedMedia().WithMedia(media).
			WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
	))
}

type appearance struct {
	Background string   // colour of the page, "r,g,b"
	Light      float64  // luminance of the page: 0 is black, 1 is white
	Contrast   float64  // the lowest contrast of all texts
	Palest     string   // the text with this contrast
	Width      float64  // width of the document, in CSS pixels
	Hidden     []string // important elements that are not visible
	Cut        []string // elements wider than their scroll box
	// Overlapping lists overlapping texts of a picture.
	Overlapping []string
	Beyond      []string // table headings beyond the page's edge
	Figures     int      // number of pictures
}

//go:embed testdata/appearance.js
var appearanceScript string

func (b *tab) appearance(t *testing.T, s view) appearance {
	t.Helper()
	b.show(t, s)
	var l appearance
	require.NoError(t, chromedp.Run(b.ctx, chromedp.Evaluate(appearanceScript, &l)))

	return l
}

type row struct {
	Clients, Repeat, Op, Rate string
	Cells                     map[string]string // values as JSON, by key, such as latencyMs.p99
}

func (b *tab) rows(t *testing.T) []row {
	t.Helper()
	var rows []row
	require.NoError(t, chromedp.Run(b.ctx, chromedp.Evaluate(`
		[...document.querySelectorAll('tr[data-clients][data-op]')].map((tr) => ({
		  ...tr.dataset,
		  cells: Object.fromEntries([...tr.querySelectorAll('[data-key][data-value]')].map((td) => [td.dataset.key, td.dataset.value])),
		}))`, &rows)))

	return rows
}
