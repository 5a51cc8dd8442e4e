package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Verdict is the judgement of a gate or of one of k6's thresholds.
type Verdict struct {
	Gate string `json:"gate"`
	// Held reports whether the gate passes: it held, or it is undecided and its file allows that.
	Held bool `json:"held"`
	// Detail is the measured value, or why it could not be judged.
	Detail  string        `json:"detail"`
	Outcome stats.Outcome `json:"outcome"`
	// Visible is the smallest relative change that the gate would detect; zero if unknown.
	Visible float64 `json:"visible,omitempty"`
	// Needed describes what would decide an undecided gate.
	Needed string `json:"needed,omitempty"`
	// Threshold reports whether it is one of k6's thresholds.
	Threshold bool `json:"threshold,omitempty"`
	// Worse reports whether the figure is significantly worse than base, regardless of tolerance.
	Worse    bool   `json:"-"`
	Scenario string `json:"-"`
}

// mark returns the outcome for lists of gates, in capitals if it fails the run.
func (v *Verdict) mark() string {
	if v.Held {
		return string(v.Outcome)
	}

	return strings.ToUpper(string(v.Outcome))
}

func (v *Verdict) rank() int {
	return slices.Index([]stats.Outcome{stats.Crossed, stats.Undecided, stats.Held}, v.Outcome)
}

// Line returns the verdict in one line.
func (v *Verdict) Line() string {
	const width = len(stats.Undecided)

	return fmt.Sprintf("%-*s  %s: %s", width, v.mark(), v.Gate, strings.Join(strings.Fields(v.Explained()), " "))
}

// Explained returns the detail, the smallest detectable change, and how to decide an undecided
// gate.
func (v *Verdict) Explained() string {
	text := v.Detail
	for _, more := range []string{v.couldSee(), v.Needed} {
		if text != "" && more != "" {
			text = strings.TrimSuffix(text, ".") + "; "
		}
		text += more
	}

	return text
}

// outcomeOfLine matches the start of a line about gates.
var outcomeOfLine = regexp.MustCompile(
	`(?mi)^(crossed|undecided|held): |^(?:The other )?[\d,]+ (?:gates?|thresholds?|gates and thresholds) held\b`)

// colours are those of k6 for a terminal.
var colours = map[stats.Outcome]string{ //nolint:gochecknoglobals // a constant
	stats.Crossed: "31", stats.Undecided: "33", stats.Held: "32",
}

// Coloured returns a report's Markdown with colours for a terminal: crossed red, undecided yellow,
// held green.
func Coloured(markdown string) string {
	return outcomeOfLine.ReplaceAllStringFunc(markdown, func(start string) string {
		word, rest, listed := strings.Cut(start, ": ")
		if !listed {
			return "\x1b[" + colours[stats.Held] + "m" + start + "\x1b[0m"
		}

		return "\x1b[" + colours[stats.Outcome(strings.ToLower(word))] + "m" + word + "\x1b[0m: " + rest
	})
}

func (v *Verdict) couldSee() string {
	if v.Visible == 0 {
		return ""
	}

	return "could see " + stats.Percent(v.Visible)
}

// counted formats counts such as "2 gates", "3 thresholds" or "5 gates and thresholds".
func counted(verdicts []Verdict) string {
	thresholds := 0
	for i := range verdicts {
		if verdicts[i].Threshold {
			thresholds++
		}
	}
	switch thresholds {
	case 0:
		return Plural(len(verdicts), "gate")
	case len(verdicts):
		return Plural(thresholds, "threshold")
	}

	return fmt.Sprintf("%d gates and thresholds", len(verdicts))
}

// GatesText summarises all gates, such as "1 of 4 gates crossed, 2 undecided". The outcome is the
// worst of those that fail.
func GatesText(gates []Verdict) (text string, outcome stats.Outcome) {
	count := map[stats.Outcome]int{}
	undecidedPass := true
	outcome = stats.Held
	for i := range gates {
		v := &gates[i]
		result := v.Outcome
		count[result]++
		if !v.Held {
			outcome = stats.Worst(outcome, result)
		}
		undecidedPass = undecidedPass && (v.Held || result != stats.Undecided)
	}
	crossed, undecided := count[stats.Crossed], count[stats.Undecided]
	switch all := counted(gates); {
	case crossed > 0 && undecided > 0:
		text = fmt.Sprintf("%d of %s crossed, %d undecided", crossed, all, undecided)
	case crossed > 0:
		text = fmt.Sprintf("%d of %s crossed", crossed, all)
	case undecided > 0:
		text = fmt.Sprintf("%d of %s undecided", undecided, all)
	default:
		return all + " held", outcome
	}
	if undecided > 0 && undecidedPass {
		text += ", which passes"
	}

	return text, outcome
}

// Annotations renders the gates that did not hold as GitHub workflow commands: errors, and a
// warning for an undecided gate that passes.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
func Annotations(verdicts []Verdict, file string) string {
	// These characters would end a property.
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for i := range verdicts {
		v := &verdicts[i]
		if v.Outcome == stats.Held {
			continue
		}
		level := "error"
		if v.Held {
			level = "warning"
		}
		fmt.Fprintf(&b, "::%s file=%s,title=%s::%s\n", level, property.Replace(file),
			property.Replace(string(v.Outcome)+": "+v.Gate), text.Replace(v.Explained()))
	}

	return b.String()
}
