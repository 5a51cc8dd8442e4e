package generate

// BatchRows is the maximum number of rows in a batch.
const BatchRows = 1024

// Send gets a batch of rows as columns in the table's order: names ([]string), times ([]int64,
// nanoseconds since 1970), values ([]float64), and in roll-ups counts ([]int64). They are valid
// until it returns. Its error ends the rows.
type Send = func(columns ...any) error

type batch struct {
	send   Send
	names  []string
	times  []int64
	values [][]float64
	counts []int64 // roll-ups only
}

func newBatch(send Send, values int) *batch {
	b := &batch{send: send, names: make([]string, 0, BatchRows), times: make([]int64, 0, BatchRows), values: make([][]float64, values)}
	for i := range b.values {
		b.values[i] = make([]float64, 0, BatchRows)
	}

	return b
}

func (b *batch) add(name string, at int64, values ...float64) error {
	b.names = append(b.names, name)
	b.times = append(b.times, at)
	for i, value := range values {
		b.values[i] = append(b.values[i], value)
	}
	if len(b.names) < BatchRows {
		return nil
	}

	return b.end()
}

// end sends the remaining rows.
func (b *batch) end() error {
	if len(b.names) == 0 {
		return nil
	}
	columns := append(make([]any, 0, 3+len(b.values)), b.names, b.times)
	for i, values := range b.values {
		columns = append(columns, values)
		b.values[i] = values[:0]
	}
	if len(b.counts) > 0 {
		columns = append(columns, b.counts)
	}
	b.names, b.times, b.counts = b.names[:0], b.times[:0], b.counts[:0]

	return b.send(columns...)
}
