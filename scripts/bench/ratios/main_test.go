package main

import "testing"

func TestUnknownPart(t *testing.T) {
	err := bench(1, 1, 1, "bogus", "", nil)
	if want := `-only is "bogus": it must be some of native, drivers, crowd, core, recording, gates, caches, fair, nats, readbulk, streaming`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}
