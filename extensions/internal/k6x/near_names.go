package k6x

import (
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// silent are names that JavaScript engines and tools probe for.
var silent = []string{"then", "toJSON", "constructor", "inspect"} //nolint:gochecknoglobals // a table

// instead returns the method that a script probably means by a missing name, or "".
func (m Methods[T]) instead(name string) string {
	if blocking, is := strings.CutSuffix(name, "Async"); is && blocking != "" {
		if _, has := m[AsyncName(blocking)]; has {
			return AsyncName(blocking)
		}
		if _, has := m[blocking]; has {
			return blocking + ", which has no form that returns a promise"
		}
	}

	return nearName(name, m.names())
}

// nearName returns the known name that a script probably means by a missing name, or "".
func nearName(name string, known []string) string {
	if slices.Contains(silent, name) {
		return ""
	}

	return input.NearestName(name, known)
}

func noMethod(rt *sobek.Runtime, name, instead string) *sobek.Object {
	return NewMisuse(rt, "TypeError", "there is no "+name+" here: use "+instead, map[string]any{"kind": "usage", "code": 0})
}
