package sweep

import (
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
)

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	lib.RegisterExecutorConfigType(ExecutorType, newScenario)
	modules.Register(ImportPath, New())
}
