package machbase

import "go.k6.io/k6/v2/js/modules"

func init() { //nolint:gochecknoinits // k6 extensions register in init
	modules.Register(ImportPath, New())
}
