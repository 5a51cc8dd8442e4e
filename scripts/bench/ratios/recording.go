package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
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
	RecordNanos, RecordAllocations, ReadNanos float64
}

// recorded are its rounds.
type recorded []recording

func measureRecording(e *effort) (result, error) {
	rounds, err := again(e, "recording", 1, func(int) (recording, error) { return benchmarkRecording() })

	return recorded(rounds), err
}

func benchmarkRecording() (recording, error) {
	benchmarks := "^(BenchmarkRecord|" + benchmarkRead + ")$"
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", benchmarks, recordingPackage).CombinedOutput()
	if err != nil {
		return recording{}, fmt.Errorf("%w: %s", err, out)
	}

	return readRecording(string(out))
}

// readRecording reads what `go test -bench` prints.
func readRecording(text string) (recording, error) {
	var r recording
	for _, figure := range []struct {
		benchmark, unit string
		value           *float64
	}{
		{benchmarkRecord, "ns/op", &r.RecordNanos},
		{benchmarkRecord, "allocs/op", &r.RecordAllocations},
		{benchmarkRead, "ns/op", &r.ReadNanos},
	} {
		line := regexp.MustCompile(`(?m)^` + figure.benchmark + `(?:-\d+)?\s.*?([0-9.]+) ` + figure.unit)
		found := line.FindStringSubmatch(text)
		if found == nil {
			return r, fmt.Errorf("%s has no %s in: %s", figure.benchmark, figure.unit, text)
		}
		value, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return r, err
		}
		*figure.value = value
	}

	return r, nil
}

func (all recorded) judgements() []judgement {
	if len(all) == 0 {
		return nil
	}

	return []judgement{atMost(0).judged("an operation", "allocations", slices.Max(all.allocations()))}
}

// allocations are those of recording an operation, of each round.
func (all recorded) allocations() []float64 {
	return valuesOf(all, func(r recording) float64 { return r.RecordAllocations })
}

// String has the medians, and the most allocations.
func (all recorded) String() string {
	if len(all) == 0 {
		return unmeasured
	}
	of := func(value func(recording) float64) []float64 { return valuesOf(all, value) }

	return fmt.Sprintf("recording one operation: %.0f ns, %.0f allocations (0); reading a step of 512 clients at its end: %.1f ms; %d rounds",
		middle(of(func(r recording) float64 { return r.RecordNanos })), slices.Max(all.allocations()),
		middle(of(func(r recording) float64 { return r.ReadNanos }))/1e6, len(all))
}
