package main

import "testing"

func TestReadRecording(t *testing.T) {
	r, err := readRecording(`goos: linux
BenchmarkRecord-2             	54545454	        22.04 ns/op	       0 B/op	       0 allocs/op
BenchmarkReadOf512Clients-2   	     348	   3412345 ns/op	  123456 B/op	     789 allocs/op
PASS
`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "recording one operation: 22 ns, 0 allocations (0); reading a step of 512 clients at its end: 3.4 ms; 1 rounds"; (recorded{r}).String() != want || !holds(recorded{r}) {
		t.Errorf("%q (holds: %v), want %q", recorded{r}, holds(recorded{r}), want)
	}
	allocates := r
	allocates.RecordAllocations = 1
	if holds(recorded{r, r, allocates}) {
		t.Error("an allocation for each operation holds")
	}
	if _, err := readRecording("BenchmarkRecord-2  1  22 ns/op  0 B/op  0 allocs/op\n"); err == nil {
		t.Error("a benchmark that is missing is no error")
	}
}
