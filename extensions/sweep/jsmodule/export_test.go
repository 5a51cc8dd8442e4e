package jsmodule

// ErrNested is for the tests in package jsmodule_test.
var ErrNested = errNested
