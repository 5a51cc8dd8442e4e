package cmi

import "bytes"

// mostWhole is how many bytes of rows are kept to know them again by.
const mostWhole = 16 << 10

// Whole is the rows of an answer that came at once, to know them again by: another answer with the
// same bytes has the same rows. The zero value knows none.
type Whole struct {
	layout *layout
	units  []byte
}

// Forget makes w know none.
func (w *Whole) Forget() { w.layout = nil }

// Keep makes w know the rows that were not read yet, or none where they are long. What it is told
// is a whole answer only if AtOnce is true once they were read.
func (r *Rows) Keep(w *Whole) {
	if len(r.units) > mostWhole || !r.open || r.err != nil {
		w.Forget()

		return
	}
	w.layout, w.units = r.row.layout, append(w.units[:0], r.units...)
}

// AtOnce tells whether all rows were read, and had come together.
func (r *Rows) AtOnce() bool {
	return r.open && r.err == nil && !r.fetched && !r.more && len(r.units) == 0
}

// Repeats tells whether the rows that were not read yet are those that w knows. Then they are read.
func (r *Rows) Repeats(w *Whole) bool {
	if w.layout == nil || w.layout != r.row.layout || !r.open || r.err != nil || !bytes.Equal(w.units, r.units) {
		return false
	}
	r.units, r.more = nil, false

	return true
}
