package operr

// CutOff is the error of an operation that was still running when its VU had to end.
type CutOff struct{ Why error }

// Error returns the reason.
func (e CutOff) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e CutOff) Unwrap() error { return e.Why }
