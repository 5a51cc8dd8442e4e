package gate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Gates that apply without being listed in the file.
const (
	baselineFits = "baseline fits"
	everyStep    = "every step complete and no operation failed"
)

func (a *Absolute) steps() string {
	if a.Clients == 0 && a.Rate == 0 {
		return tagged(a.Op) + " in every step"
	}

	return steps(report.Key{Op: a.Op, Clients: a.Clients, Rate: a.Rate})
}

func (a *Absolute) name(b Bound) string {
	return fmt.Sprintf("%s of %s %s %s", b.Figure.Name, a.steps(), boundSign(b.Figure), boundText(b.Figure, b.Value))
}

func (t Tolerance) name(key report.Key) string {
	return fmt.Sprintf("%s of %s %s %sx of baseline", t.Figure.Name, steps(key), boundSign(t.Figure), decimal(rounded(t.limit())))
}

// nameOfDuet names the gate of a figure in every step of a duet.
func (t Tolerance) nameOfDuet() string {
	return fmt.Sprintf("%s of every step %s %sx of base", t.Figure.Name, boundSign(t.Figure), decimal(rounded(t.limit())))
}

func (t Tolerance) limit() float64 {
	if t.Figure.Rate {
		return 1 - t.Part
	}

	return 1 + t.Part
}

// rounded returns the number without binary rounding errors.
func rounded(number float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 12, 64), 64)
	if err != nil {
		return number
	}

	return rounded
}

func steps(key report.Key) string {
	name := tagged(key.Op)
	switch key.Clients {
	case 0:
	case 1:
		name += " with 1 client"
	default:
		name += fmt.Sprintf(" with %d clients", key.Clients)
	}
	if key.Variant != "" {
		name += " of " + tagged(key.Variant)
	}
	if key.Rate != 0 {
		name += " at " + strconv.FormatFloat(key.Rate, 'f', -1, 64) + " a second"
	}

	return name
}

// tagged escapes an operation's name for the tag of a k6 threshold.
func tagged(op string) string {
	var b strings.Builder
	for _, r := range op {
		if strings.ContainsRune(",:{}%'\"", r) || r != ' ' && !unicode.IsPrint(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}

			continue
		}
		b.WriteRune(r)
	}

	return b.String()
}
