package report

import "fmt"

// Quiet is how the wait for a target at rest has ended.
type Quiet struct {
	// Reached is whether the target was at rest when the first step began.
	Reached bool `json:"reached"`
	// WaitedSeconds is how long the sweep waited for that or, with a server elsewhere, by how much
	// the first warm-up was longer.
	WaitedSeconds float64 `json:"waitedSeconds"`
	// ServerCores is how many cores a server on this machine used in the end; nil: the server runs
	// elsewhere.
	ServerCores *float64 `json:"serverCores,omitempty"`
}

// Note says what a reader must know of a target that was not at rest.
func (q *Quiet) Note() string {
	why := "its latency still changed"
	if q.ServerCores != nil {
		why = fmt.Sprintf("its server still used %.2f of a core", *q.ServerCores)
	}

	return fmt.Sprintf("The target was not quiet when the sweep began: after %s of waiting, %s.", Span(q.WaitedSeconds), why)
}

// validate tells whether the wait can be true.
func (q *Quiet) validate() error {
	cores := 0.0
	if q.ServerCores != nil {
		cores = *q.ServerCores
	}

	return possible(keyed{"quiet.waitedSeconds", q.WaitedSeconds}, keyed{"quiet.serverCores", cores})
}

// worstQuiet is the wait of the parts of a run after which the target was least at rest; nil where
// none has waited.
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
