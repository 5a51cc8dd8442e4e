package report

import "fmt"

// Side is one of several ways to do the same work that a script has measured as variants of one
// run: the page sets them side by side.
type Side struct {
	// Name is what people call it, such as "orb".
	Name string `json:"name"`
	// Ops has the variants that belong to it, and what their operation is called beside the other
	// sides': the name that all sides have for the same work. An empty one is the operation's own.
	Ops map[string]string `json:"ops"`
}

// ValidateSides returns an error where sides cannot be told apart.
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
