package influx

import "sync"

// buffer queues lines to be written. When it is full, it drops the oldest.
type buffer struct {
	mu    sync.Mutex
	lines [][]byte
	most  int
}

func (b *buffer) put(lines [][]byte) (dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, lines...)
	if dropped = len(b.lines) - b.most; dropped <= 0 {
		return 0
	}
	clear(b.lines[:dropped])
	b.lines = b.lines[dropped:]

	return dropped
}

func (b *buffer) take(n int) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.lines))
	taken := append([][]byte(nil), b.lines[:n]...)
	clear(b.lines[:n])
	if b.lines = b.lines[n:]; len(b.lines) == 0 {
		b.lines = nil
	}

	return taken
}
