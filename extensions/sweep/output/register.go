package output

import "go.k6.io/k6/v2/output"

// Name is that of the output, for k6 run -o.
const Name = "sweep"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}
