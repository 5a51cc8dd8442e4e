package report

import _ "embed" // for the schema

// SchemaJSON is the JSON Schema (draft 2020-12) of a report, with what each key means and its unit.
// It says less than Validate does: a schema cannot tell whether figures agree.
//
//go:embed schema.json
var SchemaJSON []byte
