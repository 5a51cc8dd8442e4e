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
	got, err := parse("-addr", "host:1", "-client", "gomemcache", "-clients", "8", "-ops", "20", "-get", "multi", "-batch", "5",
		"-warmup", "2s", "-json")
	want := settings{address: "host:1", client: "gomemcache", Settings: crew.Settings{Clients: 8, Ops: 20, Warmup: 2e9, JSON: true}, get: multi, batch: 5}
	if err != nil || got != want {
		t.Errorf("settings are %+v, error %v, want %+v", got, err, want)
	}
}

func TestMetaProtocol(t *testing.T) {
	if got, err := parse("-addr", "host:1", "-meta"); err != nil || !got.meta {
		t.Errorf("settings are %+v, error %v", got, err)
	}
}

func TestServerFromTheEnvironment(t *testing.T) {
	got, err := parseFlags(nil, func(name string) string { return map[string]string{"MEMCACHED_URL": "host:2"}[name] })
	want := settings{address: "host:2", client: "wire", Settings: crew.Settings{Clients: 1, Ops: 1000}, get: one, batch: 50}
	if err != nil || got != want {
		t.Errorf("settings are %+v, error %v, want %+v", got, err, want)
	}
}

func TestFlagsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		"no server":                    {"-clients", "1"},
		"-clients is 0":                {"-addr", "a:1", "-clients", "0"},
		"-ops is -1":                   {"-addr", "a:1", "-ops", "-1"},
		"-batch is 0":                  {"-addr", "a:1", "-batch", "0"},
		"want 1 to 10000":              {"-addr", "a:1", "-batch", "10001"},
		"-warmup is -1s":               {"-addr", "a:1", "-warmup", "-1s"},
		`-client is "redis"`:           {"-addr", "a:1", "-client", "redis"},
		`-get is "many"`:               {"-addr", "a:1", "-get", "many"},
		"gomemcache does not have":     {"-addr", "a:1", "-get", "pipeline", "-client", "gomemcache"},
		"-meta is for the client wire": {"-addr", "a:1", "-meta", "-client", "gomemcache"},
		`unexpected argument "now"`:    {"-addr", "a:1", "now"},
	} {
		if _, err := parse(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error is %v, want %q", args, err, says)
		}
	}
}
