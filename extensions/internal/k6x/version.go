package k6x

import "go.k6.io/k6/v2/ext"

// version is this repository's version, such as v0.1.0. The linker sets it; it may be empty.
var version string

// ShowVersion makes `k6 version` show the repository's version for its extensions. Binaries built
// from a local folder would show "(devel)".
func ShowVersion() {
	if version == "" {
		return
	}
	for _, extension := range ext.GetAll() {
		if extension.Path == "github.com/xk6-sweep/xk6-sweep" {
			extension.Version = version
		}
	}
}
