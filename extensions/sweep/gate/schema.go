package gate

import (
	_ "embed"
)

//go:embed schema.json
var schema string

// Schema returns the JSON Schema of gate files. Parse also refuses duplicate keys and gates, and
// bounds that contradict each other.
func Schema() string { return schema }
