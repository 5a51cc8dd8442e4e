package generate

// BatchRows is the maximum number of rows in a batch.
const BatchRows = 1024

type batch struct {
	names  []string
	times  []int64
	values []float64
}

func newBatch(rows int64) *batch {
	capacity := min(rows, BatchRows)

	return &batch{names: make([]string, 0, capacity), times: make([]int64, 0, capacity), values: make([]float64, 0, capacity)}
}

func (b *batch) add(name string, at int64, value float64) {
	b.names = append(b.names, name)
	b.times = append(b.times, at)
	b.values = append(b.values, value)
}

func (b *batch) send(send func(columns ...any) error) error {
	if len(b.names) == 0 {
		return nil
	}
	err := send(b.names, b.times, b.values)
	b.names, b.times, b.values = b.names[:0], b.times[:0], b.values[:0]

	return err
}
