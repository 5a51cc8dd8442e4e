package gate

import (
	_ "embed"
)

//go:embed schema.json
var schema string

// Schema returns the JSON schema of files of gates. What it refuses, Parse refuses too; Parse
// alone finds keys and gates that come twice, and bounds that do not fit together.
func Schema() string { return schema }
