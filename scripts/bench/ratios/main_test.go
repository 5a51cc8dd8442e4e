package main

import "testing"

func TestUnknownPart(t *testing.T) {
	err := bench(&order{rounds: 1, seconds: 1}, "bogus")
	if want := `-only is "bogus": it must be some of native, drivers, crowd, core, memory, recording, caches, pipelines, open, cores, calls, ` +
		`nats, postgres, readbulk, streaming`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if err := bench(&order{rounds: -1, seconds: 1}, "core"); err == nil {
		t.Error("rounds of less than none are no error")
	}
}
