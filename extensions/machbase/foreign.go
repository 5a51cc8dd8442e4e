package machbase

// What a driver in a package of its own needs of this one.

// Equal compares a value of a row with one as parameters are. Numbers are equal when their values are, whatever their types.
func Equal(got, want any) bool { return equal(got, want) }

// Unusable returns the error as one after which the connection is given up, whatever its kind.
func Unusable(e *Error) *Error {
	own := *e
	own.outOfStep = true

	return &own
}
