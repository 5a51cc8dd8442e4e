package sweep

import (
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/jsmodule"
)

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	lib.RegisterExecutorConfigType(executor.Type, executor.NewConfig)
	modules.Register(jsmodule.ImportPath, jsmodule.New())
}
