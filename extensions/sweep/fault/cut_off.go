package fault

// CutOff is why an operation ended that outlived its VU's time.
type CutOff struct{ Why error }

// Error says why.
func (e CutOff) Error() string { return e.Why.Error() }

// Unwrap returns why.
func (e CutOff) Unwrap() error { return e.Why }
