package report

import "fmt"

// Quiet is the result of waiting for an idle server.
type Quiet struct {
	// Reached reports whether the server was idle when the first step began.
	Reached bool `json:"reached"`
	// WaitedSeconds is the length of the wait or, for a remote server, of the additional warm-up.
	WaitedSeconds float64 `json:"waitedSeconds"`
	// ServerCores is the last CPU use of a server on this machine; nil for a remote server.
	ServerCores *float64 `json:"serverCores,omitempty"`
}

// Note returns a sentence if the server was not idle.
func (q *Quiet) Note() string {
	why := "its latency still changed"
	if q.ServerCores != nil {
		why = fmt.Sprintf("its server still used %.2f of a core", *q.ServerCores)
	}

	return fmt.Sprintf("The target was not quiet when the sweep began: after %s of waiting, %s.", Span(q.WaitedSeconds), why)
}

// worstQuiet returns the result of the part that did not reach an idle server or, among equal
// parts, waited longest. It returns nil if no part waited.
func worstQuiet(parts []*Report) (worst *Quiet) {
	for _, part := range parts {
		switch q := part.Quiet; {
		case q == nil:
		case worst == nil, worst.Reached && !q.Reached, worst.Reached == q.Reached && q.WaitedSeconds > worst.WaitedSeconds:
			worst = q
		}
	}

	return worst
}
