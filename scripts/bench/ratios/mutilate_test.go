package main

import (
	"bufio"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

func TestFiguresOfMutilate(t *testing.T) {
	t.Parallel()
	const printed = "#type       avg     std     min     5th    10th    90th    95th    99th\n" +
		"read     2003.1  6597.5    37.4   143.4   168.9  7806.8 11244.8 16494.7\n" +
		"update      0.0     0.0     0.0     0.0     0.0     0.0     0.0     0.0\n\n" +
		"Total QPS = 31708.2 (31891 / 1.0s)\n\nMisses = 7 (0.0%)\n"
	got, err := parseMutilate(printed)
	if want := (mutilated{figures{OpsPerSecond: 31708.2, P99Ms: 16.4947, Failed: 7}, 31891}); err != nil || got != want {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
	for _, without := range []string{"read ", "Total QPS", "Misses"} {
		if _, err := parseMutilate(strings.ReplaceAll(printed, without, "")); err == nil {
			t.Errorf("without %q: no error", without)
		}
	}
}

func TestProcessorTimeOfNoOperationIsNotKnown(t *testing.T) {
	t.Parallel()
	if got := micros(time.Second, 500_000); got != 2 {
		t.Errorf("it is %v us, not 2", got)
	}
	if got := micros(time.Second, 0); got != 0 {
		t.Errorf("of none it is %v", got)
	}
}

func TestPlanOfCrusher(t *testing.T) {
	t.Parallel()
	for clients, want := range map[int]string{1: "conns=1,thread=1,", 64: "conns=32,thread=2,"} {
		file, err := crusherPlan(clients, 50)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(file)
		_ = os.Remove(file)
		if err != nil || !strings.Contains(string(raw), want) || !strings.HasSuffix(string(raw), "pipelines=50\n") {
			t.Errorf("%d clients: %q (%v)", clients, raw, err)
		}
	}
}

// A memcached that has counted is asked for what it has.
func TestGetsThatMemcachedHasCounted(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]counted{
		"STAT cmd_get 12\r\nSTAT get_hits 9\r\nSTAT get_misses 3\r\nEND\r\n": {12, 3},
		"STAT cmd_get 12\r\nEND\r\n":                                         {},
	} {
		here, there := net.Pipe()
		go func() {
			_, _ = bufio.NewReader(there).ReadString('\n')
			_, _ = there.Write([]byte(answer))
			_ = there.Close()
		}()
		got, err := memcachedGets(here)
		if (err == nil) != (want != counted{}) || err == nil && got != want {
			t.Errorf("%q: %+v, error %v", answer, got, err)
		}
	}
}
