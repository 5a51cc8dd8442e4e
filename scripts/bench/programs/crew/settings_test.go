package crew

import (
	"flag"
	"strings"
	"testing"
	"time"
)

func TestSettingsOfAllPrograms(t *testing.T) {
	var s Settings
	own := ""
	define := func(flags *flag.FlagSet) { flags.StringVar(&own, "own", "", "") }
	if err := s.Read("x", []string{"-clients", "8", "-own", "a", "-ops", "20", "-warmup", "2s", "-json"}, define); err != nil {
		t.Fatal(err)
	}
	if want := (Settings{8, 20, 2 * time.Second, true}); s != want || own != "a" {
		t.Errorf("settings are %+v and %q, want %+v and a", s, own, want)
	}
	if err := s.Read("x", nil, define); err != nil || s != (Settings{Clients: 1, Ops: 1000}) {
		t.Errorf("without flags settings are %+v, error %v", s, err)
	}
	for says, args := range map[string][]string{
		"-clients is 0":          {"-clients", "0"},
		"-ops is -1":             {"-ops", "-1"},
		"-warmup is -1s":         {"-warmup", "-1s"},
		`unexpected argument "a`: {"a"},
	} {
		if err := s.Read("x", args, define); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error is %v, want %q", args, err, says)
		}
	}
}
