package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is tried is what ships.
func TestTolerancesOfTheRepository(t *testing.T) {
	shipped, err := readTolerances("../../../thresholds/stock-rollup.json")
	if err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(t.TempDir(), "thresholds.json")
	if err := shipped.write(written, "b.json"); err != nil {
		t.Fatal(err)
	}
	again, err := readTolerances(written)
	if err != nil || again != shipped {
		t.Errorf("%+v became %+v, error is %v", shipped, again, err)
	}
	raw, err := os.ReadFile(written)
	if err != nil || !strings.Contains(string(raw), `"baseline":"b.json"`) || !strings.Contains(string(raw), `"scenario":"stock-rollup"`) {
		t.Errorf("wrote %s, error is %v", raw, err)
	}
}

func TestTolerancesThatAreMissing(t *testing.T) {
	for contents, wrong := range map[string]string{
		`{`:                                      "unexpected end of JSON input",
		`{}`:                                     "relative must have opsPerSecond and p99",
		`{"relative": {"opsPerSecond": "-10%"}}`: "relative must have opsPerSecond and p99",
	} {
		file := filepath.Join(t.TempDir(), "thresholds.json")
		if err := os.WriteFile(file, []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readTolerances(file); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: error is %v", contents, err)
		}
	}
}
