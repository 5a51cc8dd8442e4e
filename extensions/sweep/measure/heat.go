package measure

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A heat is what Slots count, as text: for each slot how many counters follow, and for each of
// these, in the order of their durations, how many counters are between it and the one before, and
// what it counts. All are variable-length integers as of Go's encoding/binary, through deflate and
// base64. Counter i of a heat has the durations of counters heatOf*i up to heatOf*(i+1) of a coarse
// histogram: there are 8 an octave, of equal width, from 1024 ns on, and as many below it.
const (
	heatOf       = 4
	heatCounters = coarseCounters / heatOf

	// mostHeat is above what the heat of MostSlots slots comes to, before and after deflate.
	mostHeat = 4 << 20
)

// Heat returns what the slots count as text.
func (o *OverTime) Heat() (string, error) {
	var raw []byte
	for i := range o.Slots {
		var cells [heatCounters]uint64
		o.Slots[i].each(func(at int, n uint64) { cells[at/heatOf] += n })
		used := 0
		for _, n := range cells {
			used += min(int(n), 1)
		}
		raw = binary.AppendUvarint(raw, uint64(used))
		last := -1
		for at, n := range cells {
			if n > 0 {
				raw = binary.AppendUvarint(raw, uint64(at-last-1))
				raw = binary.AppendUvarint(raw, n)
				last = at
			}
		}
	}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = z.Write(raw); err != nil {
		return "", err
	}
	if err = z.Close(); err != nil {
		return "", err
	}

	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// ReadHeat reads the slots that Heat has written, as fine as it has. The error says what is wrong
// with the text; it never takes more than some megabytes.
func ReadHeat(heat string) ([]Slot, error) {
	if len(heat) > mostHeat {
		return nil, fmt.Errorf("%d characters, which is more than any has (%d)", len(heat), mostHeat)
	}
	packed, err := base64.StdEncoding.Strict().DecodeString(heat)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: flate.NewReader(bytes.NewReader(packed)), N: mostHeat}
	raw, err := io.ReadAll(limited)
	switch {
	case err != nil:
		return nil, err
	case limited.N == 0:
		return nil, fmt.Errorf("it inflates to more than any has (%d bytes)", mostHeat)
	}
	var slots []Slot
	for r := (heatReader{raw: raw}); len(r.raw) > 0; {
		slot, err := r.slot()
		if err != nil {
			return nil, fmt.Errorf("slot %d: %w", len(slots)+1, err)
		}
		if slots = append(slots, slot); len(slots) > MostSlots {
			return nil, fmt.Errorf("it has more than %d slots", MostSlots)
		}
	}

	return slots, nil
}

// heatReader reads a heat's numbers.
type heatReader struct{ raw []byte }

func (r *heatReader) next() (uint64, error) {
	n, size := binary.Uvarint(r.raw)
	if size <= 0 {
		return 0, errors.New("it is cut off")
	}
	r.raw = r.raw[size:]

	return n, nil
}

func (r *heatReader) slot() (Slot, error) {
	used, err := r.next()
	if err != nil {
		return Slot{}, err
	}
	var s Slot
	last := -1 // of the coarse histogram
	for at := uint64(0); used > 0; used-- {
		gap, err := r.next()
		if err != nil {
			return Slot{}, err
		}
		n, err := r.next()
		if err != nil {
			return Slot{}, err
		}
		if gap >= heatCounters || at+gap >= heatCounters {
			return Slot{}, fmt.Errorf("it has more than %d counters", heatCounters)
		}
		if n == 0 || n > maxCount {
			return Slot{}, fmt.Errorf("a counter of %d is impossible", n)
		}
		at += gap
		i := int(at)*heatOf + heatOf - 1 // the slowest that it counts: a quantile is never too low
		s.counts = binary.AppendUvarint(s.counts, uint64(i-last-1))
		s.counts = binary.AppendUvarint(s.counts, n)
		last = i
		at++
	}

	return s, nil
}
