package main

import (
	"fmt"
	"strings"
	"testing"
)

func goodReads() *reads {
	return &reads{
		connections: 8, rounds: 3, ghz: figures{OpsPerSecond: 20_000, CPUMicros: 50, P99Ms: 1}, module: figures{OpsPerSecond: 30_000, CPUMicros: 60, P99Ms: .5},
		shared: figures{CPUMicros: 40}, plain: figures{CPUMicros: 150}, discarding: figures{CPUMicros: 100}, async: figures{CPUMicros: 200},
	}
}

func TestBoundOfReadBulk(t *testing.T) {
	if b := (&readBulk{reads: []*reads{goodReads(), goodReads()}}); !holds(b) {
		t.Errorf("the good one does not hold: %s", b)
	}
	for name, spoil := range map[string]func(*reads){
		"dearer than the bound": func(r *reads) { r.module.CPUMicros = 60.1 },
		"nothing measured":      func(r *reads) { r.module = figures{} },
	} {
		bad := goodReads()
		spoil(bad)
		if b := (&readBulk{reads: []*reads{goodReads(), bad}}); holds(b) {
			t.Errorf("too bad and holds: %s", name)
		}
	}
}

func TestTableOfReadBulk(t *testing.T) {
	text := (&readBulk{reads: []*reads{goodReads()}}).String()
	for _, want := range []string{
		"|           8 |  3 | ghz                                      |   20000 |  1.000 |   50.00 | 1.00 |",
		"|           8 |  3 | k6/x/mxgateway                           |   30000 |  0.500 |   60.00 | 1.20 (<= 1.20) |",
		"| k6/net/grpc, asyncInvoke                 |       0 |  0.000 |  200.00 | 4.00 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// callsOfGhz are as ghz prints them: 10 ms apart, the last one first, each as long as it is late.
func callsOfGhz(n, failed int) []byte {
	var b strings.Builder
	for i := n; i > 0; i-- {
		said := ""
		if i == failed {
			said = "rpc error: code = Unavailable"
		}
		fmt.Fprintf(&b, `,{"timestamp":"2026-11-22T10:00:%02d.%02dZ","latency":%d,"error":%q,"status":"OK"}`, i/100, i%100, i*1000000, said)
	}

	return []byte(`{"count":1,"rps":1,"details":[` + b.String()[1:] + `]}`)
}

func TestWarmUpOfGhzCountsNowhere(t *testing.T) {
	f, err := parseGhz(callsOfGhz(300, 0), 100, 200)
	if want := (figures{OpsPerSecond: 100, P99Ms: 298}); err != nil || f != want {
		t.Errorf("%+v, error %v, want %+v", f, err, want)
	}
	f, err = parseGhz(callsOfGhz(300, 50), 100, 200)
	if err != nil || f.Failed != 0 {
		t.Errorf("%+v, error %v: a failure of the warm-up counts", f, err)
	}
	f, err = parseGhz(callsOfGhz(300, 150), 100, 200)
	if err != nil || f.Failed != 1 || f.OpsPerSecond != 99.5 {
		t.Errorf("%+v, error %v, want one failure", f, err)
	}
	for _, bad := range [][]byte{nil, []byte("{}"), callsOfGhz(299, 0), callsOfGhz(301, 0)} {
		if _, err := parseGhz(bad, 100, 200); err == nil {
			t.Errorf("%.60q: no error", bad)
		}
	}
}

func TestRequestsOfSessions(t *testing.T) {
	got, err := requestsOf([]byte("a line\n" +
		`{"backend":"emulator (shape none)","tags":["A","B"],"sessions":[{"sessionId":"s1","serverHandle":7}]}` + "\n"))
	want := `[{"command":{"kind":"MX_COMMAND_KIND_READ_BULK","read_bulk":{"server_handle":7,"tag_addresses":["A","B"]}},"session_id":"s1"}]`
	if err != nil || got != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
	_, err = requestsOf([]byte(`{"backend":"emulator (shape published)"}`))
	if err == nil || !strings.Contains(err.Error(), "MXGW_FLAGS=-shape=none") {
		t.Errorf("a gateway that takes its time: error %v", err)
	}
	if _, err := requestsOf([]byte("nothing")); err == nil {
		t.Error("no error")
	}
}
