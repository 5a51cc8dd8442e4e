package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// The benchmarks of the room that records operations.
const (
	recordingPackage = "./extensions/sweep/measure"
	benchmarkRecord  = "BenchmarkRecord"
	benchmarkRead    = "BenchmarkReadOf512Clients"
)

// recording is what it costs to record one operation, and to read a step of 512 clients at its end.
type recording struct {
	recordNanos, recordAllocations, readNanos float64
}

func measureRecording() (*recording, error) {
	benchmarks := "^(" + benchmarkRecord + "|" + benchmarkRead + ")$"
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", benchmarks, recordingPackage).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}

	return readRecording(string(out))
}

// readRecording reads what `go test -bench` prints.
func readRecording(text string) (*recording, error) {
	r := &recording{}
	for _, figure := range []struct {
		benchmark, unit string
		value           *float64
	}{
		{benchmarkRecord, "ns/op", &r.recordNanos},
		{benchmarkRecord, "allocs/op", &r.recordAllocations},
		{benchmarkRead, "ns/op", &r.readNanos},
	} {
		line := regexp.MustCompile(`(?m)^` + figure.benchmark + `(?:-\d+)?\s.*?([0-9.]+) ` + figure.unit)
		found := line.FindStringSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("%s has no %s in: %s", figure.benchmark, figure.unit, text)
		}
		value, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return nil, err
		}
		*figure.value = value
	}

	return r, nil
}

func (r *recording) holds() bool { return r.recordAllocations == 0 }

func (r *recording) String() string {
	return fmt.Sprintf("recording one operation: %.0f ns, %.0f allocations (0); "+
		"reading a step of 512 clients at its end: %.1f ms",
		r.recordNanos, r.recordAllocations, r.readNanos/1e6)
}
