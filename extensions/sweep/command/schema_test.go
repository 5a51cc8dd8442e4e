package command

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSchema(t *testing.T) {
	k := newK6(t)
	for name, key := range map[string]string{"report": "steps", "gates": "absolute"} {
		out, message, code := k.run("schema", name)
		require.Empty(t, message)
		require.Zero(t, code)
		var schema struct {
			Schema     string         `json:"$schema"`
			Properties map[string]any `json:"properties"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &schema))
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema.Schema)
		require.Contains(t, schema.Properties, key)
	}
}
