package influx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

type running struct {
	*Output

	t    *testing.T
	logs *logtest.Hook
	n    int
}

func start(t *testing.T, argument string, transport http.RoundTripper) *running {
	t.Helper()
	logger, logs := logtest.NewNullLogger()
	made, err := New(output.Params{ConfigArgument: argument, Logger: logger})
	require.NoError(t, err)
	o := made.(*Output)
	if transport != nil {
		o.writer.client.Transport = transport
	}
	require.NoError(t, o.Start())

	return &running{Output: o, t: t, logs: logs}
}

var oneMillisecond = distribution(time.Millisecond)

func (r *running) send(n int) {
	for range n {
		r.n++
		r.AddMetricSamples([]metrics.SampleContainer{
			metrics.Samples{}, &stream.Figures{Step: step(), At: noon.Add(time.Duration(r.n) * time.Second), Seconds: []stream.Second{{
				Phase: stream.Measure, Elapsed: time.Second, Op: "get", Ops: uint64(r.n), Durations: oneMillisecond,
			}}},
		})
	}
}

func (r *running) end() (summary string, level logrus.Level) {
	r.t.Helper()
	require.NoError(r.t, r.Stop())
	for _, entry := range r.logs.AllEntries() {
		line, err := entry.String()
		require.NoError(r.t, err)
		require.NotContains(r.t, line, sesame)
		require.NotContains(r.t, entry.Message, "\n")
	}
	require.NotContains(r.t, r.Description(), sesame)
	last := r.logs.LastEntry()

	return last.Message, last.Level
}

func (r *running) said() (messages []string) {
	for _, entry := range r.logs.AllEntries() {
		if !strings.Contains(entry.Message, " points written") {
			messages = append(messages, entry.Message)
		}
	}

	return messages
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type request struct {
	*http.Request

	at    time.Duration
	lines []string
}

type fake struct {
	answer func(request) (*http.Response, error)

	mu       sync.Mutex
	began    time.Time
	requests []request
}

func newFake(answer func(request) (*http.Response, error)) *fake {
	return &fake{answer: answer, began: time.Now()}
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/query" {
		return reply(http.StatusOK, "{}")
	}
	lines, err := read(r)
	if err != nil {
		return nil, err
	}
	got := request{Request: r, at: time.Since(f.began), lines: lines}
	f.mu.Lock()
	f.requests = append(f.requests, got)
	f.mu.Unlock()
	if f.answer == nil {
		return reply(http.StatusNoContent, "")
	}

	return f.answer(got)
}

func (f *fake) got() []request {
	f.mu.Lock()
	defer f.mu.Unlock()

	return append([]request(nil), f.requests...)
}

func read(r *http.Request) ([]string, error) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "gzip" {
		return nil, fmt.Errorf("%s with Content-Encoding %q", r.Method, r.Header.Get("Content-Encoding"))
	}
	zip, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(raw, []byte("\n")) {
		return nil, errors.New("the last line has no end")
	}

	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n"), nil
}

func reply(status int, body string, headers ...string) (*http.Response, error) {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}

	return r, nil
}

func numbers(t *testing.T, lines ...string) (all []int) {
	t.Helper()
	for _, line := range lines {
		var n int
		_, fields, found := strings.Cut(line, " ops=")
		require.True(t, found, line)
		_, err := fmt.Sscanf(fields, "%di", &n)
		require.NoError(t, err)
		all = append(all, n)
	}

	return all
}

func upTo(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}

	return all
}
