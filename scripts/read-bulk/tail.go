package main

import "strings"

// tail keeps the last bytes written to it, so that endless output needs no memory.
type tail struct {
	kept []byte
	most int
	cut  bool
}

func newTail(most int) *tail { return &tail{most: most} }

// Write implements io.Writer; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.most {
		t.shorten()
	}

	return len(p), nil
}

func (t *tail) shorten() {
	if more := len(t.kept) - t.most; more > 0 {
		t.kept = append(t.kept[:0], t.kept[more:]...)
		t.cut = true
	}
}

// text returns the kept output, passed through hide. If output was dropped, it leaves out the first
// line, which may begin within a secret.
func (t *tail) text(hide func(string) string) string {
	t.shorten()
	text := string(t.kept)
	if t.cut {
		_, text, _ = strings.Cut(text, "\n")
	}

	return hide(text)
}
