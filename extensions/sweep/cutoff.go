package sweep

// cutOff is why an operation ended that outlived its VU's time.
type cutOff struct{ why error }

func (e cutOff) Error() string { return e.why.Error() }
func (e cutOff) Unwrap() error { return e.why }

// unsettled is why an operation ended whose promise had not settled by then. It is a cutOff too.
type unsettled struct{ why error }

func (e unsettled) Error() string { return e.why.Error() }
func (e unsettled) Unwrap() error { return cutOff(e) }
