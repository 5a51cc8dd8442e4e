package output

import "go.k6.io/k6/v2/output"

// Name of the output in k6 run -o.
const Name = "sweep"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}
