package judgement

import "fmt"

// Percent writes a part for people, such as "0.83 %".
func Percent(part float64) string {
	const whole = 0.1 // from here on, tenths of a percent say nothing
	if part >= whole {
		return fmt.Sprintf("%.0f %%", 100*part)
	}

	return fmt.Sprintf("%.2g %%", 100*part)
}
