package workload

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

const sizesWanted = "a number of bytes, {min, max} or a list of {size, weight}"

// UnmarshalJSON reads any of the forms of sizes.
func (s *Sizes) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	var fixed int
	if json.Unmarshal(raw, &fixed) == nil {
		*s = Sizes{{Min: fixed, Max: fixed, Weight: 1}}

		return nil
	}
	if bytes.HasPrefix(raw, []byte("[")) {
		return s.list(raw)
	}
	if !bytes.HasPrefix(raw, []byte("{")) {
		return fmt.Errorf("option values must be %s, not %s", sizesWanted, short(raw))
	}

	between := struct {
		Min *int `json:"min"`
		Max *int `json:"max"`
	}{}
	if err := input.Decode("values.", raw, &between); err != nil {
		return fmt.Errorf("%w; values are %s", err, sizesWanted)
	}
	if between.Min == nil || between.Max == nil {
		return fmt.Errorf("option values must have both min and max; it is %s", short(raw))
	}
	*s = Sizes{{Min: *between.Min, Max: *between.Max, Weight: 1}}

	return nil
}

func (s *Sizes) list(raw []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return fmt.Errorf("option values must be %s: %w", sizesWanted, err)
	}
	*s = make(Sizes, 0, len(entries))
	for i, entry := range entries {
		weighted := struct {
			Size   *int     `json:"size"`
			Weight *float64 `json:"weight"`
		}{}
		if err := input.Decode(fmt.Sprintf("values[%d].", i), entry, &weighted); err != nil {
			return err
		}
		if weighted.Size == nil || weighted.Weight == nil {
			return fmt.Errorf("option values[%d] must have both size and weight; it is %s", i, short(entry))
		}
		*s = append(*s, SizeRange{Min: *weighted.Size, Max: *weighted.Size, Weight: *weighted.Weight})
	}

	return nil
}
