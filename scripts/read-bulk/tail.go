package main

// tail keeps the last bytes written to it, so that a client that prints without end costs no
// memory.
type tail struct {
	kept []byte
	most int
	cut  bool // something before kept is gone
}

func newTail(most int) *tail { return &tail{most: most} }

// Write implements io.Writer; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.most { // not at every write: moving is what costs
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

// text is what is kept, passed through hide. Where something was cut off, the first line is left
// out: it may begin within what should have been hidden.
func (t *tail) text(hide func(string) string) string {
	t.shorten()
	text := string(t.kept)
	if t.cut {
		text = afterFirstLine(text)
	}

	return hide(text)
}

func afterFirstLine(text string) string {
	for i := range len(text) {
		if text[i] == '\n' {
			return text[i+1:]
		}
	}

	return ""
}
