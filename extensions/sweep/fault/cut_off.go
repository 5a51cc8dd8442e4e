package fault

// CutOff is why an operation ended that outlived its VU's time.
type CutOff struct{ Why error }

func (e CutOff) Error() string { return e.Why.Error() }
func (e CutOff) Unwrap() error { return e.Why }

// unsettled is why an operation ended whose promise had not settled by then. It is a CutOff too.
type Unsettled struct{ Why error }

func (e Unsettled) Error() string { return e.Why.Error() }
func (e Unsettled) Unwrap() error { return CutOff(e) }
