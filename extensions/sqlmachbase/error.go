package sqlmachbase

import (
	"context"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func withContextError(err error) error {
	var e *cmi.Error
	if !errors.As(err, &e) || e.Code != 0 { // an error with a code comes from the server
		return err
	}
	switch e.Kind {
	case cmi.KindTimeout:
		return ended{e, context.DeadlineExceeded}
	case cmi.KindCancelled:
		return ended{e, context.Canceled}
	default:
		return err
	}
}

type ended struct {
	error

	context error
}

func (e ended) Unwrap() []error { return []error{e.error, e.context} }
