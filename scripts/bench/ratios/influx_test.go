package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func goodStreaming() *streaming {
	of := func(clients int) *streamed {
		return &streamed{clients: clients, rounds: 5, with: figures{OpsPerSecond: 97_000}, without: figures{OpsPerSecond: 100_000}}
	}

	return &streaming{all: []*streamed{of(1), of(8), of(64)}}
}

func TestBoundsOfStreaming(t *testing.T) {
	good := goodStreaming()
	if !holds(good) {
		t.Errorf("the good one does not hold: %s", good)
	}
	for _, want := range []string{"|      64 |  5 |           97000 |        100000 | 0.97 (>= 0.97) |"} {
		if !strings.Contains(good.String(), want) {
			t.Errorf("%q is not in\n%s", want, good)
		}
	}
	for name, spoil := range map[string]func(*streaming){
		"too slow":     func(s *streaming) { s.all[1].with.OpsPerSecond = 96_999 },
		"nothing done": func(s *streaming) { s.all[2].with = figures{} },
	} {
		bad := goodStreaming()
		spoil(bad)
		if holds(bad) {
			t.Errorf("%s holds", name)
		}
	}
}

func TestCountOfPoints(t *testing.T) {
	for text, want := range map[string]int{
		`{"results":[{"statement_id":0,"series":[{"name":"sweep","columns":["time","count"],"values":[["1970-01-01T00:00:00Z",17]]}]}]}`: 17,
		`{"results":[{"statement_id":0}]}`:                                     0,
		`{"results":[{"error":"database not found: x"}]}`:                      -1,
		`{"error":"unable to parse authentication credentials"}`:               -1,
		`{"results":[{"series":[{"values":[["1970-01-01T00:00:00Z"]]}]}]}`:     -1,
		`{"results":[{"series":[{"values":[["1970-01-01T00:00:00Z","x"]]}]}]}`: -1,
	} {
		answer := &influxAnswer{}
		if err := json.Unmarshal([]byte(text), answer); err != nil {
			t.Fatal(err)
		}
		got, err := countOf(answer)
		if (err != nil) != (want < 0) || (err == nil && got != want) {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestStreamTargetWithoutAddress(t *testing.T) {
	for _, address := range []string{"", "host:1/db", "%"} {
		if _, err := newStreamTarget(address); err == nil || !strings.Contains(err.Error(), "INFLUXDB_URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
