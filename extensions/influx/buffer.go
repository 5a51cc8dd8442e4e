package influx

import "sync"

// buffer keeps lines until they are written, the oldest first. It is full at a number of lines;
// then the oldest give way.
type buffer struct {
	mu    sync.Mutex
	lines [][]byte
	most  int
}

// put adds lines, and returns how many had to give way.
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

// take returns at most n lines and forgets them.
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
