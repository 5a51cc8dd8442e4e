// Package modulestest is k6 v2's package of the same name, under k6 v1's import path: xk6-sql's
// tests import it, and so `go mod tidy` looks for it.
package modulestest

import (
	"testing"

	"go.k6.io/k6/v2/js/modulestest"
)

// Runtime is that of k6 v2.
type Runtime = modulestest.Runtime

// NewRuntime returns one for a test.
func NewRuntime(tb testing.TB) *Runtime {
	tb.Helper()

	return modulestest.NewRuntime(tb)
}
