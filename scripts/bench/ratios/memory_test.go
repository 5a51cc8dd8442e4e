package main

import (
	"strings"
	"testing"
)

// sweepsOf are sweeps whose clients add so much, in bytes.
func sweepsOf(cache, empty int64) *memory {
	cells := func(each int64) (cells []memoryCell) {
		for _, clients := range []int{1, 1000} {
			cells = append(cells, memoryCell{clients, []memoryRound{{Memory: 60_000_000}, {Memory: 60_000_000 + int64(clients-1)*each}}})
		}

		return cells
	}

	return &memory{[]memorySweep{{cacheSweep, cells(cache)}, {emptySweep, cells(empty)}, {bareVUs, cells(40_000)}}}
}

func TestBoundsOfMemory(t *testing.T) {
	if m := sweepsOf(200_000, 60_000); !holds(m) {
		t.Errorf("bounds are crossed by\n%s", m)
	}
	none := []memoryCell{{clients: 1}, {clients: 1000}}
	if !holds(&memory{[]memorySweep{{cacheSweep, none}, {emptySweep, none}, {bareVUs, none}}}) {
		t.Error("what is not measured crosses a bound")
	}
	failed := sweepsOf(1, 1)
	failed.sweeps[0].cells[0].rounds[0].Failed = 1
	large := sweepsOf(1, 1)
	large.sweeps[0].cells[0].rounds[0].Memory = mostOfAll + 1
	for what, m := range map[string]*memory{
		"clients of cache-sweep": sweepsOf(201_000, 1), "clients of an empty sweep": sweepsOf(1, 61_000),
		"a failed operation": failed, "all of cache-sweep": large,
	} {
		if holds(m) {
			t.Errorf("no bound is crossed by %s", what)
		}
	}
}

func TestMemoryIsATable(t *testing.T) {
	got := sweepsOf(150_000, 61_000).String()
	for _, want := range []string{
		"| cache-sweep |       1 |      2 |                  60 | – |\n",
		"| cache-sweep |    1000 |      2 |                 210 | 0.15 (<= 0.20) |\n",
		"| empty       |    1000 |      2 |                 121 | 0.0610, above a bare VU 0.021 (<= 0.02: crossed) |\n",
		"| bare VUs    |    1000 |      2 |                 100 | 0.0400 |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks\n%s:\n%s", want, got)
		}
	}
	if got := (&memory{}).String(); got != unmeasured {
		t.Errorf("of nothing it says %q", got)
	}
}
