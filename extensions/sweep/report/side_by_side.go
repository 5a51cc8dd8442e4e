package report

import "fmt"

// Side is one implementation of the same work, measured as variants of one run. The page compares
// sides.
type Side struct {
	Name string `json:"name"`
	// Ops maps its variants to the names of their operations, common to all sides. An empty name keeps
	// the operation's own.
	Ops map[string]string `json:"ops"`
}

// ValidateSides returns an error if sides are ambiguous.
func ValidateSides(sides []Side) error {
	names, variants := map[string]bool{}, map[string]string{}
	for i, side := range sides {
		switch {
		case side.Name == "":
			return fmt.Errorf("sideBySide[%d].name is empty", i)
		case names[side.Name]:
			return fmt.Errorf("sideBySide[%d].name is %q, as another's", i, side.Name)
		case len(side.Ops) == 0:
			return fmt.Errorf("sideBySide[%d].ops are empty: a side has at least one variant", i)
		}
		names[side.Name] = true
		for variant := range side.Ops {
			if other, taken := variants[variant]; taken {
				return fmt.Errorf("the variant %q is on two sides, %s and %s", variant, other, side.Name)
			}
			variants[variant] = side.Name
		}
	}

	return nil
}
