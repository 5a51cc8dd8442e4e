package main

import (
	"strings"
	"testing"
)

func TestContestsOfNats(t *testing.T) {
	t.Parallel()
	for _, work := range natsWorks() {
		for _, clients := range work.clients {
			c := work.contest(clients, 10)
			var names []string
			for _, p := range c.entrants() {
				names = append(names, p.program)
			}
			want := "k6|Go, nats.go|Go, quiet|nats bench"
			if work.batch == 1 {
				want = "k6|Go, nats.go|Go, quiet|floor, Go|floor, C|nats bench"
			}
			if got := strings.Join(names, "|"); got != want {
				t.Errorf("%s: %s, want %s", work.name, got, want)
			}
		}
	}
}

func TestFiguresOfNatsBench(t *testing.T) {
	t.Parallel()
	together := " NATS JetStream KV getter aggregated stats: 8,615 msgs/sec ~ 1.1 MiB/sec\n message rates min 1,127 | avg 1,314 | max 1,786\n" +
		" latencies per operation min 48.82us | avg 776.64us | max 18,041.21us | stddev 1,748.60us | P50 413.04us | P90 1,191.24us | P99 7,382.44us | P99.9: 18,041.21us\n"
	alone := "NATS JetStream KV putter stats: 6,133 msgs/sec ~ 599 KiB/sec ~ min: 40.87us ~ avg: 161.70us ~ max: 8,656.46us ~ P50: 138.56us ~ P90: 203.14us ~ P99: 509.35us ~ P99.9: 8,656.46us\n"
	for _, c := range []struct {
		text    string
		clients int
		want    figures
	}{
		{together, 8, figures{OpsPerSecond: 8615, P50Ms: .41304, P99Ms: 7.38244}},
		{together, 10, figures{OpsPerSecond: 8615}}, // of ten clients seven were at work at once
		{alone, 1, figures{OpsPerSecond: 6133, P50Ms: .13856, P99Ms: .50935}},
	} {
		if f, err := parseNatsBench([]byte(c.text), c.clients); err != nil || f != c.want {
			t.Errorf("%+v, error %v, want %+v", f, err, c.want)
		}
	}
	if _, err := parseNatsBench([]byte("nats: error: no servers available\n"), 1); err == nil {
		t.Error("no figures are no error")
	}
}
