package main

import (
	"strings"
	"testing"
)

func goodReads() *reads {
	return &reads{
		connections: 8, ghz: figures{OpsPerSecond: 20_000, CPUMicros: 50, P99Ms: 1}, module: figures{OpsPerSecond: 30_000, CPUMicros: 60, P99Ms: .5},
		shared: figures{CPUMicros: 40}, plain: figures{CPUMicros: 150}, discarding: figures{CPUMicros: 100}, async: figures{CPUMicros: 200},
	}
}

func TestBoundOfReadBulk(t *testing.T) {
	if b := (&readBulk{reads: []*reads{goodReads(), goodReads()}}); !b.holds() {
		t.Errorf("the good one does not hold: %s", b)
	}
	for name, spoil := range map[string]func(*reads){
		"dearer than the bound": func(r *reads) { r.module.CPUMicros = 60.1 },
		"nothing measured":      func(r *reads) { r.module = figures{} },
	} {
		bad := goodReads()
		spoil(bad)
		if b := (&readBulk{reads: []*reads{goodReads(), bad}}); b.holds() {
			t.Errorf("too bad and holds: %s", name)
		}
	}
	if (&readBulk{}).holds() {
		t.Error("nothing holds")
	}
}

func TestTableOfReadBulk(t *testing.T) {
	text := (&readBulk{rounds: 3, calls: 64_000, reads: []*reads{goodReads()}}).String()
	for _, want := range []string{
		"ReadBulk of 6 tags: 3 rounds, 64000 calls a cell",
		"|           8 | ghz                                      |   20000 |  1.000 |   50.00 | 1.00 |",
		"|           8 | k6/x/mxgateway                           |   30000 |  0.500 |   60.00 | 1.20 (<= 1.20) |",
		"| k6/net/grpc, asyncInvoke                 |       0 |  0.000 |  200.00 | 4.00 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestSummaryOfGhz(t *testing.T) {
	const summary = `
Summary:
  Count:	2000
  Total:	67.59 ms
  Requests/sec:	29586.90

Latency distribution:
  95 % in 2.45 ms 
  99 % in 840.50 µs 

Status code distribution:
  [OK]            1998 responses   
  [Unavailable]   2 responses   
`
	f, err := parseGhz(summary, 2000)
	if want := (figures{OpsPerSecond: 29586.9, P99Ms: .8405, Failed: 2}); err != nil || f != want {
		t.Errorf("%+v, error %v, want %+v", f, err, want)
	}
	for _, bad := range []string{"", "Requests/sec: 5", "Requests/sec: 5\n99 % in 1 ms"} {
		if _, err := parseGhz(bad, 1); err == nil {
			t.Errorf("%q: no error", bad)
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
