package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

var errLeft = cmi.NewError(cmi.KindConnection, "the call was interrupted")

// errRejected is machgo's error when it reads the report of a rejected row in place of another
// answer.
var errRejected = cmi.NewError(cmi.KindAppend, "the server has rejected rows that were appended before this call")

func usage(format string, args ...any) *cmi.Error {
	return cmi.NewError(cmi.KindUsage, format, args...)
}

// clientError returns the module's error for an error of a client, which has only a text.
func clientError(err error) *cmi.Error {
	if own, is := errors.AsType[*cmi.Error](err); is {
		return own
	}
	text := err.Error()
	if code, message := serverError(text); code != 0 {
		return cmi.ServerError(code, message)
	}
	switch {
	case usageText.MatchString(text):
		return usage("%s", text)
	case strings.Contains(text, "unexpected protocol 12 "):
		return errRejected
	default:
		return cmi.NewError(cmi.KindConnection, "the connection broke: %s", clientText(err))
	}
}

var usageText = regexp.MustCompile(`^params required|unknown type|unsupported.*type`)

func (c *conn) failed(err error) error {
	e := clientError(err)
	c.broken = c.broken || e == errRejected

	return e
}

// outOfStep returns the error of an appender, which breaks the connection; nil for nil.
func (c *conn) outOfStep(err error) error {
	if err == nil {
		return nil
	}
	c.broken = true
	if errors.Is(err, errLeft) {
		return errLeft
	}
	e := clientError(err)
	message := e.Message
	if e.Kind == cmi.KindConnection {
		message = clientText(err)
	}

	return &cmi.Error{Code: e.Code, Kind: cmi.KindAppend, Message: message}
}

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

// clientText returns the text of a client's own error. machgo often repeats it, and machcli adds
// another error.
func clientText(err error) string {
	text := strings.TrimPrefix(err.Error(), "MACHCLI ")
	if half := (len(text) - len(", ")) / 2; half > 0 && text == text[:half]+", "+text[:half] {
		return text[:half]
	}
	text, _, _ = strings.Cut(text, ", MACHCLI-ERR ")

	return text
}
