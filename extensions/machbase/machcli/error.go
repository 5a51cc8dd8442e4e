//go:build machcli

package machcli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/internal/official"
)

// errLeft is what interrupted calls return. The session knows why they were.
var errLeft = &machbase.Error{Kind: machbase.KindConnection, Message: "the call was interrupted"}

func usage(format string, args ...any) *machbase.Error {
	return &machbase.Error{Kind: machbase.KindUsage, Message: fmt.Sprintf(format, args...)}
}

// errorOf makes the module's error of the client's, which is a text.
func errorOf(err error) *machbase.Error {
	var known *machbase.Error
	if errors.As(err, &known) {
		return known
	}
	var native *cmi.Error
	if errors.As(err, &native) {
		return &machbase.Error{Code: native.Code, Kind: native.Kind, Message: native.Message}
	}

	text := err.Error()
	if code, message := official.ServerError(text); code != 0 {
		return &machbase.Error{Code: code, Kind: cmi.ServerError(code, message).Kind, Message: message}
	}
	if official.IsUsage(text) {
		return usage("%s", text)
	}

	return &machbase.Error{Kind: machbase.KindConnection, Message: "the connection broke: " + textOf(err)}
}

// textOf is the text of an error of the client's own, without the name of the function in C.
func textOf(err error) string {
	text, _, _ := strings.Cut(official.Text(err), ", MACHCLI-ERR ")

	return text
}

// appendError is an error after which the appender's connection must not be used any more.
func appendError(err error) *machbase.Error {
	if errors.Is(err, errLeft) {
		return errLeft
	}
	e := errorOf(err)
	message := e.Message
	if e.Kind == machbase.KindConnection {
		message = textOf(err)
	}

	return machbase.Unusable(&machbase.Error{Code: e.Code, Kind: machbase.KindAppend, Message: message})
}
