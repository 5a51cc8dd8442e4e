package jsmodule

// ErrNested is for package jsmodule_test.
var ErrNested = errNested
