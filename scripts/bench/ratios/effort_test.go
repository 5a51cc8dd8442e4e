package main

import (
	"slices"
	"testing"
)

func TestNumbersOfClients(t *testing.T) {
	for given, want := range map[string][]int{"": {1, 8, 64}, "8": {8}, "64,512,1": {1, 64}, "7": {}} {
		e, err := newEffort(5, 100, given)
		if got := e.of(1, 8, 64); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, error %v, want %v", given, got, err, want)
		}
	}
	for _, given := range []string{"x", "0", "1,,2", "-1"} {
		if _, err := newEffort(5, 100, given); err == nil {
			t.Errorf("%q is no error", given)
		}
	}
}
