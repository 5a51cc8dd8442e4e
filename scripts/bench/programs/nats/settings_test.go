package main

import (
	"strings"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func parse(args ...string) (settings, error) {
	return parseFlags(args, func(string) string { return "" })
}

func TestFlags(t *testing.T) {
	got, err := parse("-url", "nats://host:1", "-work", "publish", "-clients", "8", "-ops", "20", "-size", "7", "-batch", "5", "-warmup", "2s", "-json")
	want := settings{url: "nats://host:1", work: publish, Settings: crew.Settings{Clients: 8, Ops: 20, Warmup: 2e9, JSON: true}, size: 7, batch: 5}
	if err != nil || got != want {
		t.Errorf("settings are %+v, error %v, want %+v", got, err, want)
	}
}

func TestServerFromTheEnvironment(t *testing.T) {
	got, err := parseFlags(nil, func(name string) string { return map[string]string{"NATS_URL": "host:2"}[name] })
	want := settings{url: "host:2", work: put, Settings: crew.Settings{Clients: 1, Ops: 1000}, size: 100, batch: 10000}
	if err != nil || got != want {
		t.Errorf("settings are %+v, error %v, want %+v", got, err, want)
	}
}

func TestFlagsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		"no server":            {"-clients", "1"},
		"-clients is 0":        {"-url", "a", "-clients", "0"},
		"-ops is -1":           {"-url", "a", "-ops", "-1"},
		"-size is 0":           {"-url", "a", "-size", "0"},
		"want 1 to 1048576":    {"-url", "a", "-size", "1048577"},
		"-batch is 0":          {"-url", "a", "-batch", "0"},
		"-warmup is -1s":       {"-url", "a", "-warmup", "-1s"},
		`-work is "subscribe"`: {"-url", "a", "-work", "subscribe"},
		"unexpected argument":  {"-url", "a", "more"},
	} {
		if _, err := parse(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: error is %v, want %q", args, err, says)
		}
	}
}
