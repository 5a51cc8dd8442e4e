package drivers

import (
	"errors"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

var errLeft = cmi.NewError(cmi.KindConnection, "the call was interrupted")

func usage(format string, args ...any) *cmi.Error {
	return cmi.NewError(cmi.KindUsage, format, args...)
}

// knownError returns the module's error for errors that both clients report equally: the
// module's own errors, server codes, and wrong use.
func knownError(err error) *cmi.Error {
	if own, is := errors.AsType[*cmi.Error](err); is {
		return own
	}
	text := err.Error()
	if code, message := serverError(text); code != 0 {
		return cmi.ServerError(code, message)
	}
	if isUsage(text) {
		return usage("%s", text)
	}

	return nil
}

func machcliError(err error) *cmi.Error {
	if known := knownError(err); known != nil {
		return known
	}

	return cmi.NewError(cmi.KindConnection, "the connection broke: %s", machcliText(err))
}

func machcliText(err error) string {
	text, _, _ := strings.Cut(clientText(err), ", MACHCLI-ERR ")

	return text
}

func (c *machcliConn) outOfStep(err error) error {
	c.broken = true
	if errors.Is(err, errLeft) {
		return errLeft
	}
	e := machcliError(err)
	message := e.Message
	if e.Kind == cmi.KindConnection {
		message = machcliText(err)
	}

	return &cmi.Error{Code: e.Code, Kind: cmi.KindAppend, Message: message}
}
