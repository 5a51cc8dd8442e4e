// Package modulestest is k6 v2's package under k6 v1's path. Tests of xk6-sql import it, so `go mod
// tidy` needs it.
package modulestest

import (
	"testing"

	"go.k6.io/k6/v2/js/modulestest"
)

// Runtime is k6 v2's type.
type Runtime = modulestest.Runtime

// NewRuntime returns a Runtime for a test.
func NewRuntime(tb testing.TB) *Runtime {
	tb.Helper()

	return modulestest.NewRuntime(tb)
}
