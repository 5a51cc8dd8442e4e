package k6glue

import "go.k6.io/k6/v2/ext"

// version is the version of this repository, such as v0.1.0. The linker sets it; it is empty where
// no tag is known.
var version string

// ShowVersion lets `k6 version` show the version of this repository beside each of its extensions.
// Go knows none in the repository's own binaries, where a folder stands for the module, and says
// "(devel)".
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
