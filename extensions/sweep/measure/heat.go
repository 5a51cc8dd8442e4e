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

// A heat is the counters of all slots as text: varints (encoding/binary), deflate, base64. It
// starts with the number of slots, the first used counter, and the number of counters; then follow,
// counter by counter, the numbers of all slots. A heat counter covers heatOf counters of a coarse
// histogram, so an octave has 8.
const (
	heatOf       = 4
	heatCounters = coarseCounters / heatOf

	// mostHeat limits the encoded and the decoded size in bytes. MostSlots slots need less.
	mostHeat = 4 << 20
)

// Heat returns the slots' counters as text.
func (o *OverTime) Heat() (string, error) {
	var cells [heatCounters][MostSlots]uint64
	first, end := heatCounters, 0
	if len(o.Slots) > MostSlots {
		return "", fmt.Errorf("there are %d slots, and at most %d have a heat", len(o.Slots), MostSlots)
	}
	for slot := range o.Slots {
		o.Slots[slot].each(func(i int, n uint64) {
			cells[i/heatOf][slot] += n
			first, end = min(first, i/heatOf), max(end, i/heatOf+1)
		})
	}
	raw := binary.AppendUvarint(nil, uint64(len(o.Slots)))
	raw = binary.AppendUvarint(raw, uint64(min(first, end)))
	raw = binary.AppendUvarint(raw, uint64(max(end-first, 0)))
	for i := first; i < end; i++ {
		for _, n := range cells[i][:len(o.Slots)] {
			raw = binary.AppendUvarint(raw, n)
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

// ReadHeat reads the output of Heat. It returns an error for invalid text, and never allocates more
// than a few megabytes.
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
	r := heatReader{raw: raw}
	slots, err := r.slots()
	if err == nil && len(r.raw) > 0 {
		err = fmt.Errorf("%d bytes too many", len(r.raw))
	}

	return slots, err
}

type heatReader struct{ raw []byte }

func (r *heatReader) next(what string, most uint64) (uint64, error) {
	n, size := binary.Uvarint(r.raw)
	switch {
	case size <= 0:
		return 0, errors.New("it is cut off")
	case n > most:
		return 0, fmt.Errorf("%s of %d is more than %d", what, n, most)
	}
	r.raw = r.raw[size:]

	return n, nil
}

func (r *heatReader) slots() ([]Slot, error) {
	length, err := r.next("a number of slots", MostSlots)
	if err != nil {
		return nil, err
	}
	first, err := r.next("a first counter", heatCounters)
	if err != nil {
		return nil, err
	}
	counters, err := r.next("a number of counters", heatCounters-first)
	if err != nil {
		return nil, err
	}
	slots := make([]Slot, length)
	last := make([]int, length) // the last coarse counter of each slot, plus 1
	for at := range counters {
		i := int(first+at)*heatOf + heatOf - 1 // its slowest counter, so that quantiles are never too low
		for slot := range slots {
			n, err := r.next("a counter", maxCount)
			if err != nil {
				return nil, err
			}
			if n == 0 {
				continue
			}
			s := &slots[slot]
			s.counts = binary.AppendUvarint(s.counts, uint64(i-last[slot]))
			s.counts = binary.AppendUvarint(s.counts, n)
			last[slot] = i + 1
		}
	}

	return slots, nil
}
