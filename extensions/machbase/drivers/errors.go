package drivers

import (
	"regexp"
	"strconv"
	"strings"
)

// The two forms of a server's error in the clients' texts, and a third one of machcli, which ends
// with the name of a function.
var (
	coded  = regexp.MustCompile(`(?:MACHCLI-ERR-|^server error code=)(\d+)(?:, *| message=|$)`)
	called = regexp.MustCompile(`(?s)^MACHCLI-ERR (\d+) (.*), MachC\w+(?:\([^)]*\))?$`)
)

// serverError finds the server's code and message in the text of an error. The code is 0 for other
// errors.
func serverError(text string) (code int, message string) {
	if match := called.FindStringSubmatch(text); match != nil {
		return number(match[1]), match[2]
	}
	match := coded.FindStringSubmatchIndex(text)
	if match == nil {
		return 0, ""
	}

	return number(text[match[2]:match[3]]), text[match[1]:]
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}

	return n
}

// clientText returns the text of a client's own error, which often appears twice in its message.
func clientText(err error) string {
	text := strings.TrimPrefix(err.Error(), "MACHCLI ")
	if half := (len(text) - len(", ")) / 2; half > 0 && text == text[:half]+", "+text[:half] {
		return text[:half]
	}

	return text
}

// connectReason returns the reason why connecting failed, from the text of a driver's error.
func connectReason(text string) string {
	switch {
	case strings.Contains(text, "connection refused"):
		return "connection refused; is a Machbase server running there?"
	case strings.Contains(text, "no such host"):
		return "there is no such host"
	case strings.Contains(text, "timeout"):
		return "no answer in time"
	default:
		return text
	}
}

// isUsage reports whether the error text is about wrong use of the driver.
func isUsage(text string) bool { return usageText.MatchString(text) }

var usageText = regexp.MustCompile(`^params required|unknown type|unsupported.*type`)
