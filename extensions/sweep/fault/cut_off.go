package fault

// CutOff is why an operation ended that outlived its VU's time.
type CutOff struct{ Why error }

// Error says why.
func (e CutOff) Error() string { return e.Why.Error() }

// Unwrap returns why.
func (e CutOff) Unwrap() error { return e.Why }

// Unsettled is why an operation ended whose promise had not settled by then. It is a CutOff too.
type Unsettled struct{ Why error }

// Error says why.
func (e Unsettled) Error() string { return e.Why.Error() }

// Unwrap returns the CutOff that it is.
func (e Unsettled) Unwrap() error { return CutOff(e) }
