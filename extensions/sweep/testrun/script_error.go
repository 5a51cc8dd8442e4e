package testrun

import (
	"errors"
	"regexp"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// scriptError is a script's exception. Its text has no stack, so that equal errors can be counted.
type scriptError struct {
	text string
	// at is the position, "file:line:column", or "".
	at string
}

func (e *scriptError) Error() string { return e.text }

// rejected matches k6's text for an uncaught rejection: the error, and optionally its position.
var rejected = regexp.MustCompile(`(?s)^Uncaught \(in promise\) (.*?)(?:\n\tat .*?\(?(\S+:\d+:\d+)\(\d+\).*)?$`)

// Thrown makes a scriptError from the error of a call of JavaScript.
func Thrown(err error) error {
	var exception *sobek.Exception
	if !errors.As(err, &exception) {
		if match := rejected.FindStringSubmatch(err.Error()); match != nil {
			return &scriptError{text: measure.ShortText(match[1]), at: match[2]}
		}

		return err
	}
	e := &scriptError{text: textOf(exception.Value())}
	for _, frame := range exception.Stack() {
		if position := frame.Position(); position.Line > 0 {
			e.at = position.String()

			break
		}
	}

	return e
}

// RejectedWith makes a scriptError from the reason of a rejected promise.
func RejectedWith(reason sobek.Value) error { return &scriptError{text: textOf(reason)} }

func textOf(value sobek.Value) (text string) {
	defer func() {
		if recover() != nil {
			text = "an object without a text"
		}
	}()

	object, ok := value.(*sobek.Object)
	switch {
	case ok && object.ClassName() == "Array": // may be long
		text = k6x.Show(value)
	case ok:
		if text = object.String(); text == "[object Object]" {
			text = plainText(object)
		}
	default:
		text = value.String()
	}

	return measure.ShortText(text)
}

// plainText returns the message of a plain object, else its first properties.
func plainText(object *sobek.Object) string {
	const most = 10
	if message, ok := object.Get("message").(sobek.String); ok {
		return message.String()
	}
	var shown []string
	for i, key := range object.Keys() {
		if i == most {
			shown = append(shown, "...")

			break
		}
		shown = append(shown, key+": "+k6x.Show(object.Get(key)))
	}
	if shown == nil {
		return "{}"
	}

	return "{ " + strings.Join(shown, ", ") + " }"
}

// placeOf returns the position of an error, "file:line:column", or "".
func placeOf(err error) string {
	var script *scriptError
	if errors.As(err, &script) {
		return script.at
	}

	return ""
}

// CutOff is the error of an operation that was still running when its VU had to end.
type CutOff struct{ Why error }

// Error returns the reason.
func (e CutOff) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e CutOff) Unwrap() error { return e.Why }
