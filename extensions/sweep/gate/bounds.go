package gate

import (
	"encoding/json"
	"strconv"
)

// OfBounds returns gates that bound every step of each operation, by figure.
func OfBounds(scenario string, ops []string, bounds map[string]string) (*File, error) {
	gates := make([]map[string]any, len(ops))
	for i, op := range ops {
		gates[i] = map[string]any{"op": op}
		for figure, bound := range bounds {
			if number, err := strconv.ParseFloat(bound, 64); err == nil {
				gates[i][figure] = number
			} else {
				gates[i][figure] = bound
			}
		}
	}
	raw, err := json.Marshal(map[string]any{"scenario": scenario, "absolute": gates})
	if err != nil {
		return nil, err
	}

	return Parse(raw)
}
