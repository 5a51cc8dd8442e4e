package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// checkTwice refuses duplicate keys: encoding/json would take the last one, other readers the
// first.
func checkTwice(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var open []map[string]bool // keys of each open object; nil for a list
	key := false
	for {
		token, err := dec.Token()
		if err != nil {
			return nil //nolint:nilerr // the end: that it is JSON is known
		}
		switch token {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		default:
			if name, _ := token.(string); key {
				keys := open[len(open)-1]
				if keys[name] {
					return fmt.Errorf("the key %q is there twice, %s", name, position(raw, dec.InputOffset()))
				}
				keys[name] = true
				key = false

				continue
			}
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}
