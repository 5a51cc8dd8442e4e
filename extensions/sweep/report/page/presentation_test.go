package page

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Plots look the same without the style sheet.
func TestPlotsAreReadableWithoutTheStyleSheet(t *testing.T) {
	for _, tt := range []struct{ element, class, want string }{
		{"path", "grid", ` stroke="#d9dce1" stroke-width="0.7"`},
		{"path", "grid minor", ` stroke="#eceef1" stroke-width="0.7"`},
		{"path", "line s1", ` stroke="#a8430a" stroke-dasharray="7 2.5" stroke-linejoin="round" stroke-width="1.8"`},
		{"path", "marker s0", ` fill="#0b5cad" stroke="#ffffff" stroke-width="0.8"`},
		{"path", "line published d0", ` stroke="#585d66" stroke-dasharray="4 3" stroke-linejoin="round" stroke-opacity="0.75" stroke-width="0.9"`},
		{"path", "lane bad", ` fill="#a81c10"`},
		{"path", "heat h7", ` stroke="#00224e" stroke-width="1.02"`},
		{"path", "slot", ` fill="#1a1c1f" fill-opacity="0"`},
		{"path", "nothing", ``},
		{"text", "tick", ` fill="#585d66" font-size="11.5px"`},
		{"text", "label s2", ` fill="#15703a" font-size="11.5px" font-weight="600"`},
		{"text", "label", ` fill="#1a1c1f" font-size="11.5px" font-weight="600"`},
	} {
		require.Equal(t, tt.want, string(presentation(tt.element, tt.class)), tt.class)
	}
}
