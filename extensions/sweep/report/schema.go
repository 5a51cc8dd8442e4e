package report

import _ "embed" // for the schema

// SchemaJSON is the JSON Schema (draft 2020-12) of a report, with the meaning and unit of each key.
// Validate also checks that figures agree.
//
//go:embed schema.json
var SchemaJSON []byte
