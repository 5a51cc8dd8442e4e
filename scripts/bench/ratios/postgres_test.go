package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFiguresOfPgbench(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log strings.Builder
	for range 99 {
		log.WriteString("3 2 192 0 1795384329 134237\n")
	}
	for name, text := range map[string]string{"log.7": log.String(), "log.7.1": "4 6 2500 0 1795384329 141002\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const out = "number of failed transactions: 0 (0.000%)\nlatency average = 1.261 ms\ntps = 6342.772965 (without initial connection time)\n"
	f, err := parsePgbench(out, dir)
	if want := (figures{OpsPerSecond: 6342.772965, P50Ms: .192, P99Ms: .192}); err != nil || f != want {
		t.Errorf("%+v, error %v, want %+v", f, err, want)
	}
	if f, err := parsePgbench(strings.Replace(out, "transactions: 0", "transactions: 3", 1), dir); err != nil || f.Failed != 3 {
		t.Errorf("%+v, error %v, want 3 failures", f, err)
	}
	if _, err := parsePgbench(out, t.TempDir()); err == nil {
		t.Error("no latencies are no error")
	}
	if _, err := parsePgbench("connection refused", dir); err == nil {
		t.Error("no rate is no error")
	}
}
