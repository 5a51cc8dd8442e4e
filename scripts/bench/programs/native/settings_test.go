package main

import (
	"strings"
	"testing"
)

const server = "machbase://sys:manager@127.0.0.1:5656"

func parse(args ...string) (settings, error) {
	return parseFlags(args, func(string) string { return "" })
}

func TestFlags(t *testing.T) {
	s, err := parse("-url", server, "-clients", "8", "-ops", "20", "-query", "tick", "-reuse", "-warmup", "2s", "-json")
	if err != nil {
		t.Fatal(err)
	}
	if s.host != "127.0.0.1" || s.port != 5656 || s.user != "sys" || s.password != "manager" {
		t.Errorf("server is %+v", s)
	}
	if s.Clients != 8 || s.Ops != 20 || s.code != "WISH" || !s.reuse || !s.JSON || s.Warmup.Seconds() != 2 {
		t.Errorf("settings are %+v", s)
	}
	if s.driver != "native" || s.append || !strings.Contains(s.query.sql, "stock_tick") {
		t.Errorf("settings are %+v", s)
	}
	s, err = parse("-url", server, "-driver", "machgo", "-query", "append", "-turns")
	if err != nil || s.driver != "machgo" || !s.append || !s.turns {
		t.Errorf("settings are %+v, error %v", s, err)
	}
}

func TestServerFromTheEnvironment(t *testing.T) {
	s, err := parseFlags(nil, func(name string) string {
		return map[string]string{"MACHBASE_URL": server}[name]
	})
	if err != nil || s.port != 5656 || !strings.Contains(s.query.sql, "stock_rollup_1m") {
		t.Errorf("settings are %+v, error %v", s, err)
	}
}

func TestFlagsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		"no server":                   {},
		"-clients is 0":               {"-url", server, "-clients", "0"},
		"-ops is -1":                  {"-url", server, "-ops", "-1"},
		"-warmup is -1s":              {"-url", server, "-warmup", "-1s"},
		"-code is empty":              {"-url", server, "-code", ""},
		`-query is "roll"`:            {"-url", server, "-query", "roll"},
		`-driver is "machcli"`:        {"-url", server, "-driver", "machcli"},
		"unexpected argument \"now\"": {"-url", server, "now"},
		"want machbase://":            {"-url", "machbase://sys:secret@host"},
		"not a URL":                   {"-url", "machbase://sys:secret@host:port"},
		"machgo cannot send":          {"-url", "machbase://sys:secret%3B@host:1"},
	} {
		_, err := parse(args...)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error is %v, want %q", args, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the password: %v", args, err)
		}
	}
}
